/* onnx_ops_window.c - convolutions and pools. ONNX keeps channels in front,
 * the kernels last: 1-D and 2-D float32 windows get a transposition before
 * and after, which pass/layout.c removes where it can. Everything else becomes
 * conv_nd and pool_nd. */
#include "read/onnx/onnx_import.h"

#include <math.h>
#include <string.h>

enum { AXES_MAX = ASH_RANK_MAX - 2, TAPS_MAX = 4096 };

typedef struct window {
  uint32_t axes; /* spatial ones */
  int64_t kernel[AXES_MAX], stride[AXES_MAX], dilation[AXES_MAX];
  int64_t pad[2 * AXES_MAX]; /* starts, then ends, `axes` each */
  int64_t size[AXES_MAX];    /* of the output */
} window;

/* The filter's extents; kernel_shape, where given, must agree. */
static void fill_kernel(ash_ox *m, window *w, const int32_t *filter) {
  int64_t said[AXES_MAX];
  ash_ox_fill(m, "kernel_shape", said, w->axes, -1);
  for (uint32_t i = 0; i < w->axes; i++) {
    w->kernel[i] = filter[i];
    if (said[i] != -1 && said[i] != filter[i])
      ash_ox_bad(m, "kernel_shape is not the shape of the weights");
  }
}

/* Windows along one axis; with `up`, the last may be cut. */
static int64_t count_windows(const window *w, uint32_t i, int64_t size,
                             bool up) {
  const int64_t reach = (w->kernel[i] - 1) * w->dilation[i] + 1;
  const int64_t room = size + w->pad[i] + w->pad[i + w->axes] - reach;
  int64_t n = room < 0 ? 0 : room / w->stride[i] + 1;
  if (up && room >= 0 && room % w->stride[i] != 0 &&
      n * w->stride[i] < size + w->pad[i])
    n++;
  return n;
}

static void pad_same(const ash_ox *m, window *w, uint32_t i, int64_t size) {
  const int64_t reach = (w->kernel[i] - 1) * w->dilation[i] + 1;
  const int64_t n = (size + w->stride[i] - 1) / w->stride[i];
  int64_t total = (n - 1) * w->stride[i] + reach - size;
  total = total < 0 ? 0 : total;
  const bool lower = ash_ox_is(m, "auto_pad", "SAME_LOWER", "NOTSET");
  w->pad[i] = lower ? (total + 1) / 2 : total / 2;
  w->pad[i + w->axes] = total - w->pad[i];
}

static bool read_window(ash_ox *m, window *w, const ash_shape *in,
                        const int32_t *filter) {
  const bool up = ash_ox_int(m, "ceil_mode", 0) != 0;
  *w = (window){.axes = in->rank > 2 ? in->rank - 2 : 0};
  if (in->rank < 3 && m->status == ASH_OK)
    ash_ox_bad(m, "a tensor of rank 3 or more is needed");
  if (filter)
    fill_kernel(m, w, filter);
  else
    ash_ox_fill(m, "kernel_shape", w->kernel, w->axes, 1);
  ash_ox_fill(m, "strides", w->stride, w->axes, 1);
  ash_ox_fill(m, "dilations", w->dilation, w->axes, 1);
  ash_ox_fill(m, "pads", w->pad, 2 * w->axes, 0);
  for (uint32_t i = 0; i < w->axes && m->status == ASH_OK; i++) {
    if (w->stride[i] < 1 || w->dilation[i] < 1 || w->kernel[i] < 1 ||
        w->stride[i] > INT32_MAX || w->dilation[i] > INT32_MAX ||
        w->kernel[i] > INT32_MAX) {
      ash_ox_bad(m, "a stride, dilation or filter is out of range");
      break;
    }
    if (ash_ox_is(m, "auto_pad", "SAME_UPPER", "NOTSET") ||
        ash_ox_is(m, "auto_pad", "SAME_LOWER", "NOTSET"))
      pad_same(m, w, i, in->dim[i + 2]);
    if (w->pad[i] < 0 || w->pad[i + w->axes] < 0)
      ash_ox_refuse(m, "negative padding");
    w->size[i] = count_windows(w, i, in->dim[i + 2], up);
    if (m->status == ASH_OK && w->size[i] < 1)
      ash_ox_bad(m, "the window does not fit the input");
  }
  return m->status == ASH_OK;
}

