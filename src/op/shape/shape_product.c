/* shape_product.c - rules of matmul, conv_nd and pool_nd. */
#include "op/functions.h"
#include "op/shape/shape_rule.h"
#include "op/sums.h"

#include <string.h>

static ash_status bad(const ash_rule *r, const char *what) {
  return ASH_RULE_FAIL(r, ASH_MALFORMED, attr, ASH_NO_ID, "%s", what);
}

/* One type, or integers of any width: products are cut to the result's. */
static ash_status check_types(const ash_rule *r, uint32_t count) {
  if (!(ASH_T_INTEGER >> ash_op_in(r->g, r->op, 0)->type & 1))
    return ash_rule_one_type(r, count);
  for (uint32_t k = 1; k < count; k++)
    if (ash_op_in(r->g, r->op, k))
      ASH_TRY(ash_rule_type(r, r->op->inputs[k], ASH_T_INTEGER));
  return ash_rule_type(r, r->op->outputs[0], ASH_T_INTEGER);
}

/* ---- matmul -------------------------------------------------------------- */

/* int8, or int16 by int16 or int8, then with one scale or one per column of the
 * result. */
static ash_status check_quantised(const ash_rule *r, bool transposed) {
  const ash_tensor *b = ash_op_in(r->g, r->op, 1);
  const bool wide = ash_op_in(r->g, r->op, 0)->type == ASH_INT16;
  const bool many = wide && b->quant.count > 1;
  ASH_TRY(ash_rule_type(r, r->op->inputs[0], ASH_T(INT8) | ASH_T(INT16)));
  ASH_TRY(ash_rule_one_type(r, 1));
  ASH_TRY(ash_rule_type(r, r->op->inputs[1],
                        ASH_T(INT8) | (wide ? ASH_T(INT16) : 0)));
  ASH_TRY(ash_rule_quants(r, many ? 1 : 2));
  if (!many)
    return ASH_OK;
  const int32_t columns = (int32_t)b->shape.rank - (transposed ? 2 : 1);
  return ash_rule_weights(r, 1, columns, false);
}

/* Quantised, or of what is stored. */
static ash_status check_matrices(const ash_rule *r, int32_t columns,
                                 bool transposed) {
  const ash_tensor *a = ash_op_in(r->g, r->op, 0);
  const ash_tensor *b = ash_op_in(r->g, r->op, 1);
  if (ash_op_is_integer_layer(r->g, r->op) &&
      (ash_rule_finishes(r) || r->op->input_count > 2))
    return ash_rule_integer_layer(r, columns);
  ASH_TRY(ash_rule_unfinished(r));
  const bool narrow = (ASH_T_QUANT >> a->type & 1) != 0;
  if (narrow && (a->quant.count || b->quant.count))
    return check_quantised(r, transposed);
  if (r->op->input_count > 2)
    return bad(r, "only integers without scales take a bias or factors");
  return check_types(r, 2);
}

ash_status ash_op_shape_matmul(const ash_rule *r) {
  char left[ASH_SHAPE_TEXT], right[ASH_SHAPE_TEXT];
  const ash_tensor *second;
  ASH_TRY(ash_rule_input(r, 1, "matrix", &second));
  ASH_TRY(ash_rule_rank(r, r->op->inputs[0], 2, ASH_RANK_MAX));
  ASH_TRY(ash_rule_rank(r, r->op->inputs[1], 2, ASH_RANK_MAX));
  ash_shape a = ash_op_in(r->g, r->op, 0)->shape, b = second->shape;
  const bool ta = ash_attr_int(r->op, "transpose_a", 0) != 0;
  const bool tb = ash_attr_int(r->op, "transpose_b", 0) != 0;
  const int32_t m = a.dim[a.rank - (ta ? 1 : 2)];
  const int32_t n = b.dim[b.rank - (tb ? 2 : 1)];
  ASH_TRY(check_matrices(r, n, tb));
  if (a.dim[a.rank - (ta ? 2 : 1)] != b.dim[b.rank - (tb ? 1 : 2)])
    return ASH_RULE_FAIL(r, ASH_MALFORMED, channels, r->op->inputs[1],
                         "matrices of shapes %s and %s cannot be multiplied",
                         ash_shape_text(left, &a), ash_shape_text(right, &b));
  a.rank -= 2;
  b.rank -= 2;
  ASH_TRY(ash_rule_broadcast(r, &a, &b, r->out));
  r->out->dim[r->out->rank++] = m;
  r->out->dim[r->out->rank++] = n;
  return ASH_OK;
}

