/* shape_index.c - operators that take elements by position: slices, gathers,
 * permutations, repetitions. What decides a shape must be constant. */
#include "op/functions.h"
#include "op/shape/shape_rule.h"

#include <inttypes.h>
#include <string.h>

static const ash_shape *in_shape(const ash_rule *r) {
  return &ash_op_in(r->g, r->op, 0)->shape;
}

/* ---- splits ------------------------------------------------------------- */

ash_status ash_op_shape_split(const ash_rule *r) {
  const ash_shape *in = in_shape(r);
  const ash_attr *sizes = ash_attr_find(r->op, "sizes");
  int64_t left;
  uint32_t axis;
  ASH_TRY(ash_rule_one_type(r, 1));
  ASH_TRY(ash_rule_axis(r, r->op->inputs[0], ash_attr_int(r->op, "axis", 0),
                        in->rank, &axis));
  left = in->dim[axis];
  if (!sizes || sizes->count != r->op->output_count)
    return ASH_RULE_FAIL(r, ASH_MALFORMED, attr, r->op->inputs[0],
                         "%" PRIu32 " sizes for %" PRIu32 " parts",
                         sizes ? sizes->count : 0, r->op->output_count);
  for (uint32_t k = 0; k < sizes->count; k++) {
    const int64_t size = sizes->ints[k];
    if (size < 0 || size > left)
      return ASH_RULE_FAIL(r, ASH_MALFORMED, attr, r->op->inputs[0],
                           "part %" PRIu32 " of %" PRId64 " does not fit", k,
                           size);
    left -= size;
    r->out[k] = *in;
    r->out[k].dim[axis] = (int32_t)size;
  }
  if (left != 0)
    return ASH_RULE_FAIL(r, ASH_MALFORMED, attr, r->op->inputs[0],
                         "%" PRId64 " elements of the axis are in no part",
                         left);
  return ASH_OK;
}

/* ---- gathers ------------------------------------------------------------ */

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
  const ash_shape *in = in_shape(r);
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

/* ---- repetition --------------------------------------------------------- */

ash_status ash_op_shape_tile(const ash_rule *r) {
  const ash_shape *in = in_shape(r);
  ASH_TRY(ash_rule_one_type(r, 1));
  r->out->rank = in->rank;
  for (uint32_t i = 0; i < in->rank; i++) {
    const int64_t n = ash_op_ints(r->op, "times", i, 0);
    if (n < 1 || n > INT32_MAX / (in->dim[i] ? in->dim[i] : 1))
      return ASH_RULE_FAIL(r, ASH_MALFORMED, attr, r->op->inputs[0],
                           "axis %" PRIu32 " %" PRId64 " times", i, n);
    r->out->dim[i] = (int32_t)(in->dim[i] * n);
  }
  return ASH_OK;
}