/* ---- layout -------------------------------------------------------------- */

/* [N, C, W] as [N, C, 1, W]. */
static uint32_t as_plane(ash_ox *m, uint32_t x) {
  ash_shape s = *ash_ox_shape(m, x);
  if (s.rank != 3)
    return x;
  s.rank = 4;
  s.dim[3] = s.dim[2];
  s.dim[2] = 1;
  return ash_ox_reshape(m, x, s);
}

static const uint32_t lines_turned[] = {0, 2, 1};

/* Channels last. Lines [N, C, W] are turned as such, so that transpositions
 * between two layers meet: [N, W, C] is [N, 1, W, C]. */
static uint32_t to_last(ash_ox *m, uint32_t x) {
  static const uint32_t order[] = {0, 2, 3, 1};
  if (ash_ox_rank(m, x) != 3)
    return ash_ox_transpose(m, x, order);
  const uint32_t y = ash_ox_transpose(m, x, lines_turned);
  const ash_shape s = *ash_ox_shape(m, y);
  return ash_ox_reshape(m, y,
                        (ash_shape){4, {s.dim[0], 1, s.dim[1], s.dim[2]}});
}

static uint32_t from_last(ash_ox *m, uint32_t x, uint32_t rank) {
  static const uint32_t order[] = {0, 3, 1, 2};
  const ash_shape s = *ash_ox_shape(m, x);
  if (rank != 3)
    return ash_ox_transpose(m, x, order);
  const uint32_t y =
      ash_ox_reshape(m, x, (ash_shape){3, {s.dim[0], s.dim[2], s.dim[3]}});
  return ash_ox_transpose(m, y, lines_turned);
}

/* The window's attributes as conv_2d and the pools name them; 1-D windows
 * have height 1. `ends` extends the padding to the output's size. */
static uint32_t window_attrs(const window *w, ash_attr *a,
                             const ash_shape *in) {
  const bool flat = w->axes == 1;
  const uint32_t x = flat ? 0 : 1;
  int64_t after[2];
  for (uint32_t i = 0; i < w->axes; i++)
    after[i] = (w->size[i] - 1) * w->stride[i] +
               (w->kernel[i] - 1) * w->dilation[i] + 1 - in->dim[i + 2] -
               w->pad[i];
  for (uint32_t i = 0; i < w->axes; i++)
    after[i] = after[i] < 0 ? 0 : after[i];
  a[0] = ASH_INT_ATTR("stride_h", flat ? 1 : w->stride[0]);
  a[1] = ASH_INT_ATTR("stride_w", w->stride[x]);
  a[2] = ASH_INT_ATTR("pad_top", flat ? 0 : w->pad[0]);
  a[3] = ASH_INT_ATTR("pad_left", w->pad[x]);
  a[4] = ASH_INT_ATTR("pad_bottom", flat ? 0 : after[0]);
  a[5] = ASH_INT_ATTR("pad_right", after[x]);
  return 6;
}

/* ---- convolution --------------------------------------------------------- */

static uint32_t conv_last(ash_ox *m, const window *w, uint32_t x,
                          uint32_t filter, uint32_t bias, int64_t groups) {
  static const uint32_t thick[] = {0, 2, 3, 1}, deep[] = {1, 2, 3, 0};
  const ash_shape in = *ash_ox_shape(m, x);
  const int32_t channels = in.dim[1], outs = ash_ox_dim(m, filter, 0);
  const bool depthwise = groups == channels && groups > 1;
  const uint32_t weights =
      ash_ox_transpose(m, as_plane(m, filter), depthwise ? deep : thick);
  ash_ox_op op = {.kind = depthwise ? ASH_OP_depthwise_conv_2d : ASH_OP_conv_2d,
                  .inputs = {to_last(m, x), weights, bias},
                  .input_count = bias == ASH_NO_ID ? 2 : 3,
                  .type = ASH_FLOAT32};
  op.attr_count = window_attrs(w, op.attrs, &in);
  op.attrs[op.attr_count++] =
      ASH_INT_ATTR("dilation_h", w->axes == 1 ? 1 : w->dilation[0]);
  op.attrs[op.attr_count++] =
      ASH_INT_ATTR("dilation_w", w->dilation[w->axes - 1]);
  if (depthwise)
    op.attrs[op.attr_count++] = ASH_INT_ATTR("multiplier", outs / channels);
  return from_last(m, ash_ox_add_op(m, &op), w->axes + 2);
}

