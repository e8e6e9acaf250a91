/* in_place.c - results over dying inputs, when both are cut. */
#include "ashlar/tile.h"

#include "base/assert.h"

static bool same_dim(const ash_tile_dim *a, const ash_tile_dim *b) {
  if (a->axis != b->axis)
    return false;
  return a->axis == ASH_NO_AXIS ||
         (a->stride == b->stride && a->window == b->window &&
          a->before == b->before && a->divide == b->divide);
}

static bool same_boxes(const ash_tile_operand *a, const ash_tile_operand *b) {
  if (a->rank != b->rank)
    return false;
  for (uint32_t d = 0; d < a->rank; d++)
    if (!same_dim(&a->dim[d], &b->dim[d]))
      return false;
  return true;
}

/* With several boxes of one tensor in flight, the one that is stored must not
 * be one that is still to be read: pieces that share nothing. */
static bool is_apart(const ash_tile_operand *o) {
  for (uint32_t d = 0; d < o->rank; d++)
    if (o->dim[d].axis != ASH_NO_AXIS &&
        (o->dim[d].stride != 1 || o->dim[d].window != 1 ||
         o->dim[d].divide != 1))
      return false;
  return true;
}

/* The same box of wider elements lies elsewhere. */
static bool same_places(const ash_graph *g, const ash_tiling *t,
                        const ash_tile_operand *a, const ash_tile_operand *b) {
  ASH_ASSERT(a->tensor != ASH_NO_ID && b->tensor != ASH_NO_ID);
  return t->cost.tiles == 1 ||
         ash_type_bits(ash_graph_tensor(g, a->tensor)->type) ==
             ash_type_bits(ash_graph_tensor(g, b->tensor)->type);
}

bool ash_tiling_in_place(const ash_graph *g, const ash_tiling *t,
                         uint32_t input) {
  if (!(g && t && t->space))
    return false;
  const ash_tile_space *space = t->space;
  const ash_tile_operand *in = NULL, *out = NULL;
  if (!space)
    return true;
  for (uint32_t i = 0; i < space->axis_count; i++)
    if (space->axes[i].kind == ASH_AXIS_SUM)
      return false;
  for (uint32_t i = 0; i < space->operand_count; i++) {
    const ash_tile_operand *o = &space->operands[i];
    if (o->is_output && o->position == 0)
      out = o;
    if (!o->is_output && o->position == input)
      in = o;
  }
  if (!in || !out || !same_boxes(in, out) || !is_apart(out) ||
      !same_places(g, t, in, out))
    return false;
  for (uint32_t i = 0; i < space->operand_count; i++)
    if (space->operands[i].tensor == in->tensor &&
        !same_boxes(&space->operands[i], out))
      return false;
  return true;
}
