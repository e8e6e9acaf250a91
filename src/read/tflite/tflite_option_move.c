/* tflite_option_move.c - data movement: positions, sizes and orders, which the
 * file has as constant inputs, become attributes.
 *
 * TRANSPOSE, SLICE, STRIDED_SLICE, REVERSE_V2 and BROADCAST_TO are one
 * operator, `strided`; where nothing is left out and nothing changes places,
 * they are `reshape`. */
#include "read/tflite/tflite_option.h"

#include <string.h>

/* ---- steps ----------------------------------------------------------------
 */

/* Output element (i, j, ..) is input element
 * offset + i * step[0] + j * step[1] + .. */
typedef struct walk {
  uint32_t rank;
  int64_t dim[ASH_RANK_MAX], step[ASH_RANK_MAX], perm[ASH_RANK_MAX], offset;
} walk;

/* Elements to the next index along each axis. */
static void steps_of(const ash_shape *s, int64_t *step) {
  int64_t n = 1;
  for (uint32_t i = s->rank; i-- > 0; n *= s->dim[i])
    step[i] = n;
}

/* All elements in their order, and the output says so? */
static bool takes_all(const walk *w, const ash_shape *in,
                      const ash_shape *out) {
  int64_t step = 1;
  bool all = w->offset == 0 && w->rank == out->rank;
  for (uint32_t i = w->rank; all && i-- > 0; step *= w->dim[i])
    all = w->dim[i] == out->dim[i] && (w->dim[i] == 1 || w->step[i] == step);
  return all && (uint64_t)step == ash_shape_elements(in);
}

static ash_status put_walk(ash_tflite_call *c, const walk *found, bool turns) {
  ash_zone *zone = &c->r->ctx->scratch;
  const walk *w = ash_zone_copy(zone, found, sizeof *found);
  ASH_TRY(ash_zone_check(c->r->ctx, zone));
  ash_shape made = {.rank = w->rank};
  for (uint32_t i = 0; i < w->rank; i++) {
    if (w->dim[i] < 0 || w->dim[i] > INT32_MAX)
      return ash_tflite_bad_options(c, "the length of an axis", w->dim[i]);
    made.dim[i] = (int32_t)w->dim[i];
  }
  ASH_TRY(ash_tflite_put_shape(c, 0, &made));
  c->op.input_count = 1;
  if (takes_all(w, ash_tflite_shape_in(c, 0),
                &ash_op_out(c->r->g, &c->op, 0)->shape)) {
    c->op.kind = ASH_OP_reshape;
    return ASH_OK;
  }
  ash_tflite_put(c, ASH_INTS_ATTR("dim", w->dim, w->rank));
  ash_tflite_put(c, ASH_INTS_ATTR("step", w->step, w->rank));
  ash_tflite_put_int(c, "offset", w->offset);
  if (turns)
    ash_tflite_put(c, ASH_INTS_ATTR("perm", w->perm, w->rank));
  return ASH_OK;
}

static ash_status wrong(const ash_tflite_call *c, const char *what) {
  return ash_fail(c->r->ctx, ASH_MALFORMED, ASH_D_op_options,
                  ash_tflite_at_op(c->r, c->index), "%s", what);
}

static ash_status find_axis(const ash_tflite_call *c, int64_t given,
                            uint32_t rank, uint32_t *axis) {
  if (given < -(int64_t)rank || given >= (int64_t)rank)
    return ash_tflite_bad_options(c, "an axis", given);
  *axis = (uint32_t)(given < 0 ? given + rank : given);
  return ASH_OK;
}

/* ---- whole axes -----------------------------------------------------------
 */

