/* shape_move.c - operators that move elements without looking at them. */
#include "op/functions.h"
#include "op/shape/shape_rule.h"

#include <inttypes.h>
#include <string.h>

ash_status ash_op_shape_reshape(const ash_rule *r) {
  char from[ASH_SHAPE_TEXT], to[ASH_SHAPE_TEXT];
  const ash_shape *in = &ash_op_in(r->g, r->op, 0)->shape;
  const ash_shape *out = &ash_op_out(r->g, r->op, 0)->shape;
  ASH_TRY(ash_rule_one_type(r, 1));
  if (ash_shape_elements(in) != ash_shape_elements(out))
    return ASH_RULE_FAIL(r, ASH_MALFORMED, elements, r->op->outputs[0],
                         "shape %s of %" PRIu64 " elements, expected %" PRIu64
                         " as in %s",
                         ash_shape_text(to, out), ash_shape_elements(out),
                         ash_shape_elements(in), ash_shape_text(from, in));
  *r->out = *out;
  return ASH_OK;
}

/* ---- variables ----------------------------------------------------------- */

static ash_status same_variable(const ash_rule *r, uint32_t variable) {
  ASH_TRY(ash_rule_one_type(r, 1));
  if (r->g->tensors.items[variable].kind != ASH_TENSOR_VARIABLE)
    return ASH_RULE_FAIL(r, ASH_MALFORMED, variable, variable,
                         "the tensor is no variable");
  *r->out = ash_op_in(r->g, r->op, 0)->shape;
  return ASH_OK;
}

ash_status ash_op_shape_read_variable(const ash_rule *r) {
  return same_variable(r, r->op->inputs[0]);
}

ash_status ash_op_shape_assign_variable(const ash_rule *r) {
  return same_variable(r, r->op->outputs[0]);
}

/* ---- padding ------------------------------------------------------------- */

static ash_status pad_sizes(const ash_rule *r) {
  const ash_shape *in = &ash_op_in(r->g, r->op, 0)->shape;
  *r->out = *in;
  for (uint32_t i = 0; i < in->rank; i++) {
    const int64_t before = ash_op_ints(r->op, "before", i, -1);
    const int64_t after = ash_op_ints(r->op, "after", i, -1);
    if (before < 0 || after < 0 || before > INT32_MAX || after > INT32_MAX ||
        in->dim[i] + before + after > INT32_MAX)
      return ASH_RULE_FAIL(r, ASH_MALFORMED, attr, r->op->inputs[0],
                           "paddings %" PRId64 " and %" PRId64 " of axis "
                           "%" PRIu32 ", expected 0 or more",
                           before, after, i);
    r->out->dim[i] = (int32_t)(in->dim[i] + before + after);
  }
  return ASH_OK;
}

ash_status ash_op_shape_pad(const ash_rule *r) {
  const ash_tensor *value = ash_op_in(r->g, r->op, 1);
  ASH_TRY(ash_rule_one_type(r, value ? 2 : 1));
  if (value && ash_shape_elements(&value->shape) != 1)
    return ASH_RULE_FAIL(r, ASH_MALFORMED, rank, r->op->inputs[1],
                         "%" PRIu64 " padding values, expected 1",
                         ash_shape_elements(&value->shape));
  if (value)
    ASH_TRY(ash_rule_same_quant(r, r->op->inputs[1], r->op->outputs[0]));
  return pad_sizes(r);
}

/* The padding repeats the input backwards, with its edge (symmetric) or
 * without (reflect), so it is at most as long as that. */
ash_status ash_op_shape_mirror_pad(const ash_rule *r) {
  const char *mode = ash_attr_string(r->op, "mode", "reflect");
  const bool symmetric = strcmp(mode, "symmetric") == 0;
  if (!symmetric && strcmp(mode, "reflect") != 0)
    return ASH_RULE_FAIL(r, ASH_UNSUPPORTED, attr, ASH_NO_ID,
                         "mode %s, expected reflect or symmetric", mode);
  ASH_TRY(ash_rule_one_type(r, 1));
  ASH_TRY(pad_sizes(r));
  const ash_shape *in = &ash_op_in(r->g, r->op, 0)->shape;
  for (uint32_t i = 0; i < in->rank; i++) {
    const int64_t before = ash_op_ints(r->op, "before", i, 0);
    const int64_t after = ash_op_ints(r->op, "after", i, 0);
    const int64_t most = before > after ? before : after;
    if (most > in->dim[i] - !symmetric)
      return ASH_RULE_FAIL(r, ASH_MALFORMED, attr, r->op->inputs[0],
                           "a padding of %" PRId64 " mirrors an axis of "
                           "%" PRId32,
                           most, in->dim[i]);
  }
  return ASH_OK;
}