static uint32_t conv_general(ash_ox *m, const window *w, uint32_t x,
                             uint32_t filter, uint32_t bias, int64_t groups) {
  return ash_ox_add_op(
      m, &(ash_ox_op){.kind = ASH_OP_conv_nd,
                      .inputs = {x, filter, bias},
                      .input_count = bias == ASH_NO_ID ? 2 : 3,
                      .attrs = {ASH_INTS_ATTR("stride", w->stride, w->axes),
                                ASH_INTS_ATTR("dilation", w->dilation, w->axes),
                                ASH_INTS_ATTR("pad", w->pad, 2 * w->axes),
                                ASH_INT_ATTR("groups", groups)},
                      .attr_count = 4,
                      .type = ash_ox_type(m, x)});
}

static uint32_t convolve(ash_ox *m, uint32_t x, uint32_t filter,
                         uint32_t bias) {
  const int64_t groups = ash_ox_int(m, "group", 1);
  window w;
  if (ash_ox_rank(m, filter) != ash_ox_rank(m, x)) {
    ash_ox_bad(m, "input and weights differ in rank");
    return ASH_NO_ID;
  }
  if (groups < 1)
    ash_ox_bad(m, "group is not positive");
  if (!read_window(m, &w, ash_ox_shape(m, x), ash_ox_shape(m, filter)->dim + 2))
    return ASH_NO_ID;
  return ash_ox_type(m, x) == ASH_FLOAT32 && w.axes <= 2
             ? conv_last(m, &w, x, filter, bias, groups)
             : conv_general(m, &w, x, filter, bias, groups);
}

static void read_conv(ash_ox *m) {
  const uint32_t x = ash_ox_in(m, 0), filter = ash_ox_in(m, 1);
  ash_ox_need_sums(m, x);
  ash_ox_out(m, 0, convolve(m, x, filter, ash_ox_in_or(m, 2, ASH_NO_ID)));
}

/* x - zero point, as int32; a zero point per channel belongs to `axis`. */
static uint32_t centred(ash_ox *m, uint32_t x, uint32_t k, uint32_t axis) {
  uint32_t y = ash_ox_cast(m, x, ASH_INT32);
  if (!ash_ox_has(m, k))
    return y;
  uint32_t zero = ash_ox_cast(m, ash_ox_in(m, k), ASH_INT32);
  ash_shape s = {.rank = ash_ox_rank(m, x)};
  for (uint32_t i = 0; i < s.rank; i++)
    s.dim[i] =
        i == axis ? (int32_t)ash_shape_elements(ash_ox_shape(m, zero)) : 1;
  return ash_ox_map2(m, ASH_FN_sub, y, ash_ox_reshape(m, zero, s));
}

static void read_conv_integer(ash_ox *m) {
  ash_ox_out(m, 0,
             convolve(m, centred(m, ash_ox_in(m, 0), 2, 0),
                      centred(m, ash_ox_in(m, 1), 3, 0), ASH_NO_ID));
}

/* ---- transposed convolution ------------------------------------------------
 * A convolution of stride 1 over the input with zeros between its elements,
 * with the filter turned around. */

