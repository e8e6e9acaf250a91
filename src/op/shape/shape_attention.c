/* shape_attention.c - rule of attention: queries, keys and values that fit each
 * other, and masks that fit the scores. */
#include "op/shape/shape_rule.h"

#include <math.h>

static ash_status bad(const ash_rule *r, uint32_t k, const char *what) {
  return ASH_RULE_FAIL(r, ASH_MALFORMED, channels, r->op->inputs[k], "%s",
                       what);
}

/* Axes before the matrices: the same, one for all, or, of heads, each for a
 * group of neighbours. */
static ash_status check_batches(const ash_rule *r, const ash_shape *q,
                                const ash_shape *x, uint32_t k) {
  for (uint32_t d = 0; d + 2 < q->rank; d++) {
    const bool heads = d + 3 == q->rank;
    const int32_t n = x->dim[d];
    if (n != q->dim[d] && n != 1 && !(heads && n > 0 && q->dim[d] % n == 0))
      return bad(r, k, "heads or batches that do not fit the queries");
  }
  return ASH_OK;
}

static ash_status check_matrices(const ash_rule *r, const ash_shape *q,
                                 const ash_shape *k, const ash_shape *v) {
  const uint32_t last = q->rank - 1;
  const bool turned = ash_attr_int(r->op, "transpose_k", 0) != 0;
  const int32_t depth = k->dim[turned ? last - 1 : last];
  const int32_t keys = k->dim[turned ? last : last - 1];
  ASH_TRY(check_batches(r, q, k, 1));
  for (uint32_t d = 0; d + 2 < q->rank; d++)
    if (k->dim[d] != v->dim[d])
      return bad(r, 2, "another number of heads or batches than the keys");
  if (depth != q->dim[last])
    return bad(r, 1, "keys of another depth than the queries");
  if (keys != v->dim[last - 1] || keys < 1)
    return bad(r, 2, "a number of values that is not the number of keys");
  return ASH_OK;
}

/* Broadcast to the scores. */
static ash_status check_mask(const ash_rule *r, uint32_t k, ash_type type) {
  const ash_tensor *mask = ash_op_in(r->g, r->op, k);
  const ash_shape *q = &ash_op_in(r->g, r->op, 0)->shape;
  if (!mask)
    return ASH_OK;
  ASH_TRY(ash_rule_type(r, r->op->inputs[k], 1u << type));
  ASH_TRY(ash_rule_rank(r, r->op->inputs[k], 0, q->rank));
  const uint32_t missing = q->rank - mask->shape.rank;
  for (uint32_t d = 0; d < mask->shape.rank; d++) {
    const bool key = d + 1 == mask->shape.rank;
    const int32_t n = key ? ash_op_in(r->g, r->op, 2)->shape.dim[q->rank - 2]
                          : q->dim[d + missing];
    if (mask->shape.dim[d] != 1 && mask->shape.dim[d] != n)
      return bad(r, k, "a mask that does not fit the scores");
  }
  return ASH_OK;
}

static bool is_positive(const ash_op *op, const char *name) {
  const double x = ash_attr_float(op, name, 0);
  return x > 0 && isfinite((float)x) && (double)(float)x >= x &&
         (double)(float)x <= x;
}

/* int8: scores between two products have a scale and a zero point. */
static ash_status check_quantised(const ash_rule *r) {
  const int64_t zero = ash_attr_int(r->op, "score_zero", INT64_MAX);
  const double beta = ash_attr_float(r->op, "beta", 1.0);
  ASH_TRY(ash_rule_quants(r, 3));
  if (ash_op_in(r->g, r->op, 3) || ash_op_in(r->g, r->op, 4))
    return ASH_RULE_FAIL(r, ASH_UNSUPPORTED, attr, ASH_NO_ID,
                         "masks of int8 scores");
  if (!is_positive(r->op, "score_scale") || zero < -128 || zero > 127 ||
      fabs(ash_attr_float(r->op, "share_scale", 0) * 256 - 1) > 0.001)
    return ASH_RULE_FAIL(r, ASH_MALFORMED, quant, ASH_NO_ID,
                         "int8 scores need a scale and a zero point, and their "
                         "softmax a scale of 1/256");
  if (!(beta * ash_attr_float(r->op, "score_scale", 0) * 67108864.0 > 1.0))
    return ASH_RULE_FAIL(r, ASH_UNSUPPORTED, attr, ASH_NO_ID,
                         "beta times scale is not above 2^-26");
  return ASH_OK;
}

static ash_status check_table(const ash_rule *r) {
  const ash_tensor *table;
  if (r->op->input_count < 6)
    return ASH_OK;
  ASH_TRY(ash_rule_constant(r, 5, "exponentials", ASH_T(INT32), &table));
  if (table->shape.rank != 1 || table->shape.dim[0] != 256)
    return ASH_RULE_FAIL(r, ASH_MALFORMED, elements, r->op->inputs[5],
                         "a table of another number of entries than 256");
  return ASH_OK;
}

ash_status ash_op_shape_attention(const ash_rule *r) {
  const ash_tensor *q = ash_op_in(r->g, r->op, 0), *k, *v;
  ASH_TRY(ash_rule_input(r, 1, "keys", &k));
  ASH_TRY(ash_rule_input(r, 2, "values", &v));
  ASH_TRY(ash_rule_rank(r, r->op->inputs[0], 2, ASH_RANK_MAX));
  ASH_TRY(ash_rule_rank(r, r->op->inputs[1], q->shape.rank, q->shape.rank));
  ASH_TRY(ash_rule_rank(r, r->op->inputs[2], q->shape.rank, q->shape.rank));
  ASH_TRY(ash_rule_one_type(r, 3));
  ASH_TRY(check_matrices(r, &q->shape, &k->shape, &v->shape));
  ASH_TRY(check_mask(r, 3, ASH_FLOAT32));
  ASH_TRY(check_mask(r, 4, ASH_BOOL));
  ASH_TRY(check_table(r));
  if (q->type == ASH_INT8)
    ASH_TRY(check_quantised(r));
  *r->out = q->shape;
  r->out->dim[q->shape.rank - 1] = v->shape.dim[q->shape.rank - 1];
  return ASH_OK;
}
