/* tflite_mediapipe.c - MediaPipe's custom operators: the largest value of a
 * window with its place in it, values put back at such places, and transposed
 * convolutions with a bias. Their options are the runtime's own structs, 32-bit
 * integers in the file. */
#include "read/tflite/tflite_make.h"

#include <float.h>

enum { CUSTOM_OPTIONS = 5, SAME = 1, VALID = 2 };

typedef struct window {
  int32_t padding, stride_w, stride_h, filter_w, filter_h, act;
} window;

static void read_window(ash_tx *m, window *w, uint32_t fields) {
  const ash_fb_vector blob =
      ash_fb_blob(&m->r->ops[m->op].table, CUSTOM_OPTIONS);
  int32_t *const to[] = {&w->padding,  &w->stride_w, &w->stride_h,
                         &w->filter_w, &w->filter_h, &w->act};
  ASH_ASSERT(fields <= ASH_COUNT_OF(to));
  *w = (window){.filter_w = 1, .filter_h = 1};
  if (m->status == ASH_OK && blob.count < 4 * fields)
    m->status = ash_tx_refuse(m, "the options are cut short");
  for (uint32_t i = 0; i < fields && m->status == ASH_OK; i++) {
    const uint8_t *p = m->r->bytes + blob.at + (size_t)4 * i;
    *to[i] = (int32_t)(p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
                       (uint32_t)p[3] << 24);
    if (i > 0 && i < 5 && (*to[i] < 1 || *to[i] > 1 << 12))
      m->status = ash_tx_refuse(m, "a stride or side of the window is not 1 to "
                                   "4096");
  }
  if (m->status == ASH_OK && w->padding != SAME && w->padding != VALID)
    m->status = ash_tx_refuse(m, "the padding is neither SAME nor VALID");
  if (m->status == ASH_OK && w->act != 0)
    m->status = ash_tx_refuse(m, "a fused activation");
}

/* Input k, an image of floats. */
static uint32_t image(ash_tx *m, uint32_t k) {
  const uint32_t x = ash_tx_input(m, k);
  if (m->status == ASH_OK && (ash_tx_shape(m, x)->rank != 4 ||
                              ash_tx_tensor(m, x)->type != ASH_FLOAT32))
    m->status = ash_tx_refuse(m, "the input is no image of float32");
  return x;
}

/* ---- MaxPoolingWithArgmax2D ---------------------------------------------- */

typedef struct side { /* height or width */
  int32_t out, before, after;
} side;

static side pooled(int32_t in, int32_t filter, int32_t stride, bool same) {
  side s = {.out = same ? (in + stride - 1) / stride
                        : (in - filter + stride) / stride};
  const int32_t total = (s.out - 1) * stride + filter - in;
  if (same && total > 0) {
    s.before = total / 2;
    s.after = total - s.before;
  }
  return s;
}

static uint32_t padded(ash_tx *m, uint32_t x, const side *h, const side *w) {
  int64_t before[] = {0, h->before, w->before, 0};
  int64_t after[] = {0, h->after, w->after, 0};
  if (h->before + h->after + w->before + w->after == 0)
    return x;
  uint32_t in[] = {x, ash_tx_real(m, -FLT_MAX)};
  ash_attr attrs[] = {ASH_INTS_ATTR("before", before, 4),
                      ASH_INTS_ATTR("after", after, 4)};
  return ash_tx_make(m,
                     (ash_op){.kind = ASH_OP_pad,
                              .inputs = in,
                              .input_count = 2,
                              .attrs = attrs,
                              .attr_count = 2},
                     ASH_FLOAT32, ASH_NONE, NULL);
}

