/* onnx_ops_move.c - shapes and places of elements. */
#include "read/onnx/onnx_import.h"

#include <string.h>

/* A list from input k, or from the attribute of older operator sets. */
static const int64_t *list_of(ash_ox *m, uint32_t k, const char *name,
                              int64_t *room, uint32_t most, uint32_t *count) {
  const int64_t *given = ash_ox_ints(m, name, count);
  if (given && *count <= most)
    return given;
  *count = 0;
  if (!ash_ox_has(m, k))
    return NULL;
  *count = ash_ox_list(m, ash_ox_in(m, k), room, most);
  return room;
}

/* ---- shapes -------------------------------------------------------------- */

static void read_reshape(ash_ox *m) {
  const uint32_t x = ash_ox_in(m, 0);
  int64_t room[ASH_RANK_MAX];
  uint32_t count;
  const int64_t *want = list_of(m, 1, "shape", room, ASH_RANK_MAX, &count);
  const bool allow_zero = ash_ox_int(m, "allowzero", 0) != 0;
  ash_shape shape = {.rank = count};
  int64_t known = 1;
  uint32_t open = ASH_NO_ID;
  for (uint32_t i = 0; want && i < count; i++) {
    const int64_t dim =
        want[i] == 0 && !allow_zero ? ash_ox_dim(m, x, i) : want[i];
    if (dim == -1)
      open = i;
    else if (dim < 0 || dim > INT32_MAX)
      ash_ox_bad(m, "a dimension is out of range");
    else
      known *= dim;
    shape.dim[i] = dim == -1 ? 1 : (int32_t)dim;
  }
  const int64_t all = (int64_t)ash_shape_elements(ash_ox_shape(m, x));
  if (open != ASH_NO_ID && known > 0)
    shape.dim[open] = (int32_t)(all / known);
  ash_ox_out(m, 0, ash_ox_reshape(m, x, shape));
}

static void read_flatten(ash_ox *m) {
  const uint32_t x = ash_ox_in(m, 0);
  const ash_shape *s = ash_ox_shape(m, x);
  int64_t axis = ash_ox_int(m, "axis", 1);
  axis += axis < 0 ? s->rank : 0;
  ash_shape shape = {2, {1, 1}};
  for (uint32_t i = 0; i < s->rank; i++)
    shape.dim[i >= axis] *= s->dim[i];
  ash_ox_out(m, 0, ash_ox_reshape(m, x, shape));
}

static void read_squeeze(ash_ox *m) {
  const uint32_t x = ash_ox_in(m, 0);
  const ash_shape *s = ash_ox_shape(m, x);
  int64_t room[ASH_RANK_MAX];
  uint32_t count, drop = 0;
  const int64_t *axes = list_of(m, 1, "axes", room, ASH_RANK_MAX, &count);
  for (uint32_t i = 0; axes && i < count; i++)
    drop |= 1u << ash_ox_axis(m, axes[i], s->rank);
  ash_shape shape = {0};
  for (uint32_t i = 0; i < s->rank; i++) {
    const bool gone = axes ? drop >> i & 1 : s->dim[i] == 1;
    if (gone && s->dim[i] != 1)
      ash_ox_bad(m, "an axis of more than one element cannot be dropped");
    if (!gone)
      shape.dim[shape.rank++] = s->dim[i];
  }
  ash_ox_out(m, 0, ash_ox_reshape(m, x, shape));
}

static void read_unsqueeze(ash_ox *m) {
  const uint32_t x = ash_ox_in(m, 0);
  const ash_shape *s = ash_ox_shape(m, x);
  int64_t room[ASH_RANK_MAX];
  uint32_t count, added = 0, from = 0;
  const int64_t *axes = list_of(m, 1, "axes", room, ASH_RANK_MAX, &count);
  ash_shape shape = {.rank = s->rank + count};
  if (shape.rank > ASH_RANK_MAX) {
    ash_ox_refuse(m, "a rank above 8");
    return;
  }
  for (uint32_t i = 0; axes && i < count; i++)
    added |= 1u << ash_ox_axis(m, axes[i], shape.rank);
  for (uint32_t i = 0; i < shape.rank; i++)
    shape.dim[i] = added >> i & 1 || from >= s->rank ? 1 : s->dim[from++];
  ash_ox_out(m, 0, ash_ox_reshape(m, x, shape));
}