/* ---- concatenation ------------------------------------------------------- */

/* Input k must agree with the first one except along the axis. */
static ash_status join(const ash_rule *r, uint32_t k, uint32_t axis) {
  char found[ASH_SHAPE_TEXT], want[ASH_SHAPE_TEXT];
  const ash_shape *s = &ash_op_in(r->g, r->op, k)->shape;
  bool same = s->rank == r->out->rank;
  for (uint32_t i = 0; same && i < s->rank; i++)
    same = i == axis || s->dim[i] == r->out->dim[i];
  if (!same)
    return ASH_RULE_FAIL(r, ASH_MALFORMED, broadcast, r->op->inputs[k],
                         "shape %s differs from %s in more than axis %" PRIu32,
                         ash_shape_text(found, s), ash_shape_text(want, r->out),
                         axis);
  if (r->out->dim[axis] > INT32_MAX - s->dim[axis])
    return ASH_RULE_FAIL(r, ASH_MALFORMED, attr, r->op->inputs[k],
                         "the joined axis %" PRIu32 " overflows", axis);
  r->out->dim[axis] += s->dim[axis];
  return ASH_OK;
}

/* 8-bit parts are rescaled where their quantisation is another one. */
static ash_status check_part_quant(const ash_rule *r, uint32_t k) {
  const ash_tensor *part = ash_op_in(r->g, r->op, k);
  const ash_tensor *out = ash_op_out(r->g, r->op, 0);
  const bool narrow = part->type == ASH_INT8 || part->type == ASH_UINT8;
  if (narrow && part->quant.count && out->quant.count) {
    ASH_TRY(ash_rule_quant(r, r->op->inputs[k]));
    return ash_rule_quant(r, r->op->outputs[0]);
  }
  return ash_rule_same_quant(r, r->op->inputs[k], r->op->outputs[0]);
}

ash_status ash_op_shape_concatenation(const ash_rule *r) {
  uint32_t axis;
  ASH_TRY(ash_rule_one_type(r, r->op->input_count));
  ASH_TRY(ash_rule_act(r));
  *r->out = ash_op_in(r->g, r->op, 0)->shape;
  ASH_TRY(ash_rule_axis(r, r->op->inputs[0], ash_attr_int(r->op, "axis", 0),
                        r->out->rank, &axis));
  for (uint32_t k = 0; k < r->op->input_count; k++) {
    if (k > 0)
      ASH_TRY(join(r, k, axis));
    ASH_TRY(check_part_quant(r, k));
  }
  return ASH_OK;
}

/* ---- splits ------------------------------------------------------------- */

ash_status ash_op_shape_split(const ash_rule *r) {
  const ash_shape *in = &ash_op_in(r->g, r->op, 0)->shape;
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

/* ---- repetition --------------------------------------------------------- */

ash_status ash_op_shape_tile(const ash_rule *r) {
  const ash_shape *in = &ash_op_in(r->g, r->op, 0)->shape;
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

/* ---- strides ------------------------------------------------------------ */

static ash_status bad_strides(const ash_rule *r, const char *what) {
  return ASH_RULE_FAIL(r, ASH_MALFORMED, attr, ASH_NO_ID, "%s", what);
}

/* Every element that is asked for must be one of the input's. */
ash_status ash_op_shape_strided(const ash_rule *r) {
  const ash_attr *dim = ash_attr_find(r->op, "dim");
  const ash_attr *step = ash_attr_find(r->op, "step");
  int64_t low = ash_attr_int(r->op, "offset", 0), high = low;
  ASH_TRY(ash_rule_one_type(r, 1));
  if (!dim || !step || dim->count != step->count || dim->count > ASH_RANK_MAX)
    return bad_strides(r, "strided needs as many steps as dimensions");
  *r->out = (ash_shape){.rank = dim->count};
  for (uint32_t i = 0; i < dim->count; i++) {
    if (dim->ints[i] < 1 || dim->ints[i] > INT32_MAX ||
        step->ints[i] > INT32_MAX || step->ints[i] < -INT32_MAX)
      return bad_strides(r, "a dimension or step of strided is out of range");
    r->out->dim[i] = (int32_t)dim->ints[i];
    if (step->ints[i] < 0)
      low += (dim->ints[i] - 1) * step->ints[i];
    else
      high += (dim->ints[i] - 1) * step->ints[i];
    if (low < -((int64_t)1 << 60) || high > (int64_t)1 << 60)
      return bad_strides(r, "strided reaches too far");
  }
  const ash_shape *in = &ash_op_in(r->g, r->op, 0)->shape;
  if (low < 0 || (uint64_t)high >= ash_shape_elements(in))
    return bad_strides(r, "strided reaches outside its input");
  return ASH_OK;
}