ash_status ash_tflite_read_transpose(ash_tflite_call *c) {
  const ash_shape *in = ash_tflite_shape_in(c, 0);
  int64_t step[ASH_RANK_MAX];
  walk w = {.rank = in->rank};
  ash_tflite_list perm;
  uint32_t seen = 0;
  ASH_TRY(ash_tflite_take_list(c, 1, "the permutation", &perm));
  if (perm.count != in->rank)
    return ash_tflite_bad_options(c, "the permutation's length", perm.count);
  steps_of(in, step);
  for (uint32_t i = 0; i < in->rank; i++) {
    uint32_t axis = 0;
    ASH_TRY(find_axis(c, perm.at[i], in->rank, &axis));
    if (seen >> axis & 1)
      return ash_tflite_bad_options(c, "an axis that appears twice", axis);
    seen |= 1u << axis;
    w.dim[i] = in->dim[axis];
    w.step[i] = step[axis];
    w.perm[i] = axis;
  }
  return put_walk(c, &w, true);
}

ash_status ash_tflite_read_reverse(ash_tflite_call *c) {
  const ash_shape *in = ash_tflite_shape_in(c, 0);
  walk w = {.rank = in->rank};
  ash_tflite_list axes;
  ASH_TRY(ash_tflite_take_list(c, 1, "the axes", &axes));
  steps_of(in, w.step);
  for (uint32_t i = 0; i < in->rank; i++)
    w.dim[i] = in->dim[i];
  for (uint32_t k = 0; k < axes.count; k++) {
    uint32_t axis = 0;
    ASH_TRY(find_axis(c, axes.at[k], in->rank, &axis));
    if (w.step[axis] < 0)
      continue;
    w.offset += (w.dim[axis] - 1) * w.step[axis];
    w.step[axis] = -w.step[axis];
  }
  return put_walk(c, &w, false);
}

ash_status ash_tflite_read_broadcast_to(ash_tflite_call *c) {
  const ash_shape *in = ash_tflite_shape_in(c, 0);
  int64_t step[ASH_RANK_MAX];
  ash_tflite_list shape;
  walk w = {0};
  ASH_TRY(ash_tflite_take_list(c, 1, "the shape", &shape));
  if (shape.count > ASH_RANK_MAX || shape.count < in->rank)
    return ash_tflite_bad_options(c, "the shape's length", shape.count);
  steps_of(in, step);
  w.rank = shape.count;
  for (uint32_t i = 0; i < w.rank; i++) {
    const uint32_t missing = w.rank - in->rank;
    const int64_t dim = i < missing ? 1 : in->dim[i - missing];
    w.dim[i] = shape.at[i];
    w.step[i] = dim == 1 ? 0 : step[i - missing];
    if (dim != 1 && dim != shape.at[i])
      return ash_tflite_bad_options(
          c, "the length of an axis that cannot be broadcast", shape.at[i]);
  }
  return put_walk(c, &w, false);
}

/* A value everywhere: its shape comes first. */
ash_status ash_tflite_read_fill(ash_tflite_call *c) {
  const ash_tensor *value = ash_op_in(c->r->g, &c->op, 1);
  ash_tflite_list shape;
  walk w = {0};
  ASH_TRY(ash_tflite_take_list(c, 0, "the shape", &shape));
  if (!value || ash_shape_elements(&value->shape) != 1)
    return wrong(c, "one value is needed");
  if (shape.count > ASH_RANK_MAX)
    return ash_tflite_bad_options(c, "the shape's length", shape.count);
  w.rank = shape.count;
  for (uint32_t i = 0; i < w.rank; i++)
    w.dim[i] = shape.at[i];
  c->op.inputs[0] = c->op.inputs[1];
  return put_walk(c, &w, false);
}

/* ---- slices ---------------------------------------------------------------
 */

