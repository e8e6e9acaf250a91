/* shape_element.c - operators that work element by element, with or without
 * broadcasting, and softmax, which keeps its shape. */
#include "graph/shape_rule.h"

#include <inttypes.h>
#include <math.h>

ash_status ash_shape_same(const ash_rule *r) {
  *r->out = ash_op_in(r->g, r->op, 0)->shape;
  return ASH_OK;
}

ash_status ash_shape_activation(const ash_rule *r) {
  ASH_TRY(ash_rule_one_type(r, 1));
  ASH_TRY(ash_rule_quants(r, 1));
  return ash_shape_same(r);
}

/* The sum of two 8-bit values is made with 20 more bits; an output finer than
 * that has no meaning. */
static ash_status check_add_scale(const ash_rule *r) {
  const ash_tensor *a = ash_op_in(r->g, r->op, 0);
  const ash_tensor *b = ash_op_in(r->g, r->op, 1);
  const ash_tensor *y = ash_op_out(r->g, r->op, 0);
  if (r->op->kind != ASH_OP_add || !(ASH_T_QUANT >> y->type & 1))
    return ASH_OK;
  const double coarse = (double)fmaxf(a->quant.scale[0], b->quant.scale[0]);
  if (2 * coarse < 1048576.0 * (double)y->quant.scale[0])
    return ASH_OK;
  return ASH_RULE_FAIL(r, ASH_UNSUPPORTED, quant, r->op->outputs[0],
                       "the output's scale is more than 2^19 times smaller "
                       "than an input's");
}

ash_status ash_shape_binary(const ash_rule *r) {
  ASH_TRY(ash_rule_one_type(r, 2));
  ASH_TRY(ash_rule_quants(r, 2));
  ASH_TRY(check_add_scale(r));
  ASH_TRY(ash_rule_act(r));
  return ash_rule_broadcast(r, &ash_op_in(r->g, r->op, 0)->shape,
                            &ash_op_in(r->g, r->op, 1)->shape, r->out);
}

/* Results in 0..1 use the whole range of an 8-bit type: scale 1/256. */
static ash_status check_unit_output(const ash_rule *r, float tolerance) {
  const ash_tensor *t = ash_op_out(r->g, r->op, 0);
  if (t->type == ASH_FLOAT32 ||
      fabsf(t->quant.scale[0] - 1.0f / 256) <= tolerance)
    return ASH_OK;
  return ASH_RULE_FAIL(r, ASH_UNSUPPORTED, quant, r->op->outputs[0],
                       "the output of %s has another scale, expected 1/256",
                       ash_op_kind_text(r->op->kind));
}

ash_status ash_shape_logistic(const ash_rule *r) {
  ASH_TRY(ash_shape_activation(r));
  return check_unit_output(r, 0);
}

/* Softmax in fixed point also wants the smallest value to mean 0, and an
 * exponent that does not vanish. */
static ash_status check_softmax_quant(const ash_rule *r) {
  const ash_tensor *in = ash_op_in(r->g, r->op, 0);
  const ash_tensor *out = ash_op_out(r->g, r->op, 0);
  const double beta = ash_op_float(r->op, "beta", 1.0);
  if (out->type == ASH_FLOAT32)
    return ASH_OK;
  const int32_t zero = out->type == ASH_INT8 ? INT8_MIN : 0;
  if (out->quant.zero_point[0] != zero)
    return ASH_RULE_FAIL(r, ASH_UNSUPPORTED, quant, r->op->outputs[0],
                         "zero point %" PRId32 ", expected %" PRId32,
                         out->quant.zero_point[0], zero);
  if (beta * (double)in->quant.scale[0] * 67108864.0 > 1.0)
    return ASH_OK;
  return ASH_RULE_FAIL(r, ASH_UNSUPPORTED, attr, r->op->inputs[0],
                       "beta times scale is not above 2^-26");
}

ash_status ash_shape_softmax(const ash_rule *r) {
  ASH_TRY(ash_rule_rank(r, r->op->inputs[0], 1, ASH_RANK_MAX));
  ASH_TRY(ash_shape_activation(r));
  ASH_TRY(check_unit_output(r, 0.001f / 256));
  return check_softmax_quant(r);
}

ash_status ash_shape_quantize(const ash_rule *r) {
  ASH_TRY(ash_rule_type(r, r->op->outputs[0], ASH_T_QUANT));
  ASH_TRY(ash_rule_quants(r, 1));
  return ash_shape_same(r);
}

ash_status ash_shape_dequantize(const ash_rule *r) {
  ASH_TRY(ash_rule_type(r, r->op->outputs[0], ASH_T(FLOAT32)));
  const ash_tensor *in = ash_op_in(r->g, r->op, 0);
  if (in->quant.count <= 1) /* per channel: the verifier counted the scales */
    ASH_TRY(ash_rule_quants(r, 1));
  return ash_shape_same(r);
}
