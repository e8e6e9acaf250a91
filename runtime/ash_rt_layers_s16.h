/* ash_rt_layers_s16.h - int16 by int8: what the variants for a processor share.
 * Neither operand has a zero point, so that padding adds nothing. */
#ifndef ASH_RT_LAYERS_S16_H
#define ASH_RT_LAYERS_S16_H

#include "ash_rt_layers_any.h"
#include "ash_rt_pairs.h"

/* ---- convolution: the taps of a pixel, one behind the other -------------- */

/* Writes `count` elements of a column, zeros if `from` is null, and returns
 * their end. */
typedef int16_t *ash_rt_run_s16(int16_t *to, const int16_t *from,
                                int32_t count);

ASH_RT_INLINE int16_t *ash_rt_column_row_s16(const ash_rt_window *w,
                                             const int16_t *line, int32_t left,
                                             ash_rt_taps h, int16_t *to,
                                             ash_rt_run_s16 *run) {
  to = run(to, NULL, h.lo * w->in_c);
  if (w->dilation_w == 1 && h.hi > h.lo)
    to = run(to, line + (ptrdiff_t)(left + h.lo) * w->in_c,
             (h.hi - h.lo) * w->in_c);
  else
    for (int32_t k = h.lo; k < h.hi; k++)
      to = run(to, line + (ptrdiff_t)(left + k * w->dilation_w) * w->in_c,
               w->in_c);
  return run(to, NULL, (w->filter_w - h.hi) * w->in_c);
}

ASH_RT_INLINE int16_t *ash_rt_column_s16(const ash_rt_window *w,
                                         const ash_rt_lines *in, int32_t y,
                                         int32_t x, int16_t *to,
                                         ash_rt_run_s16 *run) {
  const ash_rt_pixel_taps t = ash_rt_pixel_taps_of(w, y, x);
  const int32_t row = w->filter_w * w->in_c;
  to = run(to, NULL, t.v.lo * row);
  for (int32_t k = t.v.lo; k < t.v.hi; k++)
    to = ash_rt_column_row_s16(w, ash_rt_line(in, t.top + k * w->dilation_h),
                               t.left, t.h, to, run);
  return run(to, NULL, (w->filter_h - t.v.hi) * row);
}

/* Does a column lie in one piece in the input? */
static inline int ash_rt_is_point(const ash_rt_window *w) {
  return w->filter_h == 1 && w->filter_w == 1 && w->pad_top == 0 &&
         w->pad_left == 0 && (w->out_h - 1) * w->stride_h < w->in_h &&
         (w->out_w - 1) * w->stride_w < w->in_w;
}

/* What turns sums of channel c into outputs: of 64 bits (ash_rt_rescale_long),
 * bias and rounding become one number that is added to the scaled sum. */
typedef struct ash_rt_channel_s16 {
  int64_t base;
  int32_t multiplier, shift;
} ash_rt_channel_s16;

static inline ash_rt_channel_s16 ash_rt_channel_of_s16(const ash_rt_layer *k,
                                                       int32_t c) {
  const int32_t i = k->p->per_channel ? c : 0;
  ash_rt_channel_s16 s = {0, k->multiplier[i], k->shift[i]};
  if (k->p->narrow) {
    s.base = k->bias ? ((const int32_t *)k->bias)[c] : 0;
    return s;
  }
  s.multiplier =
      s.multiplier < 0x7fff0000 ? (s.multiplier + (1 << 15)) >> 16 : 0x7fff;
  s.shift = 15 - s.shift;
  s.base = (k->bias ? ((const int64_t *)k->bias)[c] : 0) * s.multiplier +
           ((int64_t)1 << (s.shift - 1));
  return s;
}

/* The output has no zero point. */
static inline int16_t ash_rt_channel_out_s16(const ash_rt_layer_params *p,
                                             const ash_rt_channel_s16 *s,
                                             int64_t sum) {
  if (p->narrow) {
    const uint32_t x = (uint32_t)(uint64_t)sum + (uint32_t)(uint64_t)s->base;
    return (int16_t)ash_rt_clamp(
        ash_rt_rescale((int32_t)x, s->multiplier, s->shift), p->act_min,
        p->act_max);
  }
  const int32_t small = (int32_t)(uint32_t)(uint64_t)sum;
  const int64_t y = (s->base + (small == sum ? (int64_t)small * s->multiplier
                                             : sum * s->multiplier)) >>
                    s->shift;
  return (int16_t)(y < p->act_min   ? p->act_min
                   : y > p->act_max ? p->act_max
                                    : (int32_t)y);
}