ash_status ash_tflite_read_slice(ash_tflite_call *c) {
  const ash_shape *in = ash_tflite_shape_in(c, 0);
  ash_tflite_list begin, size;
  walk w = {.rank = in->rank};
  ASH_TRY(ash_tflite_take_list(c, 1, "the begin", &begin));
  ASH_TRY(ash_tflite_take_list(c, 2, "the size", &size));
  if (begin.count != in->rank || size.count != in->rank)
    return wrong(c, "one begin and one size per axis are needed");
  steps_of(in, w.step);
  for (uint32_t i = 0; i < in->rank; i++) {
    const int64_t first = begin.at[i];
    const int64_t left =
        first < 0 || first > in->dim[i] ? 0 : in->dim[i] - first;
    const int64_t count = size.at[i] == -1 ? left : size.at[i];
    if (count < 1 || count > left)
      return wrong(c, "a begin and size lie outside the input");
    w.dim[i] = count;
    w.offset += first * w.step[i];
  }
  return put_walk(c, &w, false);
}

/* Begins, ends and strides of STRIDED_SLICE, one entry per axis, unless masks
 * say otherwise. */
typedef struct spec {
  ash_tflite_list begin, end, step;
  int32_t begin_mask, end_mask, ellipsis, fresh, shrink;
  bool offset; /* ends count from the begins */
} spec;

static bool bit(int32_t mask, uint32_t i) {
  return (uint32_t)mask >> i & 1;
}

static ash_status read_spec(ash_tflite_call *c, spec *s) {
  ASH_TRY(ash_tflite_take_list(c, 1, "the begin", &s->begin));
  ASH_TRY(ash_tflite_take_list(c, 2, "the end", &s->end));
  ASH_TRY(ash_tflite_take_list(c, 3, "the strides", &s->step));
  s->begin_mask = ash_fb_i32(&c->options, 0, 0);
  s->end_mask = ash_fb_i32(&c->options, 1, 0);
  s->ellipsis = ash_fb_i32(&c->options, 2, 0);
  s->fresh = ash_fb_i32(&c->options, 3, 0);
  s->shrink = ash_fb_i32(&c->options, 4, 0);
  s->offset = ash_fb_bool(&c->options, 5, false);
  if (s->begin.count > 31 || s->end.count != s->begin.count ||
      s->step.count != s->begin.count)
    return wrong(c, "begins, ends and strides differ in number");
  return ASH_OK;
}

static int64_t clamp(int64_t x, int64_t lo, int64_t hi) {
  if (x < lo)
    return lo;
  return x > hi ? hi : x;
}

/* What entry i takes of an axis. */
typedef struct taken {
  int64_t first, stride, count;
} taken;

static ash_status take_axis(const ash_tflite_call *c, const spec *s, uint32_t i,
                            int32_t length, taken *out) {
  const int64_t stride = s->step.at[i];
  const int64_t lo = stride > 0 ? 0 : -1;
  const int64_t hi = stride > 0 ? length : length - 1;
  int64_t first = s->begin.at[i], last = s->end.at[i];
  if (stride == 0 || stride < -INT32_MAX || stride > INT32_MAX)
    return ash_tflite_bad_options(c, "a stride", stride);
  first = clamp(first < 0 ? first + length : first, lo, hi);
  if (bit(s->begin_mask, i))
    first = stride > 0 ? 0 : length - 1;
  last = s->offset ? last + first : last;
  last = clamp(last < 0 ? last + length : last, lo, hi);
  if (bit(s->end_mask, i))
    last = stride > 0 ? length : -1;
  if (bit(s->shrink, i))
    last = first + (stride > 0 ? 1 : -1);
  const int64_t room = stride > 0 ? last - first : first - last;
  const int64_t pace = stride > 0 ? stride : -stride;
  if (room < 1 || first < 0 || first >= length)
    return wrong(c, "an axis of the result is empty");
  *out = (taken){first, stride, (room + pace - 1) / pace};
  return ASH_OK;
}

static ash_status add_dim(const ash_tflite_call *c, walk *w, int64_t dim,
                          int64_t step) {
  if (w->rank == ASH_RANK_MAX)
    return wrong(c, "the result has too many axes");
  w->dim[w->rank] = dim;
  w->step[w->rank++] = step;
  return ASH_OK;
}

