/* shape_pick.c - rules of gathers and scatters: elements chosen by index. */
#include "op/functions.h"
#include "op/shape/shape_rule.h"

#include <inttypes.h>
#include <string.h>

static ash_status bad(const ash_rule *r, const char *what) {
  return ASH_RULE_FAIL(r, ASH_MALFORMED, attr, ASH_NO_ID, "%s", what);
}

static ash_status check_index(const ash_rule *r, uint32_t k) {
  const ash_tensor *t;
  ASH_TRY(ash_rule_input(r, k, "indices", &t));
  return ash_rule_type(r, r->op->inputs[k], ASH_T_INDEX);
}

static ash_status append(const ash_rule *r, const ash_shape *s, uint32_t first,
                         uint32_t end) {
  for (uint32_t i = first; i < end; i++) {
    if (r->out->rank == ASH_RANK_MAX)
      return ASH_RULE_FAIL(r, ASH_UNSUPPORTED, rank, r->op->outputs[0],
                           "more than %d axes", ASH_RANK_MAX);
    r->out->dim[r->out->rank++] = s->dim[i];
  }
  return ASH_OK;
}

ash_status ash_op_shape_gather(const ash_rule *r) {
  const ash_shape *in = &ash_op_in(r->g, r->op, 0)->shape;
  const ash_tensor *indices;
  uint32_t axis;
  ASH_TRY(ash_rule_one_type(r, 1));
  ASH_TRY(ash_rule_input(r, 1, "indices", &indices));
  ASH_TRY(ash_rule_type(r, r->op->inputs[1], ASH_T_INDEX));
  ASH_TRY(ash_rule_axis(r, r->op->inputs[0], ash_attr_int(r->op, "axis", 0),
                        in->rank, &axis));
  const int64_t given = ash_attr_int(r->op, "batch_dims", 0);
  const int64_t batch = given < 0 ? given + indices->shape.rank : given;
  bool fits = batch >= 0 && batch <= axis && batch <= indices->shape.rank;
  for (uint32_t i = 0; fits && i < batch; i++)
    fits = in->dim[i] == indices->shape.dim[i];
  if (!fits)
    return ASH_RULE_FAIL(r, ASH_MALFORMED, attr, r->op->inputs[1],
                         "batch_dims is %" PRId64 ", which does not match the "
                         "axis and the shapes",
                         given);
  r->out->rank = 0;
  ASH_TRY(append(r, in, 0, axis));
  ASH_TRY(append(r, &indices->shape, (uint32_t)batch, indices->shape.rank));
  return append(r, in, axis + 1, in->rank);
}

/* `part` has the rank of `whole` and fits into it except along the axis. */
static ash_status check_part(const ash_rule *r, const ash_shape *whole,
                             const ash_shape *part) {
  uint32_t axis;
  ASH_TRY(ash_rule_axis(r, r->op->inputs[0], ash_attr_int(r->op, "axis", 0),
                        whole->rank, &axis));
  if (whole->rank != part->rank)
    return bad(r, "data and indices differ in rank");
  for (uint32_t i = 0; i < whole->rank; i++)
    if (i != axis && part->dim[i] > whole->dim[i])
      return bad(r, "indices reach outside the data");
  return ASH_OK;
}

ash_status ash_op_shape_gather_elements(const ash_rule *r) {
  ASH_TRY(ash_rule_one_type(r, 1));
  ASH_TRY(check_index(r, 1));
  *r->out = ash_op_in(r->g, r->op, 1)->shape;
  return check_part(r, &ash_op_in(r->g, r->op, 0)->shape, r->out);
}

static ash_status check_put(const ash_rule *r) {
  static const char *const known[] = {"set", "add", "mul", "min", "max"};
  const char *fn = ash_attr_string(r->op, "fn", "set");
  const ash_tensor *updates;
  ASH_TRY(ash_rule_input(r, 2, "updates", &updates));
  ASH_TRY(ash_rule_type(r, r->op->inputs[2],
                        1u << ash_op_in(r->g, r->op, 0)->type));
  ASH_TRY(ash_rule_one_type(r, 1));
  ASH_TRY(check_index(r, 1));
  for (size_t i = 0; i < ASH_COUNT_OF(known); i++)
    if (strcmp(fn, known[i]) == 0)
      return ASH_OK;
  return bad(r, "unknown way to put elements");
}

ash_status ash_op_shape_scatter_elements(const ash_rule *r) {
  ASH_TRY(check_put(r));
  *r->out = ash_op_in(r->g, r->op, 0)->shape;
  if (!ash_shape_equal(&ash_op_in(r->g, r->op, 1)->shape,
                       &ash_op_in(r->g, r->op, 2)->shape))
    return bad(r, "indices and updates differ in shape");
  return check_part(r, r->out, &ash_op_in(r->g, r->op, 1)->shape);
}

ash_status ash_op_shape_gather_nd(const ash_rule *r) {
  const ash_shape *in = &ash_op_in(r->g, r->op, 0)->shape;
  int64_t batch;
  ASH_TRY(ash_rule_one_type(r, 1));
  ASH_TRY(check_index(r, 1));
  const ash_shape *at = &ash_op_in(r->g, r->op, 1)->shape;
  ASH_TRY(ash_rule_int(r, "batch_dims", 0, 0, &batch));
  if (at->rank == 0 || batch >= at->rank || batch >= in->rank)
    return bad(r, "too many batch dimensions");
  const int64_t depth = at->dim[at->rank - 1];
  if (depth < 1 || batch + depth > in->rank ||
      at->rank - 1 + (in->rank - batch - depth) > ASH_RANK_MAX)
    return bad(r, "an index has too many parts");
  for (uint32_t i = 0; i < batch; i++)
    if (at->dim[i] != in->dim[i])
      return bad(r, "batch dimensions differ");
  *r->out = (ash_shape){0};
  for (uint32_t i = 0; i + 1 < at->rank; i++)
    r->out->dim[r->out->rank++] = at->dim[i];
  for (uint32_t i = (uint32_t)(batch + depth); i < in->rank; i++)
    r->out->dim[r->out->rank++] = in->dim[i];
  return ASH_OK;
}

ash_status ash_op_shape_scatter_nd(const ash_rule *r) {
  ASH_TRY(check_put(r));
  const ash_shape *in = &ash_op_in(r->g, r->op, 0)->shape;
  const ash_shape *at = &ash_op_in(r->g, r->op, 1)->shape;
  const ash_shape *up = &ash_op_in(r->g, r->op, 2)->shape;
  if (at->rank == 0 || at->dim[at->rank - 1] < 1 ||
      at->dim[at->rank - 1] > (int32_t)in->rank)
    return bad(r, "an index has too many parts");
  const uint32_t depth = (uint32_t)at->dim[at->rank - 1];
  ash_shape want = {0};
  if (at->rank - 1 + in->rank - depth > ASH_RANK_MAX)
    return bad(r, "the updates have too many dimensions");
  for (uint32_t i = 0; i + 1 < at->rank; i++)
    want.dim[want.rank++] = at->dim[i];
  for (uint32_t i = depth; i < in->rank; i++)
    want.dim[want.rank++] = in->dim[i];
  *r->out = *in;
  return ash_shape_equal(&want, up) ? ASH_OK
                                    : bad(r, "updates of another shape");
}
