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

ash_status ash_op_shape_fixed_rfft(const ash_rule *r) {
  const ash_tensor *in = ash_op_in(r->g, r->op, 0);
  int64_t n;
  ASH_TRY(ash_rule_type(r, r->op->inputs[0], ASH_T(INT16)));
  ASH_TRY(ash_rule_type(r, r->op->outputs[0], ASH_T(INT16)));
  ASH_TRY(ash_rule_rank(r, r->op->inputs[0], 1, ASH_RANK_MAX));
  ASH_TRY(ash_rule_int(r, "length", 0, 1, &n));
  if (n < 8 || n > 1 << 15 || !is_length(n))
    return ASH_RULE_FAIL(r, ASH_UNSUPPORTED, attr, r->op->inputs[0],
                         "the length of a transform of integers must be a "
                         "power of two from 8 to 32768, not %" PRId64,
                         n);
  if (in->shape.dim[in->shape.rank - 1] > n)
    return ASH_RULE_FAIL(r, ASH_MALFORMED, attr, r->op->inputs[0],
                         "a row has %" PRId32 " samples, the transform takes "
                         "%" PRId64,
                         in->shape.dim[in->shape.rank - 1], n);
  *r->out = in->shape;
  r->out->dim[in->shape.rank - 1] = (int32_t)n + 2;
  return ASH_OK;
}

/* Entry i of input k, a constant. */
static int64_t entry(const ash_rule *r, uint32_t k, int32_t i) {
  return ash_tensor_int(ash_op_in(r->g, r->op, k), (uint64_t)i);
}

/* Every channel reads inside frequencies and weights. */
static ash_status check_channels(const ash_rule *r, int32_t count,
                                 int32_t weights) {
  const int32_t frequencies = ash_op_in(r->g, r->op, 0)->shape.dim[0];
  for (int32_t i = 0; i < count; i++) {
    const int64_t width = entry(r, 5, i);
    if (width < 0 || entry(r, 3, i) < 0 || entry(r, 4, i) < 0 ||
        entry(r, 3, i) + width > frequencies ||
        entry(r, 4, i) + width > weights)
      return ASH_RULE_FAIL(r, ASH_MALFORMED, attr, r->op->inputs[3],
                           "channel %" PRId32
                           " of the filter bank lies outside "
                           "its %" PRId32 " frequencies or %" PRId32 " weights",
                           i, frequencies, weights);
  }
  return ASH_OK;
}

ash_status ash_op_shape_filter_bank(const ash_rule *r) {
  static const char *const roles[] = {"energies", "weights",       "unweights",
                                      "starts",   "weight starts", "widths"};
  const ash_tensor *of[6];
  for (uint32_t k = 0; k < 6; k++) {
    if (k == 0)
      ASH_TRY(ash_rule_input(r, k, roles[k], &of[k]));
    else
      ASH_TRY(ash_rule_constant(r, k, roles[k], ASH_T(INT16), &of[k]));
    ASH_TRY(ash_rule_rank(r, r->op->inputs[k], 1, 1));
  }
  ASH_TRY(ash_rule_type(r, r->op->inputs[0], ASH_T(UINT32)));
  ASH_TRY(ash_rule_type(r, r->op->outputs[0], ASH_T(UINT64)));
  const int32_t count = of[3]->shape.dim[0], weights = of[1]->shape.dim[0];
  if (count < 2 || of[4]->shape.dim[0] != count ||
      of[5]->shape.dim[0] != count || of[2]->shape.dim[0] != weights)
    return ASH_RULE_FAIL(r, ASH_MALFORMED, attr, r->op->inputs[3],
                         "starts and widths must be one more than channels, "
                         "weights as many as unweights");
  ASH_TRY(check_channels(r, count, weights));
  *r->out = (ash_shape){1, {count - 1}};
  return ASH_OK;
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