/* Entries that read an axis, from entry i on. */
static uint32_t count_readers(const spec *s, uint32_t i) {
  uint32_t readers = 0;
  for (; i < s->begin.count; i++)
    readers += !bit(s->fresh, i) && !bit(s->ellipsis, i);
  return readers;
}

/* Axes that no entry speaks of are taken whole. */
static ash_status take_whole(const ash_tflite_call *c, walk *w,
                             const int64_t *step, uint32_t *axis,
                             uint32_t end) {
  const ash_shape *in = ash_tflite_shape_in(c, 0);
  if (end < *axis)
    return wrong(c, "there is no axis left for an entry");
  for (; *axis < end; ++*axis)
    ASH_TRY(add_dim(c, w, in->dim[*axis], step[*axis]));
  return ASH_OK;
}

static ash_status take_entry(const ash_tflite_call *c, const spec *s,
                             uint32_t i, walk *w, const int64_t *step,
                             uint32_t *axis) {
  const ash_shape *in = ash_tflite_shape_in(c, 0);
  taken t = {0};
  if (bit(s->ellipsis, i))
    return take_whole(c, w, step, axis, in->rank - count_readers(s, i + 1));
  if (bit(s->fresh, i))
    return add_dim(c, w, 1, 0);
  if (*axis >= in->rank)
    return wrong(c, "there is no axis left for an entry");
  ASH_TRY(take_axis(c, s, i, in->dim[*axis], &t));
  const int64_t along = step[(*axis)++];
  w->offset += t.first * along;
  return bit(s->shrink, i) ? ASH_OK : add_dim(c, w, t.count, t.stride * along);
}

ash_status ash_tflite_read_strided_slice(ash_tflite_call *c) {
  const ash_shape *in = ash_tflite_shape_in(c, 0);
  int64_t step[ASH_RANK_MAX];
  spec s = {0};
  walk w = {0};
  uint32_t axis = 0;
  ASH_TRY(read_spec(c, &s));
  if (count_readers(&s, 0) > in->rank)
    return wrong(c, "there is no axis left for an entry");
  steps_of(in, step);
  for (uint32_t i = 0; i < s.begin.count; i++)
    ASH_TRY(take_entry(c, &s, i, &w, step, &axis));
  ASH_TRY(take_whole(c, &w, step, &axis, in->rank));
  return put_walk(c, &w, false);
}

/* ---- splits ---------------------------------------------------------------
 */

/* `sizes` has room for one entry per output. */
static ash_status put_split(ash_tflite_call *c, uint32_t axis,
                            const int64_t *sizes) {
  c->op.input_count = 1;
  ash_tflite_put_int(c, "axis", axis);
  ash_tflite_put(c, ASH_INTS_ATTR("sizes", sizes, c->op.output_count));
  return ASH_OK;
}

static ash_status constant_axis(const ash_tflite_call *c, uint32_t k,
                                uint32_t *axis) {
  ash_tflite_list given;
  ASH_TRY(ash_tflite_take_list(c, k, "the axis", &given));
  if (given.count != 1)
    return ash_tflite_bad_options(c, "the number of axes", given.count);
  return find_axis(c, given.at[0], ash_tflite_shape_in(c, 0)->rank, axis);
}

static ash_status equal_sizes(const ash_tflite_call *c, int64_t length,
                              int64_t **out) {
  const uint32_t parts = c->op.output_count;
  int64_t *sizes = ASH_NEW_ARRAY(&c->r->ctx->scratch, int64_t, parts + 1u);
  ASH_TRY(ash_zone_check(c->r->ctx, &c->r->ctx->scratch));
  if (length % parts != 0)
    return ash_tflite_bad_options(
        c, "the length of an axis that does not divide into the parts", length);
  for (uint32_t k = 0; k < parts; k++)
    sizes[k] = length / parts;
  *out = sizes;
  return ASH_OK;
}

