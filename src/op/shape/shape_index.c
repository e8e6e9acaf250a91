/* shape_index.c - operators that take elements by position: slices, gathers,
 * permutations, repetitions. What decides a shape must be constant. */
#include "op/shape/shape_rule.h"
#include "op/slice.h"

#include <inttypes.h>
#include <string.h>

static const ash_shape *in_shape(const ash_rule *r) {
  return &ash_op_in(r->g, r->op, 0)->shape;
}

/* A constant vector with one integer per axis of the input. */
static ash_status need_vector(const ash_rule *r, uint32_t k, const char *role,
                              uint32_t count, const ash_tensor **out) {
  char buf[ASH_SHAPE_TEXT];
  ASH_TRY(ash_rule_constant(r, k, role, ASH_T_INDEX, out));
  if (ash_shape_elements(&(*out)->shape) == count)
    return ASH_OK;
  return ASH_RULE_FAIL(r, ASH_MALFORMED, rank, r->op->inputs[k],
                       "%s of shape %s, expected %" PRIu32 " values", role,
                       ash_shape_text(buf, &(*out)->shape), count);
}

ash_status ash_op_shape_transpose(const ash_rule *r) {
  const ash_shape *in = in_shape(r);
  const ash_tensor *perm;
  bool seen[ASH_RANK_MAX] = {false};
  ASH_TRY(ash_rule_one_type(r, 1));
  ASH_TRY(need_vector(r, 1, "permutation", in->rank, &perm));
  r->out->rank = in->rank;
  for (uint32_t i = 0; i < in->rank; i++) {
    uint32_t axis;
    const int64_t given = ash_tensor_int(perm, i);
    ASH_TRY(ash_rule_axis(r, r->op->inputs[1], given, in->rank, &axis));
    if (seen[axis])
      return ASH_RULE_FAIL(r, ASH_MALFORMED, axis, r->op->inputs[1],
                           "axis %" PRId64 " appears twice", given);
    seen[axis] = true;
    r->out->dim[i] = in->dim[axis];
  }
  return ASH_OK;
}

ash_status ash_op_shape_slice(const ash_rule *r) {
  ash_slice s;
  const ash_tensor *t;
  ASH_TRY(ash_rule_one_type(r, 1));
  const uint32_t last = r->op->kind == ASH_OP_slice ? 2 : 3;
  for (uint32_t k = 1; k <= last; k++)
    ASH_TRY(ash_rule_constant(r, k, "bounds", ASH_T_INDEX, &t));
  const char *wrong = ash_slice_of(r->g, r->op, &s);
  if (wrong)
    return ASH_RULE_FAIL(r, ASH_MALFORMED, attr, r->op->inputs[0], "%s", wrong);
  r->out->rank = s.rank;
  for (uint32_t i = 0; i < s.rank; i++)
    r->out->dim[i] = s.from[i] == ASH_NO_ID ? 1 : s.size[s.from[i]];
  return ASH_OK;
}

/* ---- splits and stacks -------------------------------------------------- */

static ash_status constant_axis(const ash_rule *r, uint32_t k, uint32_t *axis) {
  const ash_tensor *t;
  ASH_TRY(need_vector(r, k, "axis", 1, &t));
  return ash_rule_axis(r, r->op->inputs[k], ash_tensor_int(t, 0),
                       in_shape(r)->rank, axis);
}

ash_status ash_op_shape_split(const ash_rule *r) {
  const ash_shape *in = in_shape(r);
  const int32_t parts = (int32_t)r->op->output_count;
  uint32_t axis;
  ASH_TRY(ash_rule_one_type(r, 1));
  ASH_TRY(constant_axis(r, 1, &axis));
  if (parts == 0 || in->dim[axis] % parts != 0)
    return ASH_RULE_FAIL(r, ASH_MALFORMED, attr, r->op->inputs[0],
                         "an axis of %" PRId32 " in %" PRId32 " equal parts",
                         in->dim[axis], parts);
  for (int32_t k = 0; k < parts; k++) {
    r->out[k] = *in;
    r->out[k].dim[axis] = in->dim[axis] / parts;
  }
  return ASH_OK;
}