static void read_transpose(ash_ox *m) {
  const uint32_t x = ash_ox_in(m, 0);
  const uint32_t rank = ash_ox_rank(m, x);
  uint32_t count, perm[ASH_RANK_MAX], seen = 0;
  const int64_t *given = ash_ox_ints(m, "perm", &count);
  for (uint32_t i = 0; i < rank; i++) {
    perm[i] =
        given && i < count ? ash_ox_axis(m, given[i], rank) : rank - 1 - i;
    seen |= 1u << perm[i];
  }
  if (m->status == ASH_OK && seen != (1u << rank) - 1)
    ash_ox_bad(m, "the order of axes is no permutation");
  if (m->status == ASH_OK)
    ash_ox_out(m, 0, ash_ox_transpose(m, x, perm));
}

static void read_expand(ash_ox *m) {
  const uint32_t x = ash_ox_in(m, 0);
  int64_t want[ASH_RANK_MAX];
  const uint32_t count = ash_ox_list(m, ash_ox_in(m, 1), want, ASH_RANK_MAX);
  const ash_shape *s = ash_ox_shape(m, x);
  ash_shape to = {.rank = count > s->rank ? count : s->rank};
  for (uint32_t i = 0; i < to.rank; i++) {
    const int64_t a = i + s->rank < to.rank ? 1 : s->dim[i + s->rank - to.rank];
    const int64_t b = i + count < to.rank ? 1 : want[i + count - to.rank];
    to.dim[i] = (int32_t)(a > b ? a : b);
  }
  ash_ox_out(m, 0, ash_ox_expand(m, x, &to));
}

/* ---- parts --------------------------------------------------------------- */

static uint32_t slice_axis(ash_ox *m, uint32_t x, uint32_t axis, int64_t start,
                           int64_t end, int64_t step) {
  const int64_t size = ash_ox_dim(m, x, axis);
  if (step == 0) {
    ash_ox_bad(m, "a step of 0");
    return x;
  }
  const int64_t low = step < 0 ? -1 : 0, high = step < 0 ? size - 1 : size;
  start += start < 0 ? size : 0;
  end += end < 0 ? size : 0;
  start = start < (step < 0 ? 0 : low) ? (step < 0 ? low : 0) : start;
  start = start > high ? high : start;
  end = end < low ? low : end > size ? size : end;
  const int64_t count = step > 0 ? (end - start + step - 1) / step
                                 : (start - end - step - 1) / -step;
  if (count < 1 && ash_ox_is_constant(m, x)) { /* lists may be empty */
    ash_shape s = *ash_ox_shape(m, x);
    s.dim[axis] = 0;
    return ash_ox_constant(m, ash_ox_type(m, x), s, NULL);
  }
  if (start < 0 || count < 1) {
    ash_ox_refuse(m, "a result without elements");
    return x;
  }
  return ash_ox_slice(m, x, axis, start, step, count);
}

static void read_slice(ash_ox *m) {
  uint32_t x = ash_ox_in(m, 0);
  const uint32_t rank = ash_ox_rank(m, x);
  int64_t rooms[4][ASH_RANK_MAX];
  uint32_t n[4];
  const int64_t *starts = list_of(m, 1, "starts", rooms[0], ASH_RANK_MAX, n);
  const int64_t *ends = list_of(m, 2, "ends", rooms[1], ASH_RANK_MAX, n + 1);
  const int64_t *axes = list_of(m, 3, "axes", rooms[2], ASH_RANK_MAX, n + 2);
  const int64_t *steps = list_of(m, 4, "steps", rooms[3], ASH_RANK_MAX, n + 3);
  if (m->status == ASH_OK && (!starts || !ends || n[0] != n[1] ||
                              (axes && n[2] < n[0]) || (steps && n[3] < n[0])))
    ash_ox_bad(m, "starts, ends, axes and steps differ in length");
  for (uint32_t i = 0; i < n[0] && m->status == ASH_OK; i++) {
    const uint32_t axis = ash_ox_axis(m, axes ? axes[i] : i, rank);
    /* Beyond any axis; sums below must not overflow. */
    const int64_t far = (int64_t)1 << 40;
    const int64_t start = starts[i] < -far  ? -far
                          : starts[i] > far ? far
                                            : starts[i];
    const int64_t end = ends[i] < -far ? -far : ends[i] > far ? far : ends[i];
    const int64_t step = !steps ? 1 : steps[i] > far ? far : steps[i];
    x = slice_axis(m, x, axis, start, end, step < -far ? -far : step);
  }
  ash_ox_out(m, 0, x);
}

