/* ash_rt_layers_any.h - layers of uint8 and int16. */
#ifndef ASH_RT_LAYERS_ANY_H
#define ASH_RT_LAYERS_ANY_H

#include "ash_rt_fixed.h"
#include "ash_rt_types.h"
#include "ash_rt_window.h"

/* uint8 weights have a zero point: -filter_offset. int16 activations have int8
 * weights and sums of 64 bits with a bias of int64_t, or, if `narrow`, of 32
 * bits with a bias of int32_t. The rest is as in conv_2d_s8. */
typedef struct ash_rt_layer_params {
  ash_rt_window window;
  int32_t groups;
  int32_t in_offset, filter_offset, out_offset;
  int32_t per_channel, narrow;
  int32_t act_min, act_max;
} ash_rt_layer_params;

void ash_rt_conv_2d_u8(const ash_rt_layer_params *p, const uint8_t *in,
                       const uint8_t *filter, const int32_t *bias,
                       const int32_t *multiplier, const int8_t *shift,
                       uint8_t *out);
void ash_rt_conv_2d_u8_lines(const ash_rt_layer_params *p,
                             const ash_rt_lines *in, const uint8_t *filter,
                             const int32_t *bias, const int32_t *multiplier,
                             const int8_t *shift, const ash_rt_lines *out,
                             int32_t from, int32_t to);
void ash_rt_depthwise_conv_2d_u8(const ash_rt_layer_params *p,
                                 const uint8_t *in, const uint8_t *filter,
                                 const int32_t *bias, const int32_t *multiplier,
                                 const int8_t *shift, uint8_t *out);
void ash_rt_depthwise_conv_2d_u8_lines(
    const ash_rt_layer_params *p, const ash_rt_lines *in, const uint8_t *filter,
    const int32_t *bias, const int32_t *multiplier, const int8_t *shift,
    const ash_rt_lines *out, int32_t from, int32_t to);
void ash_rt_transpose_conv_u8(const ash_rt_layer_params *p, const uint8_t *in,
                              const uint8_t *filter, const int32_t *bias,
                              const int32_t *multiplier, const int8_t *shift,
                              uint8_t *out);
void ash_rt_transpose_conv_u8_lines(
    const ash_rt_layer_params *p, const ash_rt_lines *in, const uint8_t *filter,
    const int32_t *bias, const int32_t *multiplier, const int8_t *shift,
    const ash_rt_lines *out, int32_t from, int32_t to);
void ash_rt_conv_2d_s16(const ash_rt_layer_params *p, const int16_t *in,
                        const int8_t *filter, const void *bias,
                        const int32_t *multiplier, const int8_t *shift,
                        int16_t *out);
void ash_rt_conv_2d_s16_lines(const ash_rt_layer_params *p,
                              const ash_rt_lines *in, const int8_t *filter,
                              const void *bias, const int32_t *multiplier,
                              const int8_t *shift, const ash_rt_lines *out,
                              int32_t from, int32_t to);
void ash_rt_depthwise_conv_2d_s16(const ash_rt_layer_params *p,
                                  const int16_t *in, const int8_t *filter,
                                  const void *bias, const int32_t *multiplier,
                                  const int8_t *shift, int16_t *out);
void ash_rt_depthwise_conv_2d_s16_lines(
    const ash_rt_layer_params *p, const ash_rt_lines *in, const int8_t *filter,
    const void *bias, const int32_t *multiplier, const int8_t *shift,
    const ash_rt_lines *out, int32_t from, int32_t to);
void ash_rt_transpose_conv_s16(const ash_rt_layer_params *p, const int16_t *in,
                               const int8_t *filter, const void *bias,
                               const int32_t *multiplier, const int8_t *shift,
                               int16_t *out);
void ash_rt_transpose_conv_s16_lines(
    const ash_rt_layer_params *p, const ash_rt_lines *in, const int8_t *filter,
    const void *bias, const int32_t *multiplier, const int8_t *shift,
    const ash_rt_lines *out, int32_t from, int32_t to);

/* A sum and its bias, as the output of an int16 layer. */
static inline int16_t ash_rt_layer_s16(const ash_rt_layer_params *p,
                                       int64_t sum, const void *bias,
                                       int32_t channel, int32_t multiplier,
                                       int32_t shift) {
  int32_t y;
  if (p->narrow) {
    const uint32_t b = bias ? (uint32_t)((const int32_t *)bias)[channel] : 0;
    y = ash_rt_rescale((int32_t)((uint32_t)(uint64_t)sum + b), multiplier,
                       shift);
  } else {
    y = ash_rt_rescale_long(sum + (bias ? ((const int64_t *)bias)[channel] : 0),
                            multiplier, shift);
  }
  return (int16_t)ash_rt_finish(y, p->out_offset, p->act_min, p->act_max);
}

