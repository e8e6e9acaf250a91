/* domain.h - how the rules of operators (domain_*.c) make their spaces, and how
 * a piece changes the operator's attributes. The types of spaces are public
 * (ashlar/tile.h).
 *
 * A rule starts with every operand whole: all inputs that the kernel reads,
 * then the outputs. It adds axes and says which dimensions follow them; what it
 * does not mention stays whole (tables, for instance). Axes of one position
 * that no operand needs are dropped at the end. */
#ifndef ASH_DOMAIN_DOMAIN_H
#define ASH_DOMAIN_DOMAIN_H

#include "ashlar/tile.h"
#include "graph/graph.h"

typedef struct ash_domain_build {
  const ash_graph *g;
  const ash_op *op;
  ash_tile_space *space;
  ash_tile_operand *operands;
  bool is_for_rows; /* see ash_domain_row_space_of */
} ash_domain_build;

/* NULL, or why the operator has no space. */
typedef const char *ash_domain_rule(ash_domain_build *b);

/* As ash_tile_space_of, also where weights are packed for a processor: its
 * kernels make lines, but not any piece. The operands are those of the portable
 * kernel. */
ash_status ash_domain_space_of(ash_ctx *ctx, const ash_tile_space **out,
                               const char **why, const ash_graph *g,
                               uint32_t op);
/* The same for rows.h, whose pieces are single rows of results: a row may have
 * nothing of an operand, and what it takes lies in a whole row. */
ash_status ash_domain_row_space_of(ash_ctx *ctx, const ash_tile_space **out,
                                   const char **why, const ash_graph *g,
                                   uint32_t op);

/* Input k of the op, NULL if it is absent or not read; output k. */
ash_tile_operand *ash_domain_in(const ash_domain_build *b, uint32_t k);
ash_tile_operand *ash_domain_out(const ash_domain_build *b, uint32_t k);
const ash_shape *ash_domain_shape(const ash_domain_build *b,
                                  const ash_tile_operand *o);

/* Adds an axis. */
uint32_t ash_domain_axis(ash_domain_build *b, const char *name, int64_t extent);
/* An axis that is summed away; ASH_NO_AXIS where sums have no accumulator. */
uint32_t ash_domain_sum(ash_domain_build *b, const char *name, int64_t extent);
/* "d0" .. "d7" */
const char *ash_domain_name(uint32_t dim);

/* Dimension `dim` of an operand follows the axis, position by position; with a
 * step and an offset; NULL operands are passed over. A dimension of one
 * element that is broadcast stays whole. */
void ash_domain_follow(ash_tile_operand *o, uint32_t dim, uint32_t axis);
void ash_domain_slide(ash_tile_operand *o, uint32_t dim, uint32_t axis,
                      int64_t stride, int64_t window, int64_t before);
/* The only dimension of a table follows the axis if the table has an entry for
 * each of its positions. */
void ash_domain_table(const ash_domain_build *b, uint32_t input, uint32_t axis);
/* Dimensions from..to - 1, as one index, follow the axis: the outermost long
 * one does, the others stay whole and become the axis' granule. */
void ash_domain_flat(ash_domain_build *b, ash_tile_operand *o, uint32_t from,
                     uint32_t to, uint32_t axis);
/* The smallest granule at which no piece is made of the first `before` or the
 * last `after` positions alone. */
int64_t ash_domain_granule(int64_t extent, int64_t before, int64_t after);
/* The kernel likes multiples of it (no more than fit the axis). */
void ash_domain_likes(ash_domain_build *b, uint32_t axis, int64_t multiple,
                      uint32_t priority);

/* The rules. */
#define OP(op, columns) columns
#define TILE(rule)      const char *ash_domain_##rule(ash_domain_build *b);
#include "op/ops.def"
#undef OP

/* ---- pieces -------------------------------------------------------------- */

enum { ASH_LOCAL_ATTRS = 12, ASH_LOCAL_INTS = 2 * ASH_RANK_MAX };

/* What a piece changes in the operator besides the shapes of its tensors. */
typedef struct ash_domain_local {
  const ash_graph *g;
  const ash_op *op;
  const ash_tile_space *space;
  const int64_t *at, *n;
  ash_op_kind kind; /* of the piece: the operator's, if no rule says other */
  uint32_t attr_count;
  struct {
    const char *name;
    bool is_list;
    uint32_t count;
    int64_t values[ASH_LOCAL_INTS];
  } attrs[ASH_LOCAL_ATTRS];
} ash_domain_local;

typedef void ash_local_rule(ash_domain_local *l);

/* The box of input or output k, which must be an operand. */
ash_box ash_local_in(const ash_domain_local *l, uint32_t k);
ash_box ash_local_out(const ash_domain_local *l, uint32_t k);
void ash_local_int(ash_domain_local *l, const char *name, int64_t value);
void ash_local_ints(ash_domain_local *l, const char *name,
                    const int64_t *values, uint32_t count);
/* The piece is another operator, which reads input 0 alone and has the
 * attributes that the rule gives. */
void ash_local_kind(ash_domain_local *l, ash_op_kind kind);
/* Padding that is left before and behind dimension `dim` of input 0. */
void ash_local_pads(const ash_domain_local *l, uint32_t dim, int64_t *before,
                    int64_t *after);

#define OP(op, columns) columns
#define LOCAL(rule)     void ash_local_##rule(ash_domain_local *l);
#include "op/ops.def"
#undef OP

/* The rules of an operator; false if it has none. */
bool ash_domain_rules_of(ash_op_kind kind, ash_domain_rule **space,
                         ash_local_rule **local);

#endif