/* Of all channels, at the start of the work memory; returns its rest. */
static inline void *ash_rt_channels_s16(const ash_rt_layer *k, void *scratch) {
  ash_rt_channel_s16 *const channels = scratch;
  for (int32_t c = 0; c < k->p->window.out_c; c++)
    channels[c] = ash_rt_channel_of_s16(k, c);
  return channels + k->p->window.out_c;
}

/* ---- depthwise convolution ----------------------------------------------- */

/* Calls `some(k, in, t, c, sums)` for all channels of the output lines [from,
 * to), `width` at a time: it sums up the products of channels [c, c + width),
 * of which those that exist count. There are few enough taps for 32 bits. */
enum { ASH_RT_WIDTH_S16 = 8 };
typedef void ash_rt_depthwise_some(const ash_rt_layer *k,
                                   const ash_rt_lines *in,
                                   const ash_rt_pixel_taps *t, int32_t c,
                                   int32_t *sums);

ASH_RT_INLINE void
ash_rt_depthwise_lines_s16(const ash_rt_layer *k, const ash_rt_lines *in,
                           const ash_rt_lines *out, int32_t from, int32_t to,
                           int32_t width, ash_rt_depthwise_some *some) {
  const ash_rt_window *w = &k->p->window;
  for (int32_t y = from; y < to; y++)
    for (int32_t c = 0; c < w->out_c; c += width) {
      const int32_t count = w->out_c - c < width ? w->out_c - c : width;
      int16_t *pixel = (int16_t *)ash_rt_line_out(out, y) + c;
      ash_rt_channel_s16 channels[ASH_RT_WIDTH_S16];
      for (int32_t i = 0; i < count; i++)
        channels[i] = ash_rt_channel_of_s16(k, c + i);
      for (int32_t x = 0; x < w->out_w; x++, pixel += w->out_c) {
        const ash_rt_pixel_taps t = ash_rt_pixel_taps_of(w, y, x);
        int32_t sums[ASH_RT_WIDTH_S16];
        some(k, in, &t, c, sums);
        for (int32_t i = 0; i < count; i++)
          pixel[i] = ash_rt_channel_out_s16(k->p, &channels[i], sums[i]);
      }
    }
}

/* Channels [c, c + count) without instructions for it. */
ASH_RT_INLINE void ash_rt_depthwise_plain_s16(const ash_rt_layer *k,
                                              const ash_rt_lines *in,
                                              const ash_rt_pixel_taps *t,
                                              int32_t c, int32_t count,
                                              int32_t *sums) {
  const ash_rt_window *w = &k->p->window;
  for (int32_t i = 0; i < count; i++) {
    int32_t s = 0;
    for (int32_t v = t->v.lo; v < t->v.hi; v++) {
      const int16_t *const line = ash_rt_line(in, t->top + v * w->dilation_h);
      for (int32_t h = t->h.lo; h < t->h.hi; h++) {
        const ptrdiff_t at = (ptrdiff_t)(t->left + h * w->dilation_w) * w->in_c;
        const ptrdiff_t tap = (ptrdiff_t)v * w->filter_w + h;
        s += line[at + c + i] *
             ((const int8_t *)k->filter)[tap * w->in_c + c + i];
      }
    }
    sums[i] = s;
  }
}

/* ---- fully connected ----------------------------------------------------- */

/* high * 2^-shift is at most the ratio, (high + 1) * 2^-shift more than it. */
typedef struct ash_rt_ratio {
  double exact;
  uint32_t high;
  int32_t shift;
} ash_rt_ratio;

static inline ash_rt_ratio ash_rt_ratio_of(double exact) {
  uint64_t bits;
  ASH_RT_COPY(&bits, &exact, sizeof bits);
  const ash_rt_ratio r = {exact, (uint32_t)(bits >> 22 & 0x3fffffff) | 1u << 30,
                          1053 - (int32_t)(bits >> 52 & 0x7ff)};
  return r;
}

/* ash_rt_fc_round(sum * ratio), nearly always in integers. In units of
 * 2^-shift, the product that double arithmetic rounds is at least `least` - 512
 * and at most `least` + |sum| + 512, because `least` is below 2^62 and doubles
 * have 53 bits: where no half lies between these two, both round alike. */