ash_status ash_tflite_read_split(ash_tflite_call *c) {
  int64_t *sizes = NULL;
  uint32_t axis = 0;
  ASH_TRY(constant_axis(c, 1, &axis));
  ASH_TRY(equal_sizes(c, ash_tflite_shape_in(c, 0)->dim[axis], &sizes));
  return put_split(c, axis, sizes);
}

/* One size may be -1: what is left. */
ash_status ash_tflite_read_split_v(ash_tflite_call *c) {
  ash_tflite_list given;
  uint32_t axis = 0, open = UINT32_MAX;
  ASH_TRY(ash_tflite_take_list(c, 1, "the sizes", &given));
  ASH_TRY(constant_axis(c, 2, &axis));
  if (given.count != c->op.output_count)
    return ash_tflite_bad_options(c, "the number of sizes", given.count);
  int64_t *sizes =
      ash_zone_copy(&c->r->ctx->scratch, given.at, given.count * sizeof *sizes);
  ASH_TRY(ash_zone_check(c->r->ctx, &c->r->ctx->scratch));
  int64_t left = ash_tflite_shape_in(c, 0)->dim[axis];
  for (uint32_t k = 0; k < given.count; k++) {
    if (sizes[k] < -1 || sizes[k] > INT32_MAX ||
        (sizes[k] == -1 && open != UINT32_MAX))
      return ash_tflite_bad_options(c, "the size of a part", sizes[k]);
    if (sizes[k] == -1)
      open = k;
    else
      left -= sizes[k];
  }
  if (open != UINT32_MAX)
    sizes[open] = left;
  return put_split(c, axis, sizes);
}

/* ---- stacks ---------------------------------------------------------------
 */

/* A tensor like `model` with an axis of 1 in front of axis `axis`. */
static ash_status add_row(const ash_tflite_call *c, uint32_t model,
                          uint32_t axis, uint32_t *out) {
  ash_tensor t = c->r->g->tensors.items[model];
  if (t.shape.rank == ASH_RANK_MAX)
    return wrong(c, "the result has too many axes");
  for (uint32_t i = t.shape.rank++; i > axis; i--)
    t.shape.dim[i] = t.shape.dim[i - 1];
  t.shape.dim[axis] = 1;
  t.id = NULL;
  t.is_output = false;
  if (t.kind != ASH_TENSOR_CONSTANT)
    t.kind = ASH_TENSOR_ACTIVATION;
  return ash_graph_add_tensor(c->r->g, out, t);
}

/* Operator `k` of those that become of this one. */
static ash_status add_step(const ash_tflite_call *c, ash_op op, uint32_t k) {
  uint32_t ignored;
  op.source_index = c->index;
  op.id = ash_zone_format(
      &c->r->ctx->scratch, "%s_%s%u_%u", ash_op_kind_text(op.kind),
      c->r->prefix ? c->r->prefix : "", (unsigned)c->index, (unsigned)k);
  ASH_TRY(ash_zone_check(c->r->ctx, &c->r->ctx->scratch));
  return ash_graph_add_op(c->r->g, &ignored, op);
}

static ash_status add_reshape(const ash_tflite_call *c, uint32_t from,
                              uint32_t to, uint32_t k) {
  return add_step(c,
                  (ash_op){.kind = ASH_OP_reshape,
                           .input_count = 1,
                           .output_count = 1,
                           .inputs = &from,
                           .outputs = &to},
                  k);
}

