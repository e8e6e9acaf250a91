/* shape_choice.c - rules of operators that choose among candidates. */
#include "op/functions.h"
#include "op/shape/shape_rule.h"

#include <inttypes.h>
#include <math.h>

static ash_status bad(const ash_rule *r, const char *what) {
  return ASH_RULE_FAIL(r, ASH_MALFORMED, attr, ASH_NO_ID, "%s", what);
}

ash_status ash_op_shape_non_max_suppression(const ash_rule *r) {
  const ash_tensor *boxes, *scores;
  int64_t k;
  ASH_TRY(ash_rule_input(r, 0, "boxes", &boxes));
  ASH_TRY(ash_rule_input(r, 1, "scores", &scores));
  ASH_TRY(ash_rule_type(r, r->op->inputs[1], ASH_T(FLOAT32)));
  ASH_TRY(ash_rule_type(r, r->op->outputs[0], ASH_T(INT32)));
  ASH_TRY(ash_rule_type(r, r->op->outputs[1], ASH_T(FLOAT32)));
  ASH_TRY(ash_rule_rank(r, r->op->inputs[0], 3, 3));
  ASH_TRY(ash_rule_rank(r, r->op->inputs[1], 3, 3));
  ASH_TRY(ash_rule_int(r, "k", 0, 1, &k));
  if (boxes->shape.dim[2] != 4)
    return ASH_RULE_FAIL(r, ASH_MALFORMED, attr, r->op->inputs[0],
                         "a box has %" PRId32 " numbers, expected 4",
                         boxes->shape.dim[2]);
  if (boxes->shape.dim[0] != scores->shape.dim[0] ||
      boxes->shape.dim[1] != scores->shape.dim[2])
    return bad(r, "boxes and scores differ in number");
  if (k > boxes->shape.dim[1])
    return bad(r, "more boxes are wanted than there are");
  if (!isfinite(ash_attr_float(r->op, "iou", 0)) ||
      !isfinite(ash_attr_float(r->op, "least", 0)) ||
      !(ash_attr_float(r->op, "sigma", 0) >= 0))
    return bad(r, "iou, least and sigma must be numbers");
  r->out[0] =
      (ash_shape){3, {boxes->shape.dim[0], scores->shape.dim[1], (int32_t)k}};
  r->out[1] = r->out[0];
  return ASH_OK;
}

ash_status ash_op_shape_pairwise_coupling(const ash_rule *r) {
  const ash_shape *in = &ash_op_in(r->g, r->op, 0)->shape;
  int64_t n;
  ASH_TRY(ash_rule_one_type(r, 1));
  ASH_TRY(ash_rule_rank(r, r->op->inputs[0], 2, 2));
  ASH_TRY(ash_rule_int(r, "classes", 0, 2, &n));
  if (n > 65535 || in->dim[1] != n * (n - 1) / 2)
    return bad(r, "the number of pairs is not that of the classes");
  *r->out = (ash_shape){2, {in->dim[0], (int32_t)n}};
  return ASH_OK;
}