typedef struct ash_rt_dense_params {
  int32_t batches, in_c, out_c;
  int32_t in_offset, filter_offset, out_offset;
  int32_t per_channel, narrow;
  int32_t act_min, act_max;
} ash_rt_dense_params;

void ash_rt_fully_connected_u8(const ash_rt_dense_params *p, const uint8_t *in,
                               const uint8_t *filter, const int32_t *bias,
                               const int32_t *multiplier, const int8_t *shift,
                               uint8_t *out);
/* Sums are scaled in double, ties away from zero. */
void ash_rt_fully_connected_s16(const ash_rt_dense_params *p, const int16_t *in,
                                const int8_t *filter, const void *bias,
                                const double *ratio, int16_t *out);

/* To the nearest, ties away from zero, within what any clamp needs. */
static inline int32_t ash_rt_fc_round(double x) {
  if (!(x > -1e9))
    return -1000000000;
  if (x >= 1e9)
    return 1000000000;
  const int32_t whole = (int32_t)x;
  const double rest = x - (double)whole;
  return whole + (int32_t)(rest >= 0.5) - (int32_t)(rest <= -0.5);
}

/* Pools of uint8 and int16. */
typedef struct ash_rt_pool_2d_any_params {
  ash_rt_window window;
  int32_t type;
  int32_t act_min, act_max;
} ash_rt_pool_2d_any_params;

void ash_rt_average_pool_2d_any(const ash_rt_pool_2d_any_params *p,
                                const void *in, void *out);
void ash_rt_average_pool_2d_any_lines(const ash_rt_pool_2d_any_params *p,
                                      const ash_rt_lines *in,
                                      const ash_rt_lines *out, int32_t from,
                                      int32_t to);
void ash_rt_max_pool_2d_any(const ash_rt_pool_2d_any_params *p, const void *in,
                            void *out);
void ash_rt_max_pool_2d_any_lines(const ash_rt_pool_2d_any_params *p,
                                  const ash_rt_lines *in,
                                  const ash_rt_lines *out, int32_t from,
                                  int32_t to);

/* ---- loops for both types -------------------------------------------------
 *
 * Inlined where `type` is a constant: ASH_RT_U8 or ASH_RT_S16. */

typedef struct ash_rt_layer {
  const ash_rt_layer_params *p;
  const void *filter, *bias;
  const int32_t *multiplier;
  const int8_t *shift;
} ash_rt_layer;

ASH_RT_INLINE size_t ash_rt_layer_size(int32_t type) {
  return type == ASH_RT_U8 ? sizeof(uint8_t) : sizeof(int16_t);
}

/* Sum of `count` products, from element `x` of a line and weight `w` on. */
ASH_RT_INLINE int64_t ash_rt_layer_dot(const ash_rt_layer *k, int32_t type,
                                       const void *line, ptrdiff_t x,
                                       ptrdiff_t w, int32_t count) {
  const int32_t offset = k->p->in_offset, shifted = k->p->filter_offset;
  if (type == ASH_RT_U8) {
    const uint8_t *a = (const uint8_t *)line + x;
    const uint8_t *b = (const uint8_t *)k->filter + w;
    uint32_t s = 0;
    for (int32_t i = 0; i < count; i++)
      s += (uint32_t)((a[i] + offset) * (b[i] + shifted));
    return s;
  }
  const int16_t *a = (const int16_t *)line + x;
  const int8_t *b = (const int8_t *)k->filter + w;
  int64_t s = 0;
  for (int32_t i = 0; i < count; i++)
    s += (a[i] + offset) * b[i];
  return s;
}

/* Element `at` of an output line, of channel c. */
ASH_RT_INLINE void ash_rt_layer_put(const ash_rt_layer *k, int32_t type,
                                    void *line, ptrdiff_t at, int32_t c,
                                    int64_t sum) {
  const ash_rt_layer_params *p = k->p;
  const int32_t m = k->multiplier[p->per_channel ? c : 0];
  const int32_t e = k->shift[p->per_channel ? c : 0];
  if (type == ASH_RT_S16) {
    ((int16_t *)line)[at] = ash_rt_layer_s16(p, sum, k->bias, c, m, e);
    return;
  }
  const uint32_t b = k->bias ? (uint32_t)((const int32_t *)k->bias)[c] : 0;
  const int32_t y =
      ash_rt_rescale((int32_t)((uint32_t)(uint64_t)sum + b), m, e);
  ((uint8_t *)line)[at] =
      (uint8_t)ash_rt_finish(y, p->out_offset, p->act_min, p->act_max);
}

/* The sum of one output of a convolution. A tap has `depth` channels, the first
 * of them `channel`, and `pitch` weights; `f` is the first weight. */
