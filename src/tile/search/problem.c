/* problem.c - when two problems are the same. */
#include "tile/search/problem.h"

#include "graph/graph.h"

#include <string.h>

static bool same_axis(const ash_tile_axis *a, const ash_tile_axis *b) {
  return a->extent == b->extent && a->kind == b->kind &&
         a->granule == b->granule && a->multiple == b->multiple;
}

static bool same_dim(const ash_tile_dim *a, const ash_tile_dim *b) {
  return a->axis == b->axis && a->stride == b->stride &&
         a->window == b->window && a->before == b->before &&
         a->divide == b->divide;
}

static bool same_operand(const ash_tile_problem *x, const ash_tile_problem *y,
                         uint32_t o) {
  ASH_ASSERT(o < x->space->operand_count && o < y->space->operand_count);
  const ash_tile_operand *a = &x->space->operands[o];
  const ash_tile_operand *b = &y->space->operands[o];
  const ash_tensor *s = &x->g->tensors.items[a->tensor];
  const ash_tensor *t = &y->g->tensors.items[b->tensor];
  if (a->is_output != b->is_output || a->rank != b->rank ||
      s->type != t->type || !ash_shape_equal(&s->shape, &t->shape))
    return false;
  for (uint32_t d = 0; d < a->rank; d++)
    if (!same_dim(&a->dim[d], &b->dim[d]))
      return false;
  return true;
}

/* Work memory is a matter of the operator, so that must be the same too. */
static bool same_space(const ash_tile_problem *x, const ash_tile_problem *y) {
  const ash_tile_space *a = x->space, *b = y->space;
  if (x->g->ops.items[a->op].kind != y->g->ops.items[b->op].kind ||
      a->axis_count != b->axis_count || a->operand_count != b->operand_count ||
      a->accumulator_bytes != b->accumulator_bytes || a->work != b->work)
    return false;
  for (uint32_t i = 0; i < a->axis_count; i++)
    if (!same_axis(&a->axes[i], &b->axes[i]))
      return false;
  for (uint32_t i = 0; i < a->operand_count; i++)
    if (!same_operand(x, y, i))
      return false;
  return true;
}

static bool same_hop(const ash_tile_hop *a, const ash_tile_hop *b) {
  return a->memory == b->memory && a->room == b->room &&
         a->staged == b->staged && a->setup == b->setup &&
         a->bytes_per_kilocycle == b->bytes_per_kilocycle &&
         a->row_cycles == b->row_cycles && a->beat == b->beat &&
         a->overlaps == b->overlaps && a->rank == b->rank &&
         a->transfer_max == b->transfer_max && a->alignment == b->alignment;
}

bool ash_problem_same(const ash_tile_problem *a, const ash_tile_problem *b) {
  ASH_ASSERT(a->level_count <= ASH_TILE_LEVELS);
  if (a->level_count != b->level_count || a->buffering != b->buffering ||
      a->per_kilocycle != b->per_kilocycle || !same_space(a, b))
    return false;
  for (uint32_t k = 0; k < a->level_count; k++)
    if (!same_hop(&a->hops[k], &b->hops[k]) ||
        memcmp(a->wanted[k], b->wanted[k], sizeof a->wanted[k]) != 0)
      return false;
  return true;
}