static void read_split(ash_ox *m) {
  const uint32_t x = ash_ox_in(m, 0);
  const uint32_t axis =
      ash_ox_axis(m, ash_ox_int(m, "axis", 0), ash_ox_rank(m, x));
  int64_t room[64];
  uint32_t count;
  const int64_t *sizes = list_of(m, 1, "split", room, 64, &count);
  const int64_t parts = ash_ox_int(m, "num_outputs", m->node->output_count);
  const int64_t size = ash_ox_dim(m, x, axis);
  const int64_t each = parts > 0 ? (size + parts - 1) / parts : size;
  int64_t start = 0;
  for (uint32_t k = 0; k < m->node->output_count && m->status == ASH_OK; k++) {
    int64_t n = sizes ? (k < count ? sizes[k] : 0) : each;
    n = !sizes && n > size - start ? size - start : n;
    if (n < 0 || n > size - start)
      ash_ox_bad(m, "the parts do not add up to the axis");
    else
      ash_ox_out(m, k, ash_ox_slice(m, x, axis, start, 1, n));
    start += n;
  }
}

static void read_concat(ash_ox *m) {
  uint32_t *ids =
      ASH_NEW_ARRAY(&m->ctx->scratch, uint32_t, m->node->input_count + 1u);
  uint32_t count = 0;
  if (!ids) {
    m->status = ash_nomem(m->ctx);
    return;
  }
  for (uint32_t k = 0; k < m->node->input_count; k++) {
    const uint32_t x = ash_ox_in(m, k);
    if (ash_shape_elements(ash_ox_shape(m, x)) || m->node->input_count == 1)
      ids[count++] = x; /* empty ones add nothing */
  }
  if (count == 0) {
    ash_ox_refuse(m, "a result without elements");
    return;
  }
  ash_ox_out(m, 0,
             ash_ox_join(m, ids, count,
                         ash_ox_axis(m, ash_ox_int(m, "axis", 0),
                                     ash_ox_rank(m, ids[0]))));
}

static void read_tile(ash_ox *m) {
  const uint32_t x = ash_ox_in(m, 0), rank = ash_ox_rank(m, x);
  int64_t times[ASH_RANK_MAX];
  const uint32_t count = ash_ox_list(m, ash_ox_in(m, 1), times, ASH_RANK_MAX);
  bool any = false;
  for (uint32_t i = 0; i < count; i++)
    any = any || times[i] != 1;
  if (m->status == ASH_OK && count != rank)
    ash_ox_bad(m, "one number of repetitions per axis is needed");
  ash_ox_out(m, 0,
             any ? ash_ox_add_op(m, &(ash_ox_op){.kind = ASH_OP_tile,
                                                 .inputs = {x},
                                                 .input_count = 1,
                                                 .attrs = {ASH_INTS_ATTR(
                                                     "times", times, rank)},
                                                 .attr_count = 1,
                                                 .type = ash_ox_type(m, x)})
                 : x);
}

/* ---- padding ------------------------------------------------------------- */

/* Which element of an axis stands at place i, for padding without a value. */
static int64_t mirror(int64_t i, int64_t size, bool reflect, bool wrap) {
  if (wrap)
    return ((i % size) + size) % size;
  if (!reflect)
    return i < 0 ? 0 : i >= size ? size - 1 : i;
  return i < 0 ? -i : i < size ? i : 2 * (size - 1) - i;
}