static inline int32_t ash_rt_fc_scale_s16(int64_t sum, const ash_rt_ratio *r) {
  if (sum > -INT32_MAX && sum < INT32_MAX && r->shift >= 33 && r->shift <= 62) {
    const uint32_t size = (uint32_t)(sum < 0 ? -sum : sum);
    const uint64_t unit = (uint64_t)1 << r->shift;
    const uint64_t least = (uint64_t)size * r->high;
    const uint64_t up = least + unit / 2, rest = up & (unit - 1);
    const int32_t y = (int32_t)(up >> r->shift);
    if (rest >= 512 && rest + size + 512 < unit)
      return sum < 0 ? -y : y;
  }
  return ash_rt_fc_round((double)sum * r->exact);
}

/* The output of a channel from the sum of its products. */
static inline int16_t ash_rt_fc_out_s16(const ash_rt_dense_params *p,
                                        int64_t sum, const void *bias,
                                        int32_t channel,
                                        const ash_rt_ratio *r) {
  if (!p->narrow)
    sum += bias ? ((const int64_t *)bias)[channel] : 0;
  else
    sum = (int32_t)((uint32_t)(uint64_t)sum +
                    (bias ? (uint32_t)((const int32_t *)bias)[channel] : 0));
  return (int16_t)ash_rt_finish(ash_rt_fc_scale_s16(sum, r), p->out_offset,
                                p->act_min, p->act_max);
}

/* ---- pools --------------------------------------------------------------- */

/* To the nearest, ties away from zero; of no elements: 0. */
static inline int16_t ash_rt_average_s16(const ash_rt_pool_2d_any_params *p,
                                         int32_t sum, int32_t count) {
  const int32_t half = count / 2;
  const int32_t y = count ? (sum > 0 ? sum + half : sum - half) / count : 0;
  return (int16_t)ash_rt_clamp(y, p->act_min, p->act_max);
}

/* Calls `some(p, pane, c, out, whole)` for channels [c, c + width) of each
 * pixel of the output lines [from, to); all of them exist if `whole`. */
typedef void ash_rt_pool_some(const ash_rt_pool_2d_any_params *p,
                              const ash_rt_pane *pane, int32_t c, int16_t *out,
                              int whole);

ASH_RT_INLINE void ash_rt_pool_lines_s16(const ash_rt_pool_2d_any_params *p,
                                         const ash_rt_lines *in,
                                         const ash_rt_lines *out, int32_t from,
                                         int32_t to, int32_t width,
                                         ash_rt_pool_some *some) {
  const ash_rt_window *w = &p->window;
  for (int32_t y = from; y < to; y++) {
    int16_t *pixel = ash_rt_line_out(out, y);
    for (int32_t x = 0; x < w->out_w; x++, pixel += w->in_c) {
      const ash_rt_pane pane = ash_rt_pane_of(w, in, y, x, sizeof *pixel);
      int32_t c = 0;
      for (; c + width <= w->in_c; c += width)
        some(p, &pane, c, pixel, 1);
      if (c < w->in_c)
        some(p, &pane, c, pixel, 0);
    }
  }
}

ASH_RT_INLINE void ash_rt_pool_run_s16(const ash_rt_pool_2d_any_params *p,
                                       const void *in, void *out, int32_t width,
                                       ash_rt_pool_some *some) {
  const ash_rt_window *w = &p->window;
  for (int32_t n = 0; n < w->batches; n++) {
    const ash_rt_lines i = ash_rt_image_in(w, in, n, sizeof(int16_t));
    const ash_rt_lines o = ash_rt_image_out(w, out, n, sizeof(int16_t));
    ash_rt_pool_lines_s16(p, &i, &o, 0, w->out_h, width, some);
  }
}

/* Channel c without instructions for it. */
ASH_RT_INLINE void ash_rt_average_one_s16(const ash_rt_pool_2d_any_params *p,
                                          const ash_rt_pane *b, int32_t c,
                                          int16_t *out) {
  int32_t s = 0;
  for (int32_t y = 0; y < b->rows; y++) {
    const int16_t *const row = ash_rt_line(&b->in, y);
    for (int32_t k = 0; k < b->columns; k++)
      s += row[k * b->column + c];
  }
  out[c] = ash_rt_average_s16(p, s, b->rows * b->columns);
}

ASH_RT_INLINE void ash_rt_max_one_s16(const ash_rt_pool_2d_any_params *p,
                                      const ash_rt_pane *b, int32_t c,
                                      int16_t *out) {
  int32_t m = p->act_min;
  for (int32_t y = 0; y < b->rows; y++) {
    const int16_t *const row = ash_rt_line(&b->in, y);
    for (int32_t k = 0; k < b->columns; k++)
      m = row[k * b->column + c] > m ? row[k * b->column + c] : m;
  }
  out[c] = (int16_t)(m > p->act_max ? p->act_max : m);
}

#endif