/* stride - 1 zeros behind each element of the axis, except the last. */
static uint32_t spread(ash_ox *m, uint32_t x, uint32_t axis, int64_t stride) {
  ash_shape s = *ash_ox_shape(m, x);
  int64_t outer = 1, inner = 1;
  const int64_t size = s.dim[axis];
  if (stride == 1)
    return x;
  for (uint32_t i = 0; i < axis; i++)
    outer *= s.dim[i];
  for (uint32_t i = axis + 1; i < s.rank; i++)
    inner *= s.dim[i];
  const int64_t none[4] = {0}, after[4] = {0, 0, stride - 1, 0};
  const ash_shape four = {4,
                          {(int32_t)outer, (int32_t)size, 1, (int32_t)inner}};
  uint32_t y = ash_ox_pad(m, ash_ox_reshape(m, x, four), none, after,
                          ash_ox_scalar(m, ash_ox_type(m, x), 0));
  s.dim[axis] = (int32_t)(size * stride);
  y = ash_ox_reshape(m, y, s);
  return ash_ox_slice(m, y, axis, 0, 1, (size - 1) * stride + 1);
}

/* [C, O / g, ..] to [O, C / g, ..] with spatial axes reversed. */
static uint32_t turn_filter(ash_ox *m, uint32_t w, int64_t groups) {
  const ash_shape s = *ash_ox_shape(m, w);
  ash_shape parts = {s.rank + 1,
                     {(int32_t)groups, (int32_t)(s.dim[0] / groups), s.dim[1]}};
  ash_shape whole = s;
  uint32_t order[ASH_RANK_MAX] = {0, 2, 1};
  if (s.rank + 1 > ASH_RANK_MAX) {
    ash_ox_refuse(m, "this rank");
    return w;
  }
  for (uint32_t i = 2; i < s.rank; i++) {
    parts.dim[i + 1] = s.dim[i];
    order[i + 1] = i + 1;
    w = ash_ox_slice(m, w, i, s.dim[i] - 1, -1, s.dim[i]);
  }
  whole.dim[0] = s.dim[1] * (int32_t)groups;
  whole.dim[1] = (int32_t)(s.dim[0] / groups);
  return ash_ox_reshape(
      m, ash_ox_transpose(m, ash_ox_reshape(m, w, parts), order), whole);
}

/* Padding of the equivalent convolution. Where the output's size is given, an
 * odd padding is larger at the start, except with SAME_UPPER. */
static void transposed_pads(ash_ox *m, window *w, const ash_shape *in) {
  int64_t extra[AXES_MAX], shape[AXES_MAX];
  uint32_t count;
  const bool sized = ash_ox_ints(m, "output_shape", &count) != NULL;
  const bool upper = ash_ox_is(m, "auto_pad", "SAME_UPPER", "NOTSET");
  const bool lower = ash_ox_is(m, "auto_pad", "SAME_LOWER", "NOTSET");
  ash_ox_fill(m, "output_padding", extra, w->axes, 0);
  ash_ox_fill(m, "output_shape", shape, w->axes, 0);
  for (uint32_t i = 0; i < w->axes; i++) {
    const int64_t reach = (w->kernel[i] - 1) * w->dilation[i] + 1;
    const int64_t full = (in->dim[i + 2] - 1) * w->stride[i] + reach + extra[i];
    if (sized || upper || lower) {
      const int64_t want =
          sized ? shape[i] : (int64_t)in->dim[i + 2] * w->stride[i];
      const int64_t cut = full - want > 0 ? full - want : 0;
      w->pad[i] = upper ? cut / 2 : cut - cut / 2;
      w->pad[i + w->axes] = full - want - w->pad[i];
    }
    w->pad[i] = reach - 1 - w->pad[i];
    w->pad[i + w->axes] = reach - 1 - w->pad[i + w->axes] + extra[i];
  }
}

