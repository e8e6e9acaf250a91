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

ash_status ash_shape_binary(const ash_rule *r) {
  ASH_TRY(ash_rule_one_type(r, 2));
  ASH_TRY(ash_rule_quants(r, 2));
  ASH_TRY(ash_rule_act(r));
  return ash_rule_broadcast(r, &ash_op_in(r->g, r->op, 0)->shape,
                            &ash_op_in(r->g, r->op, 1)->shape, r->out);
}

/* Results in 0..1 use the whole range of their type: scale 1/256, and the
 * smallest value means 0. Softmax tolerates a little in the scale. */
static ash_status check_unit_output(const ash_rule *r, float tolerance) {
  const ash_tensor *t = ash_op_out(r->g, r->op, 0);
  if (t->type != ASH_INT8 && t->type != ASH_UINT8)
    return ASH_OK;
  const int32_t zero = t->type == ASH_INT8 ? INT8_MIN : 0;
  if (fabsf(t->quant.scale[0] - 1.0f / 256) <= tolerance &&
      t->quant.zero_point[0] == zero)
    return ASH_OK;
  return ASH_RULE_FAIL(r, ASH_UNSUPPORTED, quant, r->op->outputs[0],
                       "zero point %" PRId32 ", expected scale 1/256 and zero "
                       "point %" PRId32,
                       t->quant.zero_point[0], zero);
}

ash_status ash_shape_logistic(const ash_rule *r) {
  ASH_TRY(ash_shape_activation(r));
  return check_unit_output(r, 0);
}

ash_status ash_shape_softmax(const ash_rule *r) {
  ASH_TRY(ash_rule_rank(r, r->op->inputs[0], 1, ASH_RANK_MAX));
  ASH_TRY(ash_shape_activation(r));
  return check_unit_output(r, 0.001f / 256);
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
