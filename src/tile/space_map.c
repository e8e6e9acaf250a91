/* space_map.c - element by element: every dimension of the output is an axis,
 * inputs follow it where they are not broadcast. */
#include "tile/space.h"

#include "kernel/kernel.h"

/* Lowered operators of one value have a table behind it, which stays whole. */
static uint32_t operands_of(const ash_op *op) {
  switch (op->kind) {
  case ASH_OP_map:
  case ASH_OP_select:
  case ASH_OP_select_v2:
    return op->input_count;
  default:
    return ash_op_info_of(op->kind)->inputs_min;
  }
}

const char *ash_space_map(ash_space_build *b) {
  ash_tile_operand *out = ash_space_out(b, 0);
  const ash_shape *shape = ash_space_shape(b, out);
  for (uint32_t d = 0; d < shape->rank; d++)
    ash_space_follow(out, d,
                     ash_space_axis(b, ash_space_name(d), shape->dim[d]));
  for (uint32_t k = 0; k < operands_of(b->op); k++) {
    ash_tile_operand *in = ash_space_in(b, k);
    const uint32_t missing = in ? shape->rank - in->rank : 0;
    for (uint32_t d = 0; in && d < in->rank; d++)
      if (ash_space_shape(b, in)->dim[d] == shape->dim[d + missing])
        ash_space_follow(in, d, d + missing);
  }
  if (shape->rank)
    ash_space_likes(b, shape->rank - 1, 4, 1);
  return NULL;
}