/* One size may be -1: what is left. */
ash_status ash_op_shape_split_v(const ash_rule *r) {
  const ash_shape *in = in_shape(r);
  const ash_tensor *sizes;
  uint32_t axis;
  ASH_TRY(ash_rule_one_type(r, 1));
  ASH_TRY(need_vector(r, 1, "sizes", r->op->output_count, &sizes));
  ASH_TRY(constant_axis(r, 2, &axis));
  int64_t left = in->dim[axis], open = 0;
  for (uint32_t k = 0; k < r->op->output_count; k++) {
    const int64_t size = ash_tensor_int(sizes, k);
    open += size == -1;
    left -= size == -1 ? 0 : size;
    if (size < -1 || size > in->dim[axis] || open > 1 || left < 0)
      return ASH_RULE_FAIL(r, ASH_MALFORMED, attr, r->op->inputs[1],
                           "part %" PRIu32 " of %" PRId64 " does not fit", k,
                           size);
  }
  if (open == 0 && left != 0)
    return ASH_RULE_FAIL(r, ASH_MALFORMED, attr, r->op->inputs[1],
                         "%" PRId64 " elements of the axis are in no part",
                         left);
  for (uint32_t k = 0; k < r->op->output_count; k++) {
    const int64_t size = ash_tensor_int(sizes, k);
    r->out[k] = *in;
    r->out[k].dim[axis] = (int32_t)(size == -1 ? left : size);
  }
  return ASH_OK;
}

ash_status ash_op_shape_pack(const ash_rule *r) {
  char buf[ASH_SHAPE_TEXT];
  const ash_shape *in = in_shape(r);
  uint32_t axis;
  ASH_TRY(ash_rule_one_type(r, r->op->input_count));
  if (in->rank == ASH_RANK_MAX)
    return ash_rule_rank(r, r->op->inputs[0], 0, ASH_RANK_MAX - 1);
  ASH_TRY(ash_rule_axis(r, r->op->inputs[0], ash_attr_int(r->op, "axis", 0),
                        in->rank + 1, &axis));
  for (uint32_t k = 0; k < r->op->input_count; k++) {
    const ash_shape *s = &ash_op_in(r->g, r->op, k)->shape;
    if (!ash_shape_equal(s, in))
      return ASH_RULE_FAIL(r, ASH_MALFORMED, broadcast, r->op->inputs[k],
                           "shape %s differs from the first input's",
                           ash_shape_text(buf, s));
    ASH_TRY(ash_rule_same_quant(r, r->op->inputs[k], r->op->outputs[0]));
  }
  r->out->rank = in->rank + 1;
  for (uint32_t i = 0; i <= in->rank; i++)
    r->out->dim[i] =
        i == axis ? (int32_t)r->op->input_count : in->dim[i < axis ? i : i - 1];
  return ASH_OK;
}

