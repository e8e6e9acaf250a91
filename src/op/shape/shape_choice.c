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

ash_status ash_op_shape_decode_poses(const ash_rule *r) {
  static const int32_t channels[] = {17, 2 * 17, 4 * 16};
  static const char *const names[] = {"heat maps", "offsets", "bones"};
  static const char *const numbers[] = {"least", "logit", "radius"};
  const ash_tensor *map, *first = ash_op_in(r->g, r->op, 0);
  int64_t k;
  for (uint32_t i = 0; i < 3; i++) {
    ASH_TRY(ash_rule_input(r, i, names[i], &map));
    ASH_TRY(ash_rule_type(r, r->op->inputs[i], ASH_T(FLOAT32)));
    ASH_TRY(ash_rule_rank(r, r->op->inputs[i], 4, 4));
    if (map->shape.dim[0] != 1 || map->shape.dim[3] != channels[i] ||
        map->shape.dim[1] != first->shape.dim[1] ||
        map->shape.dim[2] != first->shape.dim[2])
      return bad(r,
                 "maps need one batch, one size, and 17, 34 and 64 channels");
    if (!isfinite(ash_attr_float(r->op, numbers[i], 0)))
      return bad(r, "least, logit and radius must be numbers");
  }
  ASH_TRY(ash_rule_type(r, r->op->outputs[0], ASH_T(FLOAT32)));
  ASH_TRY(ash_rule_type(r, r->op->outputs[1], ASH_T(FLOAT32)));
  ASH_TRY(ash_rule_int(r, "k", 0, 1, &k));
  if (k > 65535 || ash_shape_elements(&first->shape) > INT32_MAX / 4)
    return bad(r, "more poses or pixels than the operator counts");
  r->out[0] = (ash_shape){3, {(int32_t)k, 17, 3}};
  r->out[1] = (ash_shape){1, {(int32_t)k}};
  return ASH_OK;
}

ash_status ash_op_shape_pose_masks(const ash_rule *r) {
  const ash_tensor *poses, *scores, *offsets;
  ASH_TRY(ash_rule_input(r, 0, "poses", &poses));
  ASH_TRY(ash_rule_input(r, 1, "scores", &scores));
  ASH_TRY(ash_rule_input(r, 2, "offsets", &offsets));
  ASH_TRY(ash_rule_one_type(r, 3));
  ASH_TRY(ash_rule_rank(r, r->op->inputs[0], 3, 3));
  ASH_TRY(ash_rule_rank(r, r->op->inputs[1], 1, 1));
  ASH_TRY(ash_rule_rank(r, r->op->inputs[2], 4, 4));
  const ash_shape *s = &offsets->shape;
  if (poses->shape.dim[1] != 17 || poses->shape.dim[2] != 3 ||
      scores->shape.dim[0] != poses->shape.dim[0] || s->dim[0] != 1 ||
      s->dim[3] != 34)
    return bad(r, "poses, scores and offsets do not go together");
  if (ash_shape_elements(s) > INT32_MAX / 4)
    return bad(r, "more pixels than the operator counts");
  *r->out = (ash_shape){3, {scores->shape.dim[0], s->dim[1], s->dim[2]}};
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