static void read_conv_transpose(ash_ox *m) {
  uint32_t x = ash_ox_in(m, 0);
  const uint32_t filter = ash_ox_in(m, 1);
  const int64_t groups = ash_ox_int(m, "group", 1);
  const ash_shape in = *ash_ox_shape(m, x);
  window w = {.axes = in.rank > 2 ? in.rank - 2 : 0};
  ash_ox_need_sums(m, x);
  if (m->status != ASH_OK)
    return;
  if (in.rank < 3 || ash_ox_rank(m, filter) != in.rank || groups < 1 ||
      in.dim[1] % groups || in.dim[1] != ash_ox_dim(m, filter, 0)) {
    ash_ox_bad(m, "channels, groups and weights do not agree");
    return;
  }
  ash_ox_fill(m, "strides", w.stride, w.axes, 1);
  ash_ox_fill(m, "dilations", w.dilation, w.axes, 1);
  ash_ox_fill(m, "pads", w.pad, 2 * w.axes, 0);
  fill_kernel(m, &w, ash_ox_shape(m, filter)->dim + 2);
  for (uint32_t i = 0; i < w.axes; i++)
    if (w.stride[i] < 1 || w.stride[i] > 4096 || w.dilation[i] < 1 ||
        w.dilation[i] > 4096) {
      ash_ox_bad(m, "a stride or dilation is out of range");
      return;
    }
  transposed_pads(m, &w, &in);
  if (m->status != ASH_OK)
    return;
  for (uint32_t i = 0; i < w.axes; i++) {
    x = spread(m, x, i + 2, w.stride[i]);
    w.stride[i] = 1;
    for (uint32_t end = 0; end < 2; end++) {
      int64_t *pad = &w.pad[i + end * w.axes];
      if (*pad >= 0)
        continue; /* cut off instead */
      const int64_t size = ash_ox_dim(m, x, i + 2) + *pad;
      x = ash_ox_slice(m, x, i + 2, end ? 0 : -*pad, 1, size);
      *pad = 0;
    }
    w.size[i] = count_windows(&w, i, ash_ox_dim(m, x, i + 2), false);
    if (m->status == ASH_OK && w.size[i] < 1)
      ash_ox_bad(m, "the output has no elements");
  }
  const uint32_t turned = turn_filter(m, filter, groups);
  const uint32_t bias = ash_ox_in_or(m, 2, ASH_NO_ID);
  if (m->status != ASH_OK)
    return;
  ash_ox_out(m, 0,
             ash_ox_type(m, x) == ASH_FLOAT32 && w.axes <= 2
                 ? conv_last(m, &w, x, turned, bias, groups)
                 : conv_general(m, &w, x, turned, bias, groups));
}

/* ---- pools --------------------------------------------------------------- */

static uint32_t pool_last(ash_ox *m, const window *w, uint32_t x, bool max) {
  const ash_shape in = *ash_ox_shape(m, x);
  const bool flat = w->axes == 1;
  ash_ox_op op = {.kind = max ? ASH_OP_max_pool_2d : ASH_OP_average_pool_2d,
                  .inputs = {to_last(m, x)},
                  .input_count = 1,
                  .type = ASH_FLOAT32};
  op.attr_count = window_attrs(w, op.attrs, &in);
  op.attrs[op.attr_count++] = ASH_INT_ATTR("filter_h", flat ? 1 : w->kernel[0]);
  op.attrs[op.attr_count++] = ASH_INT_ATTR("filter_w", w->kernel[w->axes - 1]);
  return from_last(m, ash_ox_add_op(m, &op), w->axes + 2);
}

static uint32_t pool_general(ash_ox *m, const window *w, uint32_t x, bool max,
                             bool count_pad) {
  return ash_ox_add_op(
      m, &(ash_ox_op){.kind = ASH_OP_pool_nd,
                      .inputs = {x},
                      .input_count = 1,
                      .attrs = {ASH_STRING_ATTR("fn", max ? "max" : "mean"),
                                ASH_INTS_ATTR("kernel", w->kernel, w->axes),
                                ASH_INTS_ATTR("stride", w->stride, w->axes),
                                ASH_INTS_ATTR("dilation", w->dilation, w->axes),
                                ASH_INTS_ATTR("pad", w->pad, 2 * w->axes),
                                ASH_INTS_ATTR("size", w->size, w->axes),
                                ASH_INT_ATTR("count_pad", count_pad)},
                      .attr_count = 7,
                      .type = ash_ox_type(m, x)});
}

/* Is there a window that sees nothing but padding? The kernels of channels-last
 * pools are not made for that. */
static bool is_plain(const window *w, const ash_shape *in) {
  for (uint32_t i = 0; i < w->axes; i++)
    if (w->dilation[i] != 1 || w->pad[i] >= w->kernel[i] ||
        (w->size[i] - 1) * w->stride[i] - w->pad[i] >= in->dim[i + 2])
      return false;
  return true;
}

