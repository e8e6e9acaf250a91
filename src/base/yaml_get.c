/* yaml_get.c - values out of a tree, or an error that says where and why. */
#include "base/nearest.h"
#include "base/number.h"
#include "base/yaml.h"

#include <inttypes.h>
#include <string.h>

ash_loc ash_yaml_loc(const ash_yaml *node) {
  ash_loc loc = ASH_NOWHERE;
  loc.file = node->file;
  loc.line = node->line;
  return loc;
}

ash_loc ash_yaml_item_loc(const ash_yaml *parent, const ash_yaml_item *item) {
  ash_loc loc = ash_yaml_loc(parent);
  loc.line = item->line;
  return loc;
}

bool ash_yaml_is_null(const ash_yaml *node) {
  return node->kind == ASH_YAML_SCALAR && !node->quoted &&
         (node->count == 0 || strcmp(node->text, "~") == 0 ||
          strcmp(node->text, "null") == 0);
}

const ash_yaml *ash_yaml_get(const ash_yaml *map, const char *key) {
  if (map->kind != ASH_YAML_MAP)
    return NULL;
  for (const ash_yaml_item *i = map->first; i; i = i->next)
    if (strcmp(i->key, key) == 0)
      return i->node;
  return NULL;
}

ash_status ash_yaml_need(ash_ctx *ctx, const ash_yaml **out,
                         const ash_yaml *map, const char *key,
                         const char *what) {
  *out = ash_yaml_get(map, key);
  if (*out)
    return ASH_OK;
  return ash_fail(ctx, ASH_MALFORMED, ASH_D_yaml_missing, ash_yaml_loc(map),
                  "%s lacks the key '%s'", what, key);
}

ash_status ash_yaml_check_keys(ash_ctx *ctx, const ash_yaml *map,
                               const char *const *known, size_t count,
                               const char *what) {
  ASH_TRY(ash_yaml_want_map(ctx, map, what));
  for (const ash_yaml_item *i = map->first; i; i = i->next) {
    if (ash_name_find(known, sizeof *known, count, i->key) < count)
      continue;
    const ash_status status =
        ash_fail(ctx, ASH_MALFORMED, ASH_D_yaml_unknown_key,
                 ash_yaml_item_loc(map, i), "%s has no key '%s'", what, i->key);
    const char *near = ash_nearest_of(i->key, known, count);
    if (near)
      ash_hint(ctx, "did you mean '%s'?", near);
    return status;
  }
  return ASH_OK;
}

/* How a message shows what was found instead. */
static ash_status fail_kind(ash_ctx *ctx, const ash_yaml *node,
                            const char *what, const char *wanted) {
  if (node->kind == ASH_YAML_LIST)
    return ash_fail(ctx, ASH_MALFORMED, ASH_D_yaml_kind, ash_yaml_loc(node),
                    "%s must be %s, not a list", what, wanted);
  if (node->kind == ASH_YAML_MAP)
    return ash_fail(ctx, ASH_MALFORMED, ASH_D_yaml_kind, ash_yaml_loc(node),
                    "%s must be %s, not a map", what, wanted);
  if (ash_yaml_is_null(node))
    return ash_fail(ctx, ASH_MALFORMED, ASH_D_yaml_kind, ash_yaml_loc(node),
                    "%s must be %s, but is empty", what, wanted);
  return ash_fail(ctx, ASH_MALFORMED, ASH_D_yaml_kind, ash_yaml_loc(node),
                  "%s must be %s, not %s%.60s%s", what, wanted,
                  node->quoted ? "the text \"" : "'", node->text,
                  node->quoted ? "\"" : "'");
}

ash_status ash_yaml_want_map(ash_ctx *ctx, const ash_yaml *node,
                             const char *what) {
  return node->kind == ASH_YAML_MAP ? ASH_OK
                                    : fail_kind(ctx, node, what, "a map");
}

ash_status ash_yaml_want_list(ash_ctx *ctx, const ash_yaml *node,
                              const char *what) {
  return node->kind == ASH_YAML_LIST ? ASH_OK
                                     : fail_kind(ctx, node, what, "a list");
}

ash_status ash_yaml_string(ash_ctx *ctx, const char **out, const ash_yaml *node,
                           const char *what) {
  *out = NULL;
  if (node->kind != ASH_YAML_SCALAR || ash_yaml_is_null(node))
    return fail_kind(ctx, node, what, "a text");
  *out = node->text;
  return ASH_OK;
}

ash_status ash_yaml_need_string(ash_ctx *ctx, const char **out,
                                const ash_yaml *map, const char *key) {
  const ash_yaml *node;
  ASH_TRY(ash_yaml_need(ctx, &node, map, key, "the file"));
  return ash_yaml_string(ctx, out, node, key);
}

ash_status ash_yaml_need_u64(ash_ctx *ctx, uint64_t *out, const ash_yaml *map,
                             const char *key) {
  const ash_yaml *node;
  ASH_TRY(ash_yaml_need(ctx, &node, map, key, "the file"));
  return ash_yaml_u64(ctx, out, node, key);
}

ash_status ash_yaml_need_list(ash_ctx *ctx, const ash_yaml **out,
                              const ash_yaml *map, const char *key) {
  ASH_TRY(ash_yaml_need(ctx, out, map, key, "the file"));
  return ash_yaml_want_list(ctx, *out, key);
}

static bool is_plain(const ash_yaml *node) {
  return node->kind == ASH_YAML_SCALAR && !node->quoted;
}

ash_status ash_yaml_u64(ash_ctx *ctx, uint64_t *out, const ash_yaml *node,
                        const char *what) {
  const char *end;
  *out = 0;
  if (!is_plain(node) || !ash_number_u64(out, node->text, &end) || *end) {
    *out = 0;
    return fail_kind(ctx, node, what, "an integer, 0 or more");
  }
  return ASH_OK;
}

ash_status ash_yaml_i64(ash_ctx *ctx, int64_t *out, const ash_yaml *node,
                        const char *what) {
  *out = 0;
  if (!is_plain(node) || !ash_number_i64(out, node->text))
    return fail_kind(ctx, node, what, "an integer");
  return ASH_OK;
}

ash_status ash_yaml_u32(ash_ctx *ctx, uint32_t *out, const ash_yaml *node,
                        const char *what, uint32_t max) {
  uint64_t value;
  *out = 0;
  ASH_TRY(ash_yaml_u64(ctx, &value, node, what));
  if (value > max)
    return ash_fail(ctx, ASH_MALFORMED, ASH_D_yaml_range, ash_yaml_loc(node),
                    "%s is %" PRIu64 ", but at most %" PRIu32 " is allowed",
                    what, value, max);
  *out = (uint32_t)value;
  return ASH_OK;
}

ash_status ash_yaml_double(ash_ctx *ctx, double *out, const ash_yaml *node,
                           const char *what) {
  *out = 0;
  if (!is_plain(node) || !ash_number_double(out, node->text))
    return fail_kind(ctx, node, what, "a number");
  return ASH_OK;
}

ash_status ash_yaml_bool(ash_ctx *ctx, bool *out, const ash_yaml *node,
                         const char *what) {
  const bool yes = is_plain(node) && strcmp(node->text, "true") == 0;
  *out = yes;
  if (yes || (is_plain(node) && strcmp(node->text, "false") == 0))
    return ASH_OK;
  return fail_kind(ctx, node, what, "true or false");
}