static uint32_t pad_by_index(ash_ox *m, uint32_t x, uint32_t axis,
                             int64_t before, int64_t after) {
  const int64_t size = ash_ox_dim(m, x, axis), all = size + before + after;
  const bool reflect = ash_ox_is(m, "mode", "reflect", "constant");
  const bool wrap = ash_ox_is(m, "mode", "wrap", "constant");
  if (all < 1 || all > 1 << 24) {
    ash_ox_refuse(m, "this amount of padding");
    return x;
  }
  if (reflect && (before >= size || after >= size)) {
    ash_ox_bad(m, "a reflection is longer than the input allows");
    return x;
  }
  int64_t *index = ASH_NEW_ARRAY(&m->ctx->scratch, int64_t, (size_t)all);
  if (!index) {
    m->status = ash_nomem(m->ctx);
    return x;
  }
  for (int64_t i = 0; i < all; i++)
    index[i] = mirror(i - before, size, reflect, wrap);
  return ash_ox_gather(m, x, ash_ox_ints32(m, index, (uint32_t)all), axis);
}

/* Negative padding cuts. */
static uint32_t cut(ash_ox *m, uint32_t x, uint32_t axis, int64_t *before,
                    int64_t *after) {
  const int64_t first = *before < 0 ? -*before : 0;
  const int64_t last = *after < 0 ? -*after : 0;
  *before = *before < 0 ? 0 : *before;
  *after = *after < 0 ? 0 : *after;
  return ash_ox_slice(m, x, axis, first, 1,
                      ash_ox_dim(m, x, axis) - first - last);
}

static void read_pad(ash_ox *m) {
  uint32_t x = ash_ox_in(m, 0);
  const uint32_t rank = ash_ox_rank(m, x);
  int64_t room[2 * ASH_RANK_MAX], some[ASH_RANK_MAX];
  int64_t before[ASH_RANK_MAX] = {0}, after[ASH_RANK_MAX] = {0};
  uint32_t count;
  const int64_t *pads = list_of(m, 1, "pads", room, 2 * ASH_RANK_MAX, &count);
  const uint32_t axes =
      ash_ox_has(m, 3) ? ash_ox_list(m, ash_ox_in(m, 3), some, ASH_RANK_MAX)
                       : rank;
  if (m->status == ASH_OK && (!pads || count != 2 * axes))
    ash_ox_bad(m, "two paddings an axis are needed");
  for (uint32_t i = 0; i < axes && m->status == ASH_OK; i++) {
    const uint32_t d = ash_ox_has(m, 3) ? ash_ox_axis(m, some[i], rank) : i;
    before[d] = pads[i];
    after[d] = pads[i + axes];
  }
  for (uint32_t d = 0; d < rank && m->status == ASH_OK; d++) {
    x = cut(m, x, d, &before[d], &after[d]);
    if (!ash_ox_is(m, "mode", "constant", "constant") &&
        (before[d] || after[d]))
      x = pad_by_index(m, x, d, before[d], after[d]);
  }
  if (ash_ox_is(m, "mode", "constant", "constant"))
    x = ash_ox_pad(
        m, x, before, after,
        ash_ox_has(m, 2)
            ? ash_ox_in(m, 2)
            : ash_ox_scalar(m, ash_ox_type(m, x), ash_ox_float(m, "value", 0)));
  ash_ox_out(m, 0, x);
}

/* ---- by index ------------------------------------------------------------ */

static uint32_t by_index(ash_ox *m, ash_op_kind kind, uint32_t count,
                         const ash_attr *attrs, uint32_t attr_count) {
  ash_ox_op op = {.kind = kind,
                  .inputs = {ash_ox_in(m, 0), ash_ox_in(m, 1)},
                  .input_count = count,
                  .attr_count = attr_count,
                  .type = ash_ox_type(m, ash_ox_in(m, 0))};
  if (count > 2)
    op.inputs[2] = ash_ox_in(m, 2);
  for (uint32_t i = 0; i < attr_count; i++)
    op.attrs[i] = attrs[i];
  return ash_ox_add_op(m, &op);
}