/* The elements of each window as the last axis. */
static uint32_t windows(ash_tx *m, uint32_t x, const window *w, int32_t out_h,
                        int32_t out_w) {
  const ash_shape s = *ash_tx_shape(m, x);
  const int64_t column = s.dim[3], row = column * s.dim[2];
  int64_t dim[] = {s.dim[0], out_h, out_w, s.dim[3], w->filter_h, w->filter_w};
  int64_t step[] = {
      row * s.dim[1], row * w->stride_h, column * w->stride_w, 1, row, column};
  ash_attr attrs[] = {ASH_INTS_ATTR("dim", dim, 6),
                      ASH_INTS_ATTR("step", step, 6)};
  const uint32_t all = ash_tx_make(m,
                                   (ash_op){.kind = ASH_OP_strided,
                                            .inputs = &x,
                                            .input_count = 1,
                                            .attrs = attrs,
                                            .attr_count = 2},
                                   ASH_FLOAT32, ASH_NONE, NULL);
  return ash_tx_reshape(
      m, all,
      (ash_shape){
          5, {s.dim[0], out_h, out_w, s.dim[3], w->filter_h * w->filter_w}});
}

static uint32_t folded(ash_tx *m, ash_fold fold, uint32_t x, ash_type type) {
  int64_t axis = 4;
  ash_attr attrs[] = {ASH_STRING_ATTR("fn", ash_fold_text(fold)),
                      ASH_INTS_ATTR("axes", &axis, 1)};
  return ash_tx_make(m,
                     (ash_op){.kind = ASH_OP_reduce,
                              .inputs = &x,
                              .input_count = 1,
                              .attrs = attrs,
                              .attr_count = 2},
                     type, ASH_NONE, NULL);
}

static uint32_t largest(ash_tx *m, uint32_t x, const window *w, const side *h,
                        const side *v) {
  ash_attr attrs[] = {ASH_INT_ATTR("filter_h", w->filter_h),
                      ASH_INT_ATTR("filter_w", w->filter_w),
                      ASH_INT_ATTR("stride_h", w->stride_h),
                      ASH_INT_ATTR("stride_w", w->stride_w),
                      ASH_INT_ATTR("pad_top", h->before),
                      ASH_INT_ATTR("pad_left", v->before),
                      ASH_INT_ATTR("pad_bottom", h->after),
                      ASH_INT_ATTR("pad_right", v->after)};
  return ash_tx_make(m,
                     (ash_op){.kind = ASH_OP_max_pool_2d,
                              .inputs = &x,
                              .input_count = 1,
                              .attrs = attrs,
                              .attr_count = ASH_COUNT_OF(attrs)},
                     ASH_FLOAT32, ASH_NONE, NULL);
}

/* Places are floats, a tenth above the number of the element in its window. */
void ash_tflite_pool_places(ash_tx *m) {
  const uint32_t x = image(m, 0);
  const ash_shape s = *ash_tx_shape(m, x);
  window w;
  read_window(m, &w, 6);
  if (m->status != ASH_OK)
    return;
  const side h = pooled(s.dim[1], w.filter_h, w.stride_h, w.padding == SAME);
  const side v = pooled(s.dim[2], w.filter_w, w.stride_w, w.padding == SAME);
  if (h.out < 1 || v.out < 1) {
    m->status = ash_tx_refuse(m, "the window is larger than the image");
    return;
  }
  const ash_shape out = {4, {s.dim[0], h.out, v.out, s.dim[3]}};
  ash_tx_give(m, 0, largest(m, x, &w, &h, &v), out);
  const uint32_t place =
      folded(m, ASH_FOLD_ARG_MAX,
             windows(m, padded(m, x, &h, &v), &w, h.out, v.out), ASH_INT32);
  ash_tx_give(m, 1,
              ash_tx_pair(m, ASH_FN_add, ash_tx_cast(m, place, ASH_FLOAT32),
                          ash_tx_real(m, 0.1f)),
              out);
}

/* ---- MaxUnpooling2D ------------------------------------------------------ */

