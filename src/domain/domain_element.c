/* domain_element.c - element by element: every dimension of the output is an
 * axis, but not a row, if rows are folded; inputs follow it where they are not
 * broadcast. */
#include "domain/domain.h"

#include "op/functions.h"

static const char *map_dims(ash_domain_build *b, uint32_t count,
                            uint32_t dims) {
  ash_tile_operand *out = ash_domain_out(b, 0);
  const ash_shape *shape = ash_domain_shape(b, out);
  for (uint32_t d = 0; d < dims; d++)
    ash_domain_follow(out, d,
                      ash_domain_axis(b, ash_domain_name(d), shape->dim[d]));
  for (uint32_t k = 0; k < count; k++) {
    ash_tile_operand *in = ash_domain_in(b, k);
    const uint32_t missing = in ? shape->rank - in->rank : 0;
    for (uint32_t d = 0; in && d < in->rank; d++) /* unread ones are absent */
      if (d + missing < dims &&
          ash_domain_shape(b, in)->dim[d] == shape->dim[d + missing])
        ash_domain_follow(in, d, d + missing);
  }
  if (shape->rank && dims == shape->rank)
    ash_domain_likes(b, shape->rank - 1, 4, 1);
  return NULL;
}

static const char *map_operands(ash_domain_build *b, uint32_t count) {
  return map_dims(b, count, ash_domain_shape(b, ash_domain_out(b, 0))->rank);
}

/* Rows stay whole. */
const char *ash_domain_row_chain(ash_domain_build *b) {
  return map_dims(b, b->op->input_count,
                  ash_domain_shape(b, ash_domain_out(b, 0))->rank - 1);
}

/* Functions of one value may have a table after it, which stays whole. */
const char *ash_domain_map(ash_domain_build *b) {
  return map_operands(b, ash_kind_info(b->op->kind)->inputs_min);
}

const char *ash_domain_map_all(ash_domain_build *b) {
  const bool chain = b->op->kind == ASH_OP_chain;
  return map_operands(b, chain ? b->op->input_count
                               : ash_fn_operands(ash_op_fn(b->op)));
}

const char *ash_domain_lookup(ash_domain_build *b) {
  return map_operands(b, 1);
}