static ash_attr axis_attr(ash_ox *m) {
  return ASH_INT_ATTR("axis", ash_ox_axis(m, ash_ox_int(m, "axis", 0),
                                          ash_ox_rank(m, ash_ox_in(m, 0))));
}

static void read_gather(ash_ox *m) {
  const ash_attr a = axis_attr(m);
  ash_ox_out(m, 0, by_index(m, ASH_OP_gather, 2, &a, 1));
}

static void read_gather_elements(ash_ox *m) {
  const ash_attr a = axis_attr(m);
  ash_ox_out(m, 0, by_index(m, ASH_OP_gather_elements, 2, &a, 1));
}

static void read_gather_nd(ash_ox *m) {
  const ash_attr a = ASH_INT_ATTR("batch_dims", ash_ox_int(m, "batch_dims", 0));
  ash_ox_out(m, 0, by_index(m, ASH_OP_gather_nd, 2, &a, 1));
}

static const char *put_fn(const ash_ox *m) {
  static const char *const known[] = {"add", "mul", "min", "max"};
  for (size_t i = 0; i < ASH_COUNT_OF(known); i++)
    if (ash_ox_is(m, "reduction", known[i], "none"))
      return known[i];
  return "set";
}

static void read_scatter_elements(ash_ox *m) {
  const ash_attr a[] = {axis_attr(m), ASH_STRING_ATTR("fn", put_fn(m))};
  ash_ox_out(m, 0, by_index(m, ASH_OP_scatter_elements, 3, a, 2));
}

static void read_scatter_nd(ash_ox *m) {
  const ash_attr a = ASH_STRING_ATTR("fn", put_fn(m));
  ash_ox_out(m, 0, by_index(m, ASH_OP_scatter_nd, 3, &a, 1));
}

/* The condition must be known: it decides the shape. */
static void read_compress(ash_ox *m) {
  uint32_t x = ash_ox_in(m, 0);
  int64_t keep[4096], index[4096];
  const uint32_t count = ash_ox_list(m, ash_ox_in(m, 1), keep, 4096);
  uint32_t axis = 0, picked = 0;
  if (ash_ox_attr(m, "axis"))
    axis = ash_ox_axis(m, ash_ox_int(m, "axis", 0), ash_ox_rank(m, x));
  else
    x = ash_ox_reshape(
        m, x,
        (ash_shape){1, {(int32_t)ash_shape_elements(ash_ox_shape(m, x))}});
  for (uint32_t i = 0; i < count && (int32_t)i < ash_ox_dim(m, x, axis); i++)
    if (keep[i])
      index[picked++] = i;
  if (m->status == ASH_OK && picked == 0)
    ash_ox_refuse(m, "a result without elements");
  ash_ox_out(m, 0, ash_ox_gather(m, x, ash_ox_ints32(m, index, picked), axis));
}

/* Sequence lengths may be computed: places are looked up at run time. */
static void read_reverse_sequence(ash_ox *m) {
  const uint32_t x = ash_ox_in(m, 0), lengths = ash_ox_in(m, 1);
  const uint32_t rank = ash_ox_rank(m, x);
  const uint32_t time = ash_ox_axis(m, ash_ox_int(m, "time_axis", 0), rank);
  const uint32_t batch = ash_ox_axis(m, ash_ox_int(m, "batch_axis", 1), rank);
  ash_shape wide = {.rank = rank};
  for (uint32_t i = 0; i < rank; i++)
    wide.dim[i] = i == batch ? ash_ox_dim(m, x, batch) : 1;
  const ash_type type = ash_ox_type(m, lengths);
  const uint32_t length = ash_ox_reshape(m, lengths, wide);
  const uint32_t at = ash_ox_iota(m, type, ash_ox_dim(m, x, time), rank, time);
  const uint32_t back =
      ash_ox_with(m, ASH_FN_sub, ash_ox_map2(m, ASH_FN_sub, length, at), 1);
  const uint32_t index = ash_ox_map3(
      m, ASH_FN_select, ash_ox_map2(m, ASH_FN_less, at, length), back, at);
  const ash_shape full = *ash_ox_shape(m, x);
  ash_ox_out(m, 0,
             ash_ox_add_op(
                 m, &(ash_ox_op){.kind = ASH_OP_gather_elements,
                                 .inputs = {x, ash_ox_expand(m, index, &full)},
                                 .input_count = 2,
                                 .attrs = {ASH_INT_ATTR("axis", time)},
                                 .attr_count = 1,
                                 .type = ash_ox_type(m, x)}));
}