/* Each element of an output window is the value, if the place is its own. */
void ash_tflite_unpool(ash_tx *m) {
  const uint32_t x = image(m, 0), places = image(m, 1);
  const ash_shape s = *ash_tx_shape(m, x);
  window w;
  read_window(m, &w, 6);
  if (m->status == ASH_OK && !ash_shape_equal(&s, ash_tx_shape(m, places)))
    m->status = ash_tx_refuse(m, "values and places have different shapes");
  if (m->status == ASH_OK &&
      (w.stride_h != w.filter_h || w.stride_w != w.filter_w))
    m->status = ash_tx_refuse(m, "windows that overlap or leave gaps");
  if (m->status != ASH_OK)
    return;
  const ash_shape apart = {6, {s.dim[0], s.dim[1], 1, s.dim[2], 1, s.dim[3]}};
  const ash_shape taps = {6, {1, 1, w.filter_h, 1, w.filter_w, 1}};
  const int32_t count = w.filter_h * w.filter_w;
  int32_t *number = ASH_NEW_ARRAY(&m->r->ctx->scratch, int32_t, (size_t)count);
  m->status = ash_zone_check(m->r->ctx, &m->r->ctx->scratch);
  for (int32_t i = 0; i < count && m->status == ASH_OK; i++)
    number[i] = i;
  const uint32_t place = ash_tx_cast(m, places, ASH_INT32);
  const uint32_t in[] = {
      ash_tx_pair(m, ASH_FN_equal, ash_tx_reshape(m, place, apart),
                  ash_tx_constant(m, ASH_INT32, taps, number)),
      ash_tx_reshape(m, x, apart), ash_tx_real(m, 0)};
  ash_tx_give(m, 0, ash_tx_map(m, ASH_FN_select, in, 3, ASH_FLOAT32),
              (ash_shape){4,
                          {s.dim[0], s.dim[1] * w.filter_h,
                           s.dim[2] * w.filter_w, s.dim[3]}});
}

/* ---- Convolution2DTransposeBias ------------------------------------------ */

static int32_t overlap(int32_t in, int32_t filter, int32_t stride, bool same) {
  const int32_t total = filter - (in - 1) % stride - 1;
  return same && total > 0 ? total : 0;
}

void ash_tflite_transpose_conv_bias(ash_tx *m) {
  const uint32_t x = image(m, 0), weights = image(m, 1);
  const uint32_t bias = ash_tx_input(m, 2);
  const ash_shape s = *ash_tx_shape(m, x), f = *ash_tx_shape(m, weights);
  window w;
  read_window(m, &w, 3);
  if (m->status != ASH_OK)
    return;
  const bool same = w.padding == SAME;
  const int32_t h = overlap(s.dim[1], f.dim[1], w.stride_h, same);
  const int32_t v = overlap(s.dim[2], f.dim[2], w.stride_w, same);
  const ash_shape out = {4,
                         {s.dim[0], w.stride_h * (s.dim[1] - 1) + f.dim[1] - h,
                          w.stride_w * (s.dim[2] - 1) + f.dim[2] - v,
                          f.dim[0]}};
  uint32_t in[] = {x, weights, bias};
  ash_attr attrs[] = {ASH_INT_ATTR("stride_h", w.stride_h),
                      ASH_INT_ATTR("stride_w", w.stride_w),
                      ASH_INT_ATTR("pad_top", h / 2),
                      ASH_INT_ATTR("pad_left", v / 2),
                      ASH_INT_ATTR("pad_bottom", h - h / 2),
                      ASH_INT_ATTR("pad_right", v - v / 2)};
  ash_tx_give(m, 0,
              ash_tx_make(m,
                          (ash_op){.kind = ASH_OP_transpose_conv,
                                   .inputs = in,
                                   .input_count = 3,
                                   .attrs = attrs,
                                   .attr_count = ASH_COUNT_OF(attrs)},
                          ASH_FLOAT32, ASH_NONE, &out),
              out);
}