static void pool(ash_ox *m, bool max) {
  const uint32_t x = ash_ox_in(m, 0);
  const bool count_pad = ash_ox_int(m, "count_include_pad", 0) != 0;
  window w;
  bool padded = false;
  if (!read_window(m, &w, ash_ox_shape(m, x), NULL))
    return;
  if (!max)
    ash_ox_need_sums(m, x);
  for (uint32_t i = 0; i < 2 * w.axes; i++)
    padded = padded || w.pad[i];
  const bool plain = ash_ox_type(m, x) == ASH_FLOAT32 && w.axes <= 2 &&
                     is_plain(&w, ash_ox_shape(m, x)) &&
                     (max || !count_pad || !padded);
  ash_ox_out(m, 0,
             plain ? pool_last(m, &w, x, max)
                   : pool_general(m, &w, x, max, count_pad));
}

/* All elements of all windows: [N, C, size.., kernel..], from an input that has
 * its padding. */
static uint32_t windows_of(ash_ox *m, const window *w, uint32_t x) {
  const ash_shape in = *ash_ox_shape(m, x);
  int64_t pitch[ASH_RANK_MAX] = {0}, step[ASH_RANK_MAX], n = 1;
  ash_shape s = {2 + 2 * w->axes, {in.dim[0], in.dim[1]}};
  for (uint32_t i = in.rank; i-- > 0; n *= in.dim[i])
    pitch[i] = n;
  step[0] = pitch[0];
  step[1] = pitch[1];
  for (uint32_t i = 0; i < w->axes; i++) {
    s.dim[2 + i] = (int32_t)w->size[i];
    step[2 + i] = w->stride[i] * pitch[2 + i];
    s.dim[2 + w->axes + i] = (int32_t)w->kernel[i];
    step[2 + w->axes + i] = w->dilation[i] * pitch[2 + i];
  }
  return ash_ox_strided(m, x, &s, step, 0);
}

/* With the padding around it. */
static uint32_t padded(ash_ox *m, const window *w, uint32_t x, double value) {
  int64_t before[ASH_RANK_MAX] = {0}, after[ASH_RANK_MAX] = {0};
  for (uint32_t i = 0; i < w->axes; i++) {
    const int64_t reach = (w->size[i] - 1) * w->stride[i] +
                          (w->kernel[i] - 1) * w->dilation[i] + 1;
    const int64_t end = reach - ash_ox_dim(m, x, i + 2) - w->pad[i];
    before[i + 2] = w->pad[i];
    after[i + 2] = end > 0 ? end : 0;
  }
  return ash_ox_pad(m, x, before, after,
                    ash_ox_scalar(m, ash_ox_type(m, x), value));
}

/* Steps from element to element of an axis in the whole input; with
 * storage_order 1 the last two axes change places. */
static void pitches(const ash_ox *m, const ash_shape *in, int64_t *pitch) {
  int64_t n = 1;
  for (uint32_t i = in->rank; i-- > 0; n *= in->dim[i])
    pitch[i] = n;
  if (ash_ox_int(m, "storage_order", 0) == 0 || in->rank < 4)
    return;
  pitch[in->rank - 2] = 1;
  pitch[in->rank - 1] = in->dim[in->rank - 2];
}

/* How far the elements of a window are behind its first. */
static uint32_t offsets_of(ash_ox *m, const window *w, const int64_t *pitch,
                           int32_t taps) {
  int64_t *far = ASH_NEW_ARRAY(&m->g->zone, int64_t, (size_t)taps + 1);
  if (m->status == ASH_OK)
    m->status = ash_zone_check(m->ctx, &m->g->zone);
  for (int32_t k = 0; m->status == ASH_OK && k < taps; k++) {
    int32_t rest = k;
    for (uint32_t i = w->axes; i-- > 0; rest /= (int32_t)w->kernel[i])
      far[k] += rest % w->kernel[i] * w->dilation[i] * pitch[i + 2];
  }
  return m->status == ASH_OK
             ? ash_ox_constant(m, ASH_INT64, (ash_shape){1, {taps}}, far)
             : ASH_NO_ID;
}