/* ---- blocks -------------------------------------------------------------- */

static void read_depth_to_space(ash_ox *m) {
  const uint32_t x = ash_ox_in(m, 0);
  const ash_shape s = *ash_ox_shape(m, x);
  const int64_t b = ash_ox_int(m, "blocksize", 1);
  const bool rows = ash_ox_is(m, "mode", "CRD", "DCR");
  static const uint32_t orders[2][6] = {{0, 3, 4, 1, 5, 2}, {0, 1, 4, 2, 5, 3}};
  if (s.rank != 4 || b < 1 || b > 4096 || s.dim[1] % (b * b)) {
    ash_ox_bad(m, "channels do not divide into blocks");
    return;
  }
  const int32_t n = (int32_t)b, c = s.dim[1] / (n * n);
  const ash_shape parts =
      rows ? (ash_shape){6, {s.dim[0], c, n, n, s.dim[2], s.dim[3]}}
           : (ash_shape){6, {s.dim[0], n, n, c, s.dim[2], s.dim[3]}};
  const uint32_t y =
      ash_ox_transpose(m, ash_ox_reshape(m, x, parts), orders[rows]);
  ash_ox_out(
      m, 0,
      ash_ox_reshape(
          m, y, (ash_shape){4, {s.dim[0], c, s.dim[2] * n, s.dim[3] * n}}));
}

static void read_space_to_depth(ash_ox *m) {
  const uint32_t x = ash_ox_in(m, 0);
  const ash_shape s = *ash_ox_shape(m, x);
  const int64_t b = ash_ox_int(m, "blocksize", 1);
  static const uint32_t order[6] = {0, 3, 5, 1, 2, 4};
  if (s.rank != 4 || b < 1 || b > 4096 || s.dim[2] % b || s.dim[3] % b) {
    ash_ox_bad(m, "height and width do not divide into blocks");
    return;
  }
  const int32_t n = (int32_t)b;
  const ash_shape parts = {
      6, {s.dim[0], s.dim[1], s.dim[2] / n, n, s.dim[3] / n, n}};
  const uint32_t y = ash_ox_transpose(m, ash_ox_reshape(m, x, parts), order);
  ash_ox_out(m, 0,
             ash_ox_reshape(m, y,
                            (ash_shape){4,
                                        {s.dim[0], s.dim[1] * n * n,
                                         s.dim[2] / n, s.dim[3] / n}}));
}

const ash_ox_handler ash_ox_move[] = {
    {"Reshape", read_reshape},
    {"Flatten", read_flatten},
    {"Squeeze", read_squeeze},
    {"Unsqueeze", read_unsqueeze},
    {"Transpose", read_transpose},
    {"Expand", read_expand},
    {"Slice", read_slice},
    {"Split", read_split},
    {"Concat", read_concat},
    {"Tile", read_tile},
    {"Pad", read_pad},
    {"Gather", read_gather},
    {"GatherElements", read_gather_elements},
    {"GatherND", read_gather_nd},
    {"ScatterElements", read_scatter_elements},
    {"Scatter", read_scatter_elements},
    {"ScatterND", read_scatter_nd},
    {"Compress", read_compress},
    {"ReverseSequence", read_reverse_sequence},
    {"DepthToSpace", read_depth_to_space},
    {"SpaceToDepth", read_space_to_depth},
    {NULL, NULL},
};
