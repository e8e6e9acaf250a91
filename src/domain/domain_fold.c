/* domain_fold.c - axes folded away. Dimensions that stay are free; folded ones
 * may be cut, with an accumulator. Of floats only the outermost: pieces then
 * meet the elements in the same order as the whole, so that they come out
 * alike. */
#include "domain/domain.h"

#include "op/functions.h"
#include "op/sums.h"

static bool needs_order(const ash_domain_build *b) {
  const ash_accumulator a = ash_op_accumulator(b->g, b->op);
  return a == ASH_ACCUMULATOR_F32 || a == ASH_ACCUMULATOR_F64;
}

const char *ash_domain_fold(ash_domain_build *b) {
  ash_tile_operand *in = ash_domain_in(b, 0), *out = ash_domain_out(b, 0);
  const ash_shape *s = ash_domain_shape(b, in);
  const uint32_t folded = ash_op_folded(b->op, s->rank);
  const bool keeps = ash_attr_int(b->op, "keep_dims", 0) != 0;
  bool summed = false;
  uint32_t to = 0;
  for (uint32_t d = 0; d < s->rank; d++) {
    if (!(folded >> d & 1)) {
      const uint32_t axis = ash_domain_axis(b, ash_domain_name(d), s->dim[d]);
      ash_domain_follow(in, d, axis);
      ash_domain_follow(out, to++, axis);
      continue;
    }
    to += keeps;
    if (!summed && s->dim[d] > 1) {
      ash_domain_follow(in, d,
                        ash_domain_sum(b, ash_domain_name(d), s->dim[d]));
      summed = needs_order(b);
    }
  }
  return NULL;
}
