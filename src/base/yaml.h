/* yaml.h - what people write by hand (devices, rules) and what programs write
 * (JSON, which is YAML), as a tree with line numbers.
 *
 * The tree lives in the zone given to ash_yaml_parse. Aliases share nodes, but
 * the limit on nodes counts them expanded, so walking a tree is never more
 * work than ASH_YAML_NODES_MAX steps. Tags and keys that are not plain text
 * are refused: nothing we read needs them.
 *
 * Reading a tree: ask for values with the accessors below; each fails with
 * the file and line of the value. `what` names the value in the message:
 * "'bytes' must be an integer, not 'abc'". */
#ifndef ASH_BASE_YAML_H
#define ASH_BASE_YAML_H

#include "base/ctx.h"

enum {
  ASH_YAML_NODES_MAX = 1000000,
  ASH_YAML_DEPTH_MAX = 64,
  ASH_YAML_ANCHORS_MAX = 256
};

typedef enum ash_yaml_kind {
  ASH_YAML_SCALAR,
  ASH_YAML_LIST,
  ASH_YAML_MAP
} ash_yaml_kind;

typedef struct ash_yaml ash_yaml;

/* One element of a list or one pair of a map, in the order of the file:
 *   for (const ash_yaml_item *i = list->first; i; i = i->next) */
typedef struct ash_yaml_item {
  const char *key; /* NULL in a list          */
  uint32_t line;   /* of the key or element   */
  const ash_yaml *node;
  struct ash_yaml_item *next;
} ash_yaml_item;

struct ash_yaml {
  ash_yaml_kind kind;
  bool quoted;      /* a scalar in quotes: text, never a number or null    */
  uint32_t line;    /* from 1                                              */
  uint32_t weight;  /* nodes from here down, aliases counted each time     */
  size_t count;     /* items, or bytes of the scalar                       */
  const char *file; /* as given to ash_yaml_parse                          */
  const char *text; /* scalars: NUL-ended, no NUL inside; "" otherwise     */
  ash_yaml_item *first;
};

/* An empty text gives a null scalar. The text is not kept. */
ash_status ash_yaml_parse(ash_ctx *ctx, const ash_yaml **out, ash_zone *zone,
                          const char *text, size_t count, const char *file);

ash_loc ash_yaml_loc(const ash_yaml *node);
ash_loc ash_yaml_item_loc(const ash_yaml *parent, const ash_yaml_item *item);

/* Empty, null or ~ without quotes. */
bool ash_yaml_is_null(const ash_yaml *node);

/* NULL when `map` is no map or has no such key. */
const ash_yaml *ash_yaml_get(const ash_yaml *map, const char *key);
/* The same, but absence is an error; `what` names the map. */
ash_status ash_yaml_need(ash_ctx *ctx, const ash_yaml **out,
                         const ash_yaml *map, const char *key,
                         const char *what);
/* Every key must be one of `known`; the nearest is suggested. */
ash_status ash_yaml_check_keys(ash_ctx *ctx, const ash_yaml *map,
                               const char *const *known, size_t count,
                               const char *what);

ash_status ash_yaml_want_map(ash_ctx *ctx, const ash_yaml *node,
                             const char *what);
ash_status ash_yaml_want_list(ash_ctx *ctx, const ash_yaml *node,
                              const char *what);

/* Scalars. Any scalar but null is text; numbers and booleans must not be
 * quoted. Texts live as long as the tree. */
ash_status ash_yaml_string(ash_ctx *ctx, const char **out, const ash_yaml *node,
                           const char *what);
ash_status ash_yaml_u64(ash_ctx *ctx, uint64_t *out, const ash_yaml *node,
                        const char *what);
ash_status ash_yaml_i64(ash_ctx *ctx, int64_t *out, const ash_yaml *node,
                        const char *what);
/* The value of a key that a file must have. */
ash_status ash_yaml_need_string(ash_ctx *ctx, const char **out,
                                const ash_yaml *map, const char *key);
ash_status ash_yaml_need_u64(ash_ctx *ctx, uint64_t *out, const ash_yaml *map,
                             const char *key);
ash_status ash_yaml_need_list(ash_ctx *ctx, const ash_yaml **out,
                              const ash_yaml *map, const char *key);
/* With a limit of its own: values above `max` are refused. */
ash_status ash_yaml_u32(ash_ctx *ctx, uint32_t *out, const ash_yaml *node,
                        const char *what, uint32_t max);
ash_status ash_yaml_double(ash_ctx *ctx, double *out, const ash_yaml *node,
                           const char *what);
ash_status ash_yaml_bool(ash_ctx *ctx, bool *out, const ash_yaml *node,
                         const char *what);

#endif