/* ---- windows ------------------------------------------------------------- */

/* One spatial axis: how many windows fit. */
static ash_status count(const ash_rule *r, uint32_t axis, uint32_t axes,
                        int64_t size, int64_t filter, int32_t *out) {
  const int64_t stride = ash_op_ints(r->op, "stride", axis, 1);
  const int64_t dilation = ash_op_ints(r->op, "dilation", axis, 1);
  const int64_t before = ash_op_ints(r->op, "pad", axis, 0);
  const int64_t after = ash_op_ints(r->op, "pad", axis + axes, 0);
  if (stride < 1 || dilation < 1 || before < 0 || after < 0 || filter < 1 ||
      stride > INT32_MAX || dilation > INT32_MAX || before > INT32_MAX ||
      after > INT32_MAX || filter > INT32_MAX)
    return bad(r, "a stride, dilation, padding or filter is out of range");
  const int64_t room = size + before + after - (filter - 1) * dilation - 1;
  if (room < 0 || room / stride + 1 > INT32_MAX)
    return bad(r, "the window does not fit the padded input");
  *out = (int32_t)(room / stride + 1);
  return ASH_OK;
}

ash_status ash_op_shape_conv_nd(const ash_rule *r) {
  const ash_shape *in = &ash_op_in(r->g, r->op, 0)->shape;
  const ash_tensor *filter;
  int64_t groups;
  ASH_TRY(ash_rule_input(r, 1, "weights", &filter));
  ASH_TRY(check_types(r, r->op->input_count > 2 ? 3 : 2));
  ASH_TRY(ash_rule_rank(r, r->op->inputs[0], 3, ASH_RANK_MAX));
  ASH_TRY(ash_rule_rank(r, r->op->inputs[1], in->rank, in->rank));
  ASH_TRY(ash_rule_int(r, "groups", 1, 1, &groups));
  const ash_shape *w = &filter->shape;
  if (in->dim[1] != w->dim[1] * groups || w->dim[0] % groups != 0)
    return bad(r, "channels, groups and weights do not agree");
  const ash_tensor *bias = ash_op_in(r->g, r->op, 2);
  if (bias && ash_shape_elements(&bias->shape) != (uint64_t)w->dim[0])
    return bad(r, "the bias needs one value an output channel");
  *r->out = (ash_shape){in->rank, {in->dim[0], w->dim[0]}};
  for (uint32_t i = 2; i < in->rank; i++)
    ASH_TRY(
        count(r, i - 2, in->rank - 2, in->dim[i], w->dim[i], &r->out->dim[i]));
  return ASH_OK;
}

/* `size` may give one window more than fits: the last one is cut. */
ash_status ash_op_shape_pool_nd(const ash_rule *r) {
  const ash_shape *in = &ash_op_in(r->g, r->op, 0)->shape;
  const char *fn = ash_attr_string(r->op, "fn", "");
  ASH_TRY(ash_rule_one_type(r, 1));
  ASH_TRY(ash_rule_rank(r, r->op->inputs[0], 3, ASH_RANK_MAX));
  if (strcmp(fn, "max") != 0 && strcmp(fn, "mean") != 0)
    return bad(r, "pools are max or mean");
  *r->out = *in;
  for (uint32_t i = 2; i < in->rank; i++) {
    int32_t fit;
    ASH_TRY(count(r, i - 2, in->rank - 2, in->dim[i],
                  ash_op_ints(r->op, "kernel", i - 2, 1), &fit));
    const int64_t size = ash_op_ints(r->op, "size", i - 2, fit);
    const int64_t stride = ash_op_ints(r->op, "stride", i - 2, 1);
    const int64_t before = ash_op_ints(r->op, "pad", i - 2, 0);
    if (size < 1 || size > (int64_t)fit + 1 ||
        (size - 1) * stride - before >= in->dim[i])
      return bad(r, "the output's size does not fit the windows");
    r->out->dim[i] = (int32_t)size;
  }
  return ASH_OK;
}