ash_status ash_op_shape_unpack(const ash_rule *r) {
  const ash_shape *in = in_shape(r);
  uint32_t axis;
  ASH_TRY(ash_rule_one_type(r, 1));
  ASH_TRY(ash_rule_axis(r, r->op->inputs[0], ash_attr_int(r->op, "axis", 0),
                        in->rank, &axis));
  if (in->dim[axis] != (int32_t)r->op->output_count)
    return ASH_RULE_FAIL(r, ASH_MALFORMED, attr, r->op->inputs[0],
                         "%" PRIu32 " outputs of an axis of %" PRId32,
                         r->op->output_count, in->dim[axis]);
  for (uint32_t k = 0; k < r->op->output_count; k++) {
    r->out[k].rank = in->rank - 1;
    for (uint32_t i = 0; i + 1 < in->rank; i++)
      r->out[k].dim[i] = in->dim[i < axis ? i : i + 1];
  }
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

ash_status ash_op_shape_gather_nd(const ash_rule *r) {
  const ash_shape *in = in_shape(r);
  const ash_tensor *indices;
  ASH_TRY(ash_rule_one_type(r, 1));
  ASH_TRY(ash_rule_input(r, 1, "indices", &indices));
  ASH_TRY(ash_rule_type(r, r->op->inputs[1], ASH_T_INDEX));
  ASH_TRY(ash_rule_rank(r, r->op->inputs[1], 1, ASH_RANK_MAX));
  const uint32_t last = indices->shape.rank - 1;
  const int32_t depth = indices->shape.dim[last];
  if (depth < 1 || depth > (int32_t)in->rank)
    return ASH_RULE_FAIL(r, ASH_MALFORMED, rank, r->op->inputs[1],
                         "positions of %" PRId32 " numbers in a tensor of rank "
                         "%" PRIu32,
                         depth, in->rank);
  r->out->rank = 0;
  ASH_TRY(append(r, &indices->shape, 0, last));
  return append(r, in, (uint32_t)depth, in->rank);
}

/* ---- repetition --------------------------------------------------------- */

ash_status ash_op_shape_tile(const ash_rule *r) {
  const ash_shape *in = in_shape(r);
  const ash_tensor *times;
  ASH_TRY(ash_rule_one_type(r, 1));
  ASH_TRY(need_vector(r, 1, "multiples", in->rank, &times));
  r->out->rank = in->rank;
  for (uint32_t i = 0; i < in->rank; i++) {
    const int64_t n = ash_tensor_int(times, i);
    if (n < 1 || n > INT32_MAX / (in->dim[i] ? in->dim[i] : 1))
      return ASH_RULE_FAIL(r, ASH_MALFORMED, attr, r->op->inputs[1],
                           "axis %" PRIu32 " %" PRId64 " times", i, n);
    r->out->dim[i] = (int32_t)(in->dim[i] * n);
  }
  return ASH_OK;
}

/* A shape given by a constant vector. */
static ash_status read_shape(const ash_rule *r, uint32_t k, ash_shape *out) {
  const ash_tensor *t;
  ASH_TRY(ash_rule_constant(r, k, "shape", ASH_T_INDEX, &t));
  const uint64_t rank = ash_shape_elements(&t->shape);
  bool fits = rank <= ASH_RANK_MAX;
  out->rank = (uint32_t)(fits ? rank : 0);
  for (uint32_t i = 0; i < out->rank; i++) {
    const int64_t n = ash_tensor_int(t, i);
    fits = fits && n >= 1 && n <= INT32_MAX;
    out->dim[i] = fits ? (int32_t)n : 1;
  }
  if (fits)
    return ASH_OK;
  return ASH_RULE_FAIL(r, ASH_MALFORMED, attr, r->op->inputs[k],
                       "a shape of more than %d axes, or with one below 1",
                       ASH_RANK_MAX);
}

ash_status ash_op_shape_broadcast_to(const ash_rule *r) {
  char from[ASH_SHAPE_TEXT], to[ASH_SHAPE_TEXT];
  ash_shape want;
  ASH_TRY(ash_rule_one_type(r, 1));
  ASH_TRY(read_shape(r, 1, &want));
  ASH_TRY(ash_rule_broadcast(r, in_shape(r), &want, r->out));
  if (ash_shape_equal(&want, r->out))
    return ASH_OK;
  return ASH_RULE_FAIL(r, ASH_MALFORMED, broadcast, r->op->inputs[0],
                       "shape %s does not broadcast to %s",
                       ash_shape_text(from, in_shape(r)),
                       ash_shape_text(to, &want));
}

ash_status ash_op_shape_fill(const ash_rule *r) {
  const ash_tensor *value;
  ASH_TRY(ash_rule_input(r, 1, "value", &value));
  ASH_TRY(ash_rule_type(r, r->op->outputs[0], 1u << value->type));
  ASH_TRY(ash_rule_same_quant(r, r->op->inputs[1], r->op->outputs[0]));
  if (ash_shape_elements(&value->shape) != 1)
    return ASH_RULE_FAIL(r, ASH_MALFORMED, rank, r->op->inputs[1],
                         "%" PRIu64 " values, expected 1",
                         ash_shape_elements(&value->shape));
  return read_shape(r, 0, r->out);
}

ash_status ash_op_shape_shape(const ash_rule *r) {
  ASH_TRY(ash_rule_type(r, r->op->outputs[0], ASH_T_INDEX));
  *r->out = (ash_shape){1, {(int32_t)in_shape(r)->rank}};
  return ASH_OK;
}

ash_status ash_op_shape_reverse(const ash_rule *r) {
  const ash_tensor *axes;
  ASH_TRY(ash_rule_one_type(r, 1));
  ASH_TRY(ash_rule_constant(r, 1, "axes", ASH_T_INDEX, &axes));
  const uint64_t count = ash_shape_elements(&axes->shape);
  for (uint64_t i = 0; i < count; i++) {
    uint32_t axis;
    ASH_TRY(ash_rule_axis(r, r->op->inputs[1], ash_tensor_int(axes, i),
                          in_shape(r)->rank, &axis));
  }
  return ash_op_shape_same(r);
}
