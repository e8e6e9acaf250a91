/* space_map.c - element by element: every dimension of the output is an axis,
 * inputs follow it where they are not broadcast. */
#include "tile/rule/space.h"

#include "kernel/kernel.h"

static const char *map_operands(ash_space_build *b, uint32_t count) {
  ash_tile_operand *out = ash_space_out(b, 0);
  const ash_shape *shape = ash_space_shape(b, out);
  for (uint32_t d = 0; d < shape->rank; d++)
    ash_space_follow(out, d,
                     ash_space_axis(b, ash_space_name(d), shape->dim[d]));
  for (uint32_t k = 0; k < count; k++) {
    ash_tile_operand *in = ash_space_in(b, k);
    const uint32_t missing = in ? shape->rank - in->rank : 0;
    for (uint32_t d = 0; in && d < in->rank; d++) /* unread ones are absent */
      if (ash_space_shape(b, in)->dim[d] == shape->dim[d + missing])
        ash_space_follow(in, d, d + missing);
  }
  if (shape->rank)
    ash_space_likes(b, shape->rank - 1, 4, 1);
  return NULL;
}

/* Functions of one value may have a table after it, which stays whole. */
const char *ash_space_map(ash_space_build *b) {
  return map_operands(b, ash_kind_info(b->op->kind)->inputs_min);
}

const char *ash_space_map_all(ash_space_build *b) {
  return map_operands(b, b->op->input_count);
}

const char *ash_space_lookup(ash_space_build *b) {
  return map_operands(b, 1);
}

/* The condition may have one value for each element of the first axis. */
const char *ash_space_select(ash_space_build *b) {
  const ash_tile_operand *out = ash_space_out(b, 0);
  ash_tile_operand *condition = ash_space_in(b, 0);
  const char *why = ash_space_map(b);
  if (condition->rank == 1 && out->rank > 1)
    ash_space_follow(condition, 0, 0);
  return why;
}
