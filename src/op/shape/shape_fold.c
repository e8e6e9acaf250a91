/* shape_fold.c - rules of reductions, running sums and largest elements. */
#include "op/functions.h"
#include "op/shape/shape_rule.h"
#include "op/sums.h"

static bool finds_index(ash_fold fold) {
  return fold >= ASH_FOLD_ARG_MAX;
}

/* Quantised values are rescaled or taken as they are. */
static ash_status check_fold_quants(const ash_rule *r, ash_fold fold) {
  const uint32_t x = r->op->inputs[0], y = r->op->outputs[0];
  if (ash_op_rescales(r->g, r->op)) {
    ASH_TRY(ash_rule_one_type(r, 1));
    return ash_rule_quants(r, 1);
  }
  const bool both = r->g->tensors.items[x].quant.count != 0 &&
                    r->g->tensors.items[y].quant.count != 0;
  return both && (fold == ASH_FOLD_MAX || fold == ASH_FOLD_MIN)
             ? ash_rule_same_quant(r, x, y)
             : ASH_OK;
}

ash_status ash_op_shape_fold(const ash_rule *r) {
  const ash_shape *in = &ash_op_in(r->g, r->op, 0)->shape;
  const ash_fold fold = ash_op_fold(r->op);
  const bool keep = ash_attr_int(r->op, "keep_dims", 0) != 0;
  if (fold == ASH_FOLD_COUNT)
    return ash_rule_no_function(r);
  ASH_TRY(ash_rule_bytes(r));
  ASH_TRY(ash_rule_type(r, r->op->outputs[0],
                        finds_index(fold)
                            ? ASH_T_INDEX
                            : ash_types_like(ash_op_in(r->g, r->op, 0)->type)));
  if (fold == ASH_FOLD_ANY || fold == ASH_FOLD_ALL)
    ASH_TRY(ash_rule_type(r, r->op->inputs[0], ASH_T(BOOL)));
  ASH_TRY(check_fold_quants(r, fold));
  const ash_attr *axes = ash_attr_find(r->op, "axes");
  for (uint32_t i = 0; axes && i < axes->count; i++) {
    uint32_t axis;
    ASH_TRY(ash_rule_axis(r, r->op->inputs[0], axes->ints[i], in->rank, &axis));
  }
  const uint32_t folded = ash_op_folded(r->op, in->rank);
  if (finds_index(fold) && (folded == 0 || (folded & (folded - 1))))
    return ASH_RULE_FAIL(r, ASH_MALFORMED, attr, ASH_NO_ID,
                         "%s works along one axis", ash_fold_text(fold));
  *r->out = (ash_shape){0};
  for (uint32_t i = 0; i < in->rank; i++)
    if (!(folded >> i & 1))
      r->out->dim[r->out->rank++] = in->dim[i];
    else if (keep)
      r->out->dim[r->out->rank++] = 1;
  return ASH_OK;
}

ash_status ash_op_shape_cumsum(const ash_rule *r) {
  uint32_t axis;
  ASH_TRY(ash_rule_bytes(r));
  ASH_TRY(ash_rule_one_type(r, 1));
  *r->out = ash_op_in(r->g, r->op, 0)->shape;
  return ash_rule_axis(r, r->op->inputs[0], ash_attr_int(r->op, "axis", 0),
                       r->out->rank, &axis);
}

ash_status ash_op_shape_top_k(const ash_rule *r) {
  const ash_tensor *in = ash_op_in(r->g, r->op, 0);
  uint32_t axis;
  int64_t k;
  ASH_TRY(ash_rule_bytes(r));
  ASH_TRY(ash_rule_type(r, r->op->outputs[0], 1u << in->type));
  ASH_TRY(ash_rule_type(r, r->op->outputs[1], ASH_T_INDEX));
  ASH_TRY(ash_rule_axis(r, r->op->inputs[0], ash_attr_int(r->op, "axis", 0),
                        in->shape.rank, &axis));
  ASH_TRY(ash_rule_int(r, "k", 0, 1, &k));
  if (k > in->shape.dim[axis])
    return ASH_RULE_FAIL(r, ASH_MALFORMED, attr, ASH_NO_ID,
                         "more elements are wanted than the axis has");
  r->out[0] = in->shape;
  r->out[0].dim[axis] = (int32_t)k;
  r->out[1] = r->out[0];
  return ASH_OK;
}