/* The inputs get the axis along which they are joined. */
ash_status ash_tflite_read_pack(ash_tflite_call *c) {
  const ash_shape first = *ash_tflite_shape_in(c, 0);
  uint32_t axis = 0;
  ASH_TRY(find_axis(c, ash_fb_i32(&c->options, 1, 0), first.rank + 1, &axis));
  for (uint32_t k = 0; k < c->op.input_count; k++) {
    const uint32_t from = c->op.inputs[k];
    if (from == ASH_NO_ID ||
        !ash_shape_equal(&first, ash_tflite_shape_in(c, k)))
      return wrong(c, "an input is absent or has another shape than the first");
    ASH_TRY(add_row(c, from, axis, &c->op.inputs[k]));
    if (c->r->g->tensors.items[from].kind != ASH_TENSOR_CONSTANT)
      ASH_TRY(add_reshape(c, from, c->op.inputs[k], k));
  }
  ash_tflite_put_int(c, "axis", axis);
  return ASH_OK;
}

/* The parts lose the axis along which they were cut. The last of these steps
 * takes the place of the operator. */
ash_status ash_tflite_read_unpack(ash_tflite_call *c) {
  const ash_shape *in = ash_tflite_shape_in(c, 0);
  const uint32_t count = c->op.output_count;
  uint32_t axis = 0;
  int64_t *sizes = NULL;
  ASH_TRY(find_axis(c, ash_fb_i32(&c->options, 1, 0), in->rank, &axis));
  if (in->dim[axis] != (int32_t)count)
    return ash_tflite_bad_options(c, "the number of outputs", count);
  ASH_TRY(equal_sizes(c, count, &sizes));
  ash_shape part = {.rank = in->rank - 1};
  for (uint32_t i = 0; i < part.rank; i++)
    part.dim[i] = in->dim[i + (i >= axis)];
  for (uint32_t k = 0; k < count; k++)
    ASH_TRY(ash_tflite_put_shape(c, k, &part));
  uint32_t *rows = ASH_NEW_ARRAY(&c->r->ctx->scratch, uint32_t, count);
  ASH_TRY(ash_zone_check(c->r->ctx, &c->r->ctx->scratch));
  for (uint32_t k = 0; k < count; k++)
    ASH_TRY(add_row(c, c->op.outputs[k], axis, &rows[k]));
  ASH_TRY(put_split(c, axis, sizes));
  ash_op split = c->op;
  split.outputs = rows;
  ASH_TRY(add_step(c, split, 0));
  for (uint32_t k = 0; k + 1 < count; k++)
    ASH_TRY(add_reshape(c, rows[k], c->op.outputs[k], k));
  c->op = (ash_op){.kind = ASH_OP_reshape,
                   .source_index = c->index,
                   .input_count = 1,
                   .output_count = 1,
                   .inputs = &rows[count - 1],
                   .outputs = &c->op.outputs[count - 1]};
  return ASH_OK;
}

/* ---- padding, blocks and repetition ---------------------------------------
 */

/* Rows [before, after], one per axis, in input k. */
static ash_status put_pairs(ash_tflite_call *c, uint32_t k, uint32_t axes) {
  ash_tflite_list pairs;
  ASH_TRY(ash_tflite_take_list(c, k, "the paddings", &pairs));
  if (pairs.count != 2 * axes)
    return ash_tflite_bad_options(c, "the number of paddings", pairs.count);
  int64_t *before = ASH_NEW_ARRAY(&c->r->ctx->scratch, int64_t, axes + 1u);
  int64_t *after = ASH_NEW_ARRAY(&c->r->ctx->scratch, int64_t, axes + 1u);
  ASH_TRY(ash_zone_check(c->r->ctx, &c->r->ctx->scratch));
  for (uint32_t i = 0; i < axes; i++) {
    before[i] = pairs.at[2 * (size_t)i];
    after[i] = pairs.at[2 * (size_t)i + 1];
  }
  ash_tflite_put(c, ASH_INTS_ATTR("before", before, axes));
  ash_tflite_put(c, ASH_INTS_ATTR("after", after, axes));
  return ASH_OK;
}

