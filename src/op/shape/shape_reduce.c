/* shape_reduce.c - operators that fold axes away. */
#include "op/shape/shape_rule.h"

ash_status ash_op_shape_reduce(const ash_rule *r) {
  const ash_shape *in = &ash_op_in(r->g, r->op, 0)->shape;
  const bool keep = ash_op_int(r->op, "keep_dims", 0) != 0;
  const ash_tensor *axes;
  bool folded[ASH_RANK_MAX] = {false};
  ASH_TRY(ash_rule_one_type(r, 1));
  ASH_TRY(ash_rule_quants(r, 1));
  ASH_TRY(ash_rule_constant(r, 1, "axes", ASH_T_INDEX, &axes));
  const uint64_t count = ash_shape_elements(&axes->shape);
  for (uint64_t i = 0; i < count; i++) {
    uint32_t axis;
    ASH_TRY(ash_rule_axis(r, r->op->inputs[1], ash_tensor_int(axes, i),
                          in->rank, &axis));
    folded[axis] = true; /* twice is as good as once */
  }
  *r->out = (ash_shape){0};
  for (uint32_t i = 0; i < in->rank; i++)
    if (!folded[i])
      r->out->dim[r->out->rank++] = in->dim[i];
    else if (keep)
      r->out->dim[r->out->rank++] = 1;
  return ASH_OK;
}

/* One of the stored values is taken as it is. */
ash_status ash_op_shape_reduce_pick(const ash_rule *r) {
  ASH_TRY(ash_rule_same_quant(r, r->op->inputs[0], r->op->outputs[0]));
  return ash_op_shape_reduce(r);
}

static ash_status read_axis(const ash_rule *r, uint32_t *axis) {
  const ash_tensor *t;
  ASH_TRY(ash_rule_constant(r, 1, "axis", ASH_T_INDEX, &t));
  if (ash_shape_elements(&t->shape) != 1)
    return ash_rule_rank(r, r->op->inputs[1], 0, 0);
  return ash_rule_axis(r, r->op->inputs[1], ash_tensor_int(t, 0),
                       ash_op_in(r->g, r->op, 0)->shape.rank, axis);
}

ash_status ash_op_shape_arg(const ash_rule *r) {
  const ash_shape *in = &ash_op_in(r->g, r->op, 0)->shape;
  uint32_t axis;
  ASH_TRY(ash_rule_type(r, r->op->outputs[0], ASH_T_INDEX));
  ASH_TRY(read_axis(r, &axis));
  r->out->rank = in->rank - 1;
  for (uint32_t i = 0; i + 1 < in->rank; i++)
    r->out->dim[i] = in->dim[i < axis ? i : i + 1];
  return ASH_OK;
}

ash_status ash_op_shape_cumsum(const ash_rule *r) {
  uint32_t axis;
  ASH_TRY(ash_rule_one_type(r, 1));
  ASH_TRY(read_axis(r, &axis));
  return ash_op_shape_same(r);
}