/* Adds where the windows begin: a number an axis. */
static uint32_t add_starts(ash_ox *m, const window *w, const int64_t *pitch,
                           uint32_t x) {
  const ash_shape s = *ash_ox_shape(m, x);
  double before = 0;
  for (uint32_t i = 0; i < s.rank && m->status == ASH_OK; i++) {
    const bool moved = i > 1;
    const int64_t step = moved ? w->stride[i - 2] * pitch[i] : pitch[i];
    before += moved ? (double)(w->pad[i - 2] * pitch[i]) : 0;
    if (s.dim[i] > 1)
      x = ash_ox_map2(
          m, ASH_FN_add, x,
          ash_ox_with(m, ASH_FN_mul,
                      ash_ox_iota(m, ASH_INT64, s.dim[i], s.rank, i),
                      (double)step));
  }
  return ash_ox_with(m, ASH_FN_sub, x, before);
}

/* Which element of a window is the largest, and where that is. */
static void pool_places(ash_ox *m) {
  const uint32_t x = ash_ox_in(m, 0);
  const ash_shape in = *ash_ox_shape(m, x);
  int64_t pitch[ASH_RANK_MAX] = {0}, taps = 1;
  window w;
  if (!read_window(m, &w, &in, NULL))
    return;
  for (uint32_t i = 0; i < w.axes; i++)
    taps = taps > TAPS_MAX ? taps : taps * w.kernel[i];
  if (2 + 2 * w.axes > ASH_RANK_MAX || !ash_ox_is_float(m, x) ||
      taps > TAPS_MAX) {
    ash_ox_refuse(m, "the output of indices of this type, rank or window");
    return;
  }
  const uint32_t all = windows_of(m, &w, padded(m, &w, x, -INFINITY));
  ash_shape flat = *ash_ox_shape(m, all);
  flat.rank = w.axes + 3;
  flat.dim[flat.rank - 1] = (int32_t)taps;
  const uint32_t best =
      ash_ox_fold(m, ASH_FOLD_ARG_MAX, ash_ox_reshape(m, all, flat),
                  1u << (flat.rank - 1), false);
  pitches(m, &in, pitch);
  const uint32_t far = offsets_of(m, &w, pitch, (int32_t)taps);
  ash_ox_out(m, 1, add_starts(m, &w, pitch, ash_ox_gather(m, far, best, 0)));
}

static void read_max_pool(ash_ox *m) {
  pool(m, true);
  if (m->status == ASH_OK && ash_ox_wants(m, 1))
    pool_places(m);
}

/* Values go where their indices say, zeros elsewhere. */
static void read_max_unpool(ash_ox *m) {
  const uint32_t x = ash_ox_in(m, 0), index = ash_ox_in(m, 1);
  ash_shape out = *ash_ox_shape(m, x);
  const ash_shape flat = {1, {(int32_t)ash_shape_elements(&out)}};
  int64_t dims[ASH_RANK_MAX];
  window w = {.axes = out.rank > 2 ? out.rank - 2 : 0};
  ash_ox_fill(m, "kernel_shape", w.kernel, w.axes, 1);
  ash_ox_fill(m, "strides", w.stride, w.axes, 1);
  ash_ox_fill(m, "pads", w.pad, 2 * w.axes, 0);
  for (uint32_t i = 0; i < w.axes; i++)
    out.dim[i + 2] = (int32_t)((out.dim[i + 2] - 1) * w.stride[i] - w.pad[i] -
                               w.pad[i + w.axes] + w.kernel[i]);
  const ash_shape own = out;
  if (ash_ox_has(m, 2)) {
    const uint32_t n = ash_ox_list(m, ash_ox_in(m, 2), dims, ASH_RANK_MAX);
    for (uint32_t i = 0; i < out.rank && n == out.rank; i++)
      out.dim[i] = (int32_t)dims[i];
  }
  for (uint32_t i = 0; i < out.rank; i++)
    if (m->status == ASH_OK &&
        (own.dim[i] < 1 || out.dim[i] < own.dim[i] || out.dim[i] > 1 << 20)) {
      ash_ox_refuse(m, "this shape of the output");
      return;
    }
  const ash_shape whole = {1, {(int32_t)ash_shape_elements(&own)}};
  uint32_t y = ash_ox_add_op(
      m, &(ash_ox_op){
             .kind = ASH_OP_scatter_elements,
             .inputs = {ash_ox_constant(m, ash_ox_type(m, x), whole, NULL),
                        ash_ox_reshape(m, index, flat),
                        ash_ox_reshape(m, x, flat)},
             .input_count = 3,
             .attrs = {ASH_INT_ATTR("axis", 0), ASH_STRING_ATTR("fn", "set")},
             .attr_count = 2,
             .type = ash_ox_type(m, x)});
  y = ash_ox_reshape(m, y, own);
  int64_t none[ASH_RANK_MAX] = {0}, after[ASH_RANK_MAX];
  for (uint32_t i = 0; i < own.rank; i++)
    after[i] = out.dim[i] - own.dim[i];
  ash_ox_out(
      m, 0,
      ash_ox_pad(m, y, none, after, ash_ox_scalar(m, ash_ox_type(m, x), 0)));
}

