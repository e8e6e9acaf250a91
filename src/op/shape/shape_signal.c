/* shape_signal.c - Fourier transforms, and operators that only their user
 * knows. */
#include "op/functions.h"
#include "op/shape/shape_rule.h"

#include <inttypes.h>
#include <string.h>

/* A power of two that tables and work memory can bear. */
static bool is_length(int64_t n) {
  return n > 0 && n <= 1 << 20 && (n & (n - 1)) == 0;
}

ash_status ash_op_shape_rfft2d(const ash_rule *r) {
  const ash_tensor *in = ash_op_in(r->g, r->op, 0);
  const int64_t h = ash_op_ints(r->op, "length", 0, 0);
  const int64_t w = ash_op_ints(r->op, "length", 1, 0);
  ASH_TRY(ash_rule_type(r, r->op->outputs[0], ASH_T(COMPLEX64)));
  ASH_TRY(ash_rule_rank(r, r->op->inputs[0], 2, ASH_RANK_MAX));
  if (!is_length(h) || !is_length(w))
    return ASH_RULE_FAIL(r, ASH_UNSUPPORTED, attr, r->op->inputs[0],
                         "the lengths of a transform must be two powers of "
                         "two");
  *r->out = in->shape;
  r->out->dim[in->shape.rank - 2] = (int32_t)h;
  r->out->dim[in->shape.rank - 1] = (int32_t)w / 2 + 1;
  return ASH_OK;
}

ash_status ash_op_shape_complex(const ash_rule *r) {
  ASH_TRY(ash_rule_type(r, r->op->outputs[0], ASH_T(FLOAT32)));
  return ash_op_shape_same(r);
}

/* A name that can be part of a C function's. */
ash_status ash_op_shape_custom(const ash_rule *r) {
  const char *name = ash_attr_string(r->op, "name", "");
  if (name[0] == '\0' || strlen(name) > 200)
    return ASH_RULE_FAIL(r, ASH_MALFORMED, attr, ASH_NO_ID,
                         "a custom operator needs a name of up to 200 letters");
  for (uint32_t k = 0; k < r->op->output_count; k++)
    r->out[k] = ash_op_out(r->g, r->op, k)->shape;
  return ASH_OK;
}
