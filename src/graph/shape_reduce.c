/* shape_reduce.c - operators that fold axes away. */
#include "graph/shape_rule.h"

ash_status ash_shape_reduce(const ash_rule *r) {
  const ash_shape *in = &ash_op_in(r->g, r->op, 0)->shape;
  const bool keep = ash_op_int(r->op, "keep_dims", 0) != 0;
  const ash_tensor *axes;
  bool folded[ASH_RANK_MAX] = {false};
  ASH_TRY(ash_rule_one_type(r, 1));
  ASH_TRY(ash_rule_quants(r, 1));
  ASH_TRY(ash_rule_constant(r, 1, "axes", ASH_T(INT32), &axes));
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