/* Padding at the end for all elements of the last window, which may be cut. */
static void pad_last(window *w, const ash_shape *in) {
  for (uint32_t i = 0; i < w->axes; i++) {
    const int64_t reach = (w->kernel[i] - 1) * w->dilation[i] + 1;
    const int64_t end =
        (w->size[i] - 1) * w->stride[i] + reach - in->dim[i + 2] - w->pad[i];
    int64_t *pad = &w->pad[i + w->axes];
    *pad = end > *pad ? end : *pad;
  }
}

/* The p-th root of the sum of p-th powers of a window: their mean, with the
 * padding, times their number. */
static void read_lp_pool(ash_ox *m) {
  const double p = (double)ash_ox_int(m, "p", 2);
  uint32_t x = ash_ox_in(m, 0);
  double taps = 1;
  window w;
  if (!read_window(m, &w, ash_ox_shape(m, x), NULL))
    return;
  pad_last(&w, ash_ox_shape(m, x));
  for (uint32_t i = 0; i < w.axes; i++)
    taps *= (double)w.kernel[i];
  x = ash_ox_with(m, ASH_FN_pow, ash_ox_map1(m, ASH_FN_abs, x), p);
  x = ash_ox_with(m, ASH_FN_mul, pool_general(m, &w, x, false, true), taps);
  ash_ox_out(m, 0, ash_ox_with(m, ASH_FN_pow, x, 1 / p));
}

static void read_global_lp(ash_ox *m) {
  const double p = (double)ash_ox_int(m, "p", 2);
  const uint32_t x = ash_ox_in(m, 0), rank = ash_ox_rank(m, x);
  const uint32_t powers =
      ash_ox_with(m, ASH_FN_pow, ash_ox_map1(m, ASH_FN_abs, x), p);
  ash_ox_out(m, 0,
             ash_ox_with(m, ASH_FN_pow,
                         ash_ox_fold(m, ASH_FOLD_SUM, powers,
                                     ((1u << rank) - 1) & ~3u, true),
                         1 / p));
}

static void read_average_pool(ash_ox *m) {
  pool(m, false);
}

static void global(ash_ox *m, ash_fold fold) {
  const uint32_t x = ash_ox_in(m, 0);
  const uint32_t rank = ash_ox_rank(m, x);
  ash_ox_out(m, 0, ash_ox_fold(m, fold, x, ((1u << rank) - 1) & ~3u, true));
}

static void read_global_average(ash_ox *m) {
  global(m, ASH_FOLD_MEAN);
}
static void read_global_max(ash_ox *m) {
  global(m, ASH_FOLD_MAX);
}

const ash_ox_handler ash_ox_window[] = {
    {"Conv", read_conv},
    {"ConvInteger", read_conv_integer},
    {"ConvTranspose", read_conv_transpose},
    {"MaxPool", read_max_pool},
    {"MaxUnpool", read_max_unpool},
    {"LpPool", read_lp_pool},
    {"GlobalLpPool", read_global_lp},
    {"AveragePool", read_average_pool},
    {"GlobalAveragePool", read_global_average},
    {"GlobalMaxPool", read_global_max},
    {NULL, NULL},
};
