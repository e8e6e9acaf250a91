/* slice.c - begins, ends, strides and masks -> elements taken. */
#include "op/slice.h"

static const char *resolve_slice(const ash_graph *g, const ash_op *op,
                                 ash_slice *out) {
  const ash_shape *in = &ash_op_in(g, op, 0)->shape;
  const ash_tensor *begin = ash_op_in(g, op, 1), *size = ash_op_in(g, op, 2);
  if (ash_shape_elements(&begin->shape) != in->rank ||
      ash_shape_elements(&size->shape) != in->rank)
    return "one begin and one size an axis are needed";
  out->rank = in->rank;
  for (uint32_t i = 0; i < in->rank; i++) {
    const int64_t first = ash_tensor_int(begin, i);
    const int64_t given = ash_tensor_int(size, i);
    const int64_t count = given == -1 ? in->dim[i] - first : given;
    if (first < 0 || count < 1 || first > in->dim[i] ||
        count > in->dim[i] - first)
      return "a begin and size lie outside the input";
    out->begin[i] = (int32_t)first;
    out->step[i] = 1;
    out->size[i] = (int32_t)count;
    out->from[i] = i;
  }
  return NULL;
}

/* ---- strided_slice ------------------------------------------------------ */

typedef struct spec {
  const ash_tensor *begin, *end, *step;
  uint32_t count;
  int64_t begin_mask, end_mask, shrink, fresh, ellipsis;
  bool offset; /* ends count from the begins */
} spec;

static bool bit(int64_t mask, uint32_t i) {
  return mask >> i & 1;
}

static spec spec_of(const ash_graph *g, const ash_op *op) {
  const ash_tensor *begin = ash_op_in(g, op, 1);
  return (spec){.begin = begin,
                .end = ash_op_in(g, op, 2),
                .step = ash_op_in(g, op, 3),
                .count = (uint32_t)ash_shape_elements(&begin->shape),
                .begin_mask = ash_attr_int(op, "begin_mask", 0),
                .end_mask = ash_attr_int(op, "end_mask", 0),
                .shrink = ash_attr_int(op, "shrink_axis_mask", 0),
                .fresh = ash_attr_int(op, "new_axis_mask", 0),
                .ellipsis = ash_attr_int(op, "ellipsis_mask", 0),
                .offset = ash_attr_int(op, "offset", 0) != 0};
}

static int64_t clamp(int64_t x, int64_t lo, int64_t hi) {
  if (x < lo)
    return lo;
  return x > hi ? hi : x;
}

/* One axis of `length`, read by entry i of the spec. */
static const char *resolve_axis(const spec *s, uint32_t i, int32_t length,
                                int32_t *begin, int32_t *step, int32_t *size) {
  const int64_t stride = ash_tensor_int(s->step, i);
  const int64_t lo = stride > 0 ? 0 : -1;
  const int64_t hi = stride > 0 ? length : length - 1;
  int64_t first = ash_tensor_int(s->begin, i);
  int64_t last = ash_tensor_int(s->end, i);
  if (stride == 0 || stride < -INT32_MAX || stride > INT32_MAX)
    return "a stride is 0";
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
    return "an axis of the result is empty";
  *begin = (int32_t)first;
  *step = (int32_t)stride;
  *size = (int32_t)((room + pace - 1) / pace);
  return NULL;
}

static const char *keep_axis(ash_slice *out, uint32_t axis) {
  if (out->rank == ASH_RANK_MAX)
    return "the result has too many axes";
  out->from[out->rank++] = axis;
  return NULL;
}

/* Axes that no entry speaks of are taken whole. */
static const char *take_whole(const ash_shape *in, ash_slice *out,
                              uint32_t first, uint32_t end) {
  const char *wrong = NULL;
  for (uint32_t axis = first; axis < end && !wrong; axis++) {
    out->begin[axis] = 0;
    out->step[axis] = 1;
    out->size[axis] = in->dim[axis];
    wrong = keep_axis(out, axis);
  }
  return wrong;
}

/* Entries that read an axis, from entry i on. */
static uint32_t count_readers(const spec *s, uint32_t i) {
  uint32_t readers = 0;
  for (; i < s->count; i++)
    readers += !bit(s->fresh, i) && !bit(s->ellipsis, i);
  return readers;
}

static const char *resolve_strided(const ash_graph *g, const ash_op *op,
                                   ash_slice *out) {
  const ash_shape *in = &ash_op_in(g, op, 0)->shape;
  const spec s = spec_of(g, op);
  const char *wrong = NULL;
  uint32_t axis = 0;
  if (s.count > 31 || ash_shape_elements(&s.end->shape) != s.count ||
      ash_shape_elements(&s.step->shape) != s.count ||
      count_readers(&s, 0) > in->rank)
    return "begins, ends and strides do not match each other and the input";
  for (uint32_t i = 0; i < s.count && !wrong; i++) {
    if (bit(s.ellipsis, i)) {
      const uint32_t end = in->rank - count_readers(&s, i + 1);
      wrong = end < axis ? "there is no axis left for an entry"
                         : take_whole(in, out, axis, end);
      axis = end;
    } else if (bit(s.fresh, i)) {
      wrong = keep_axis(out, ASH_NO_ID);
    } else if (axis >= in->rank) {
      wrong = "there is no axis left for an entry";
    } else {
      wrong = resolve_axis(&s, i, in->dim[axis], &out->begin[axis],
                           &out->step[axis], &out->size[axis]);
      if (!wrong && !bit(s.shrink, i))
        wrong = keep_axis(out, axis);
      axis++;
    }
  }
  return wrong ? wrong : take_whole(in, out, axis, in->rank);
}

const char *ash_slice_of(const ash_graph *g, const ash_op *op, ash_slice *out) {
  *out = (ash_slice){.rank = 0};
  return op->kind == ASH_OP_slice ? resolve_slice(g, op, out)
                                  : resolve_strided(g, op, out);
}

int64_t ash_op_split_axis(const ash_graph *g, const ash_op *op) {
  if (op->kind == ASH_OP_split)
    return ash_tensor_int(ash_op_in(g, op, 1), 0);
  if (op->kind == ASH_OP_split_v)
    return ash_tensor_int(ash_op_in(g, op, 2), 0);
  return ash_attr_int(op, "axis", 0);
}