/* PADV2 has a value behind the paddings. */
ash_status ash_tflite_read_pad(ash_tflite_call *c) {
  ASH_TRY(put_pairs(c, 1, ash_tflite_shape_in(c, 0)->rank));
  if (c->op.input_count > 2)
    c->op.inputs[1] = c->op.inputs[2];
  c->op.input_count--;
  return ASH_OK;
}

ash_status ash_tflite_read_mirror_pad(ash_tflite_call *c) {
  const uint32_t mode = ash_fb_u8(&c->options, 0, 0);
  if (mode > 1)
    return ash_tflite_bad_options(c, "the mode's number", mode);
  ASH_TRY(put_pairs(c, 1, ash_tflite_shape_in(c, 0)->rank));
  c->op.input_count = 1;
  ash_tflite_put(c, ASH_STRING_ATTR("mode", mode ? "symmetric" : "reflect"));
  return ASH_OK;
}

/* Input k, `count` numbers, as an attribute. */
static ash_status put_list(ash_tflite_call *c, uint32_t k, const char *name,
                           uint32_t count) {
  ash_tflite_list list;
  ASH_TRY(ash_tflite_take_list(c, k, name, &list));
  if (list.count != count)
    return ash_fail(c->r->ctx, ASH_MALFORMED, ASH_D_op_options,
                    ash_tflite_at_op(c->r, c->index),
                    "%s has %u values, expected %u", name, (unsigned)list.count,
                    (unsigned)count);
  ash_tflite_put(c, ASH_INTS_ATTR(name, list.at, list.count));
  return ASH_OK;
}

/* Between the batch and the channels. */
ash_status ash_tflite_read_blocks(ash_tflite_call *c) {
  const uint32_t rank = ash_tflite_shape_in(c, 0)->rank;
  const uint32_t axes = rank < 2 ? 0 : rank - 2;
  ASH_TRY(put_list(c, 1, "block", axes));
  ASH_TRY(put_pairs(c, 2, axes));
  c->op.input_count = 1;
  return ASH_OK;
}

ash_status ash_tflite_read_tile(ash_tflite_call *c) {
  ASH_TRY(put_list(c, 1, "times", ash_tflite_shape_in(c, 0)->rank));
  c->op.input_count = 1;
  return ASH_OK;
}

ash_status ash_tflite_read_resize(ash_tflite_call *c) {
  ASH_TRY(put_list(c, 1, "size", 2));
  c->op.input_count = 1;
  return ash_tflite_read_fields(c);
}

ash_status ash_tflite_read_rfft2d(ash_tflite_call *c) {
  ASH_TRY(put_list(c, 1, "length", 2));
  c->op.input_count = 1;
  return ASH_OK;
}

/* ---- shapes ---------------------------------------------------------------
 */

/* Shapes are known: SHAPE is a constant. */
ash_status ash_tflite_read_shape(ash_tflite_call *c) {
  const ash_shape in = *ash_tflite_shape_in(c, 0);
  const ash_shape shape = {1, {(int32_t)in.rank}};
  const ash_type type = ash_op_out(c->r->g, &c->op, 0)->type;
  const size_t width = ash_type_bits(type) / 8;
  uint8_t *bytes = ASH_NEW_ARRAY(&c->r->g->zone, uint8_t, in.rank * width + 1);
  const char *id =
      ash_zone_format(&c->r->g->zone, "shape_%s%u",
                      c->r->prefix ? c->r->prefix : "", (unsigned)c->index);
  ASH_TRY(ash_zone_check(c->r->ctx, &c->r->g->zone));
  ASH_TRY(ash_tflite_put_shape(c, 0, &shape));
  for (uint32_t i = 0; i < in.rank; i++)
    for (uint32_t b = 0; b < 4; b++)
      bytes[i * width + b] = (uint8_t)((uint32_t)in.dim[i] >> (8 * b));
  return ash_graph_add_constant(c->r->g, &c->op.inputs[0], id, type, &shape,
                                bytes);
}