ASH_RT_INLINE int64_t ash_rt_layer_sum(const ash_rt_layer *k, int32_t type,
                                       const ash_rt_lines *in, int32_t top,
                                       int32_t left, int32_t channel,
                                       ptrdiff_t f, int32_t depth,
                                       int32_t pitch) {
  const ash_rt_window *w = &k->p->window;
  const ash_rt_taps v =
      ash_rt_taps_of(top, w->filter_h, w->dilation_h, w->in_h);
  const ash_rt_taps h =
      ash_rt_taps_of(left, w->filter_w, w->dilation_w, w->in_w);
  int64_t sum = 0;
  for (int32_t i = v.lo; i < v.hi; i++) {
    const void *const line = ash_rt_line(in, top + i * w->dilation_h);
    for (int32_t j = h.lo; j < h.hi; j++) {
      const ptrdiff_t at = (ptrdiff_t)(left + j * w->dilation_w) * w->in_c;
      const ptrdiff_t tap = (ptrdiff_t)i * w->filter_w + j;
      sum +=
          ash_rt_layer_dot(k, type, line, at + channel, f + tap * pitch, depth);
    }
  }
  return sum;
}

/* The same of a transposed one, which gathers what the inputs around it add. */
ASH_RT_INLINE int64_t ash_rt_layer_turned(const ash_rt_layer *k, int32_t type,
                                          const ash_rt_lines *in,
                                          int32_t bottom, int32_t right,
                                          ptrdiff_t f) {
  const ash_rt_window *w = &k->p->window;
  int64_t sum = 0;
  for (int32_t i = 0; i < w->filter_h; i++) {
    const int32_t row = bottom - i;
    if (row < 0 || row % w->stride_h != 0 || row / w->stride_h >= w->in_h)
      continue;
    const void *const line = ash_rt_line(in, row / w->stride_h);
    for (int32_t j = 0; j < w->filter_w; j++) {
      const int32_t column = right - j;
      if (column < 0 || column % w->stride_w != 0 ||
          column / w->stride_w >= w->in_w)
        continue;
      const ptrdiff_t at = (ptrdiff_t)(column / w->stride_w) * w->in_c;
      const ptrdiff_t tap = (ptrdiff_t)i * w->filter_w + j;
      sum += ash_rt_layer_dot(k, type, line, at, f + tap * w->in_c, w->in_c);
    }
  }
  return sum;
}

enum { ASH_RT_CONV, ASH_RT_DEPTHWISE, ASH_RT_TURNED };

/* Output lines [from, to), pixel by pixel. */
ASH_RT_INLINE void ash_rt_layer_lines(const ash_rt_layer *k, int32_t type,
                                      int32_t kind, const ash_rt_lines *in,
                                      const ash_rt_lines *out, int32_t from,
                                      int32_t to) {
  const ash_rt_window *w = &k->p->window;
  const int32_t groups = kind == ASH_RT_CONV ? k->p->groups : 1;
  const int32_t depth = w->in_c / groups, made = w->out_c / groups;
  const ptrdiff_t taps = (ptrdiff_t)w->filter_h * w->filter_w * depth;
  for (int32_t y = from; y < to; y++) {
    void *const line = ash_rt_line_out(out, y);
    ptrdiff_t at = 0;
    for (int32_t x = 0; x < w->out_w; x++)
      for (int32_t c = 0; c < w->out_c; c++, at++) {
        const int32_t top = y * w->stride_h - w->pad_top;
        const int32_t left = x * w->stride_w - w->pad_left;
        int64_t sum;
        if (kind == ASH_RT_TURNED)
          sum = ash_rt_layer_turned(k, type, in, y + w->pad_top,
                                    x + w->pad_left, c * taps);
        else if (kind == ASH_RT_DEPTHWISE)
          sum = ash_rt_layer_sum(k, type, in, top, left,
                                 c / (w->out_c / w->in_c), c, 1, w->out_c);
        else
          sum = ash_rt_layer_sum(k, type, in, top, left, c / made * depth,
                                 c * taps, depth, depth);
        ash_rt_layer_put(k, type, line, at, c, sum);
      }
  }
}

/* The whole operator. */
ASH_RT_INLINE void ash_rt_layer_run(const ash_rt_layer *k, int32_t type,
                                    int32_t kind, const void *in, void *out) {
  const ash_rt_window *w = &k->p->window;
  const size_t size = ash_rt_layer_size(type);
  for (int32_t n = 0; n < w->batches; n++) {
    const ash_rt_lines i = ash_rt_image_in(w, in, n, size);
    const ash_rt_lines o = ash_rt_image_out(w, out, n, size);
    ash_rt_layer_lines(k, type, kind, &i, &o, 0, w->out_h);
  }
}

#endif
