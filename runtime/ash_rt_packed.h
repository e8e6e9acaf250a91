/* ash_rt_packed.h - what the variants for a processor share. */
#ifndef ASH_RT_PACKED_H
#define ASH_RT_PACKED_H

#include "ash_rt_layers_s8.h"
#include "ash_rt_pairs.h"
#include "ash_rt_rows.h"

/* The same results from weights and constants that pass/pack.c prepared: the
 * input's zero point is part of the bias, multipliers and shifts (none above 0)
 * have an entry for each channel, up to a multiple of four. A group of channels
 * whose first shift is above 0 is constant: its bias is the output, and it has
 * no weights. (DSP kernels count shifts the other way: ash_rt_dsp.h.) Without
 * the instructions, plain C takes their place: a module for a device can be
 * tested elsewhere. */

/* ash_rt_add_s8 and ash_rt_mul_s8 without instructions for it. */
static inline void ash_rt_add_plain(const ash_rt_add_s8_params *p,
                                    const int8_t *a, const int8_t *b,
                                    int8_t *out, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    const int32_t x = ash_rt_rescale((a[i] + p->a_offset) * (1 << 20),
                                     p->a_multiplier, p->a_shift);
    const int32_t y = ash_rt_rescale((b[i] + p->b_offset) * (1 << 20),
                                     p->b_multiplier, p->b_shift);
    out[i] = (int8_t)ash_rt_finish(
        ash_rt_rescale(x + y, p->out_multiplier, p->out_shift), p->out_offset,
        p->act_min, p->act_max);
  }
}

static inline void ash_rt_mul_plain(const ash_rt_mul_s8_params *p,
                                    const int8_t *a, const int8_t *b,
                                    int8_t *out, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    const int32_t y =
        ash_rt_rescale((a[i] + p->a_offset) * (b[i] + p->b_offset),
                       p->out_multiplier, p->out_shift);
    out[i] = (int8_t)ash_rt_finish(y, p->out_offset, p->act_min, p->act_max);
  }
}

/* The largest of a window's elements in channels [c, c + count), within [low,
 * high]. Without instructions for it. */
static inline void ash_rt_max_plain(const ash_rt_pane *b, int32_t c,
                                    int32_t count, int32_t low, int32_t high,
                                    int8_t *out) {
  for (int32_t i = c; i < c + count; i++) {
    int32_t m = low;
    for (int32_t y = 0; y < b->rows; y++)
      for (int32_t k = 0; k < b->columns; k++) {
        const int8_t *const row = ash_rt_line(&b->in, y);
        const int32_t v = row[k * b->column + i];
        m = v > m ? v : m;
      }
    out[i] = (int8_t)(m > high ? high : m);
  }
}

/* ---- fully connected: from sums to outputs ------------------------------- */

/* The layer, or each channel, has four numbers m, c, f, k: a sum s becomes
 * (mul_high(s << k, m) + c) >> f, the zero point being part of c. Where no such
 * numbers are exact for every sum, the scale is wide: ash_rt_rescale_53 with 31
 * and 22 bits of the multiplier and a shift of 32 - scale[3], which leaves the
 * upper half of the product; scale[2] is what is added to that half to round,
 * and the zero point. */
static inline int32_t ash_rt_scale_wide(int32_t sum, const int32_t *scale) {
  const int32_t rest = (int32_t)(((int64_t)sum * scale[1] + (sum >> 31)) >> 22);
  const int64_t whole = (int64_t)sum * scale[0] + rest;
  return ((int32_t)(whole >> 32) + scale[2]) >> -scale[3];
}

/* ---- averages over windows of at most 255 pixels ------------------------- */

typedef struct ash_rt_average {
  ash_rt_pane pane;
  int32_t count;
  uint32_t inverse; /* 2^32 / count, rounded up; of 1: 2^32 - 1 */
} ash_rt_average;

/* An average is floor((sum + up) / count) - 128: `up` rounds and makes the sum
 * positive; it is one less for negative sums if there can be ties, which go
 * away from zero. Multiplying by the inverse is exact for sums below 2^16, but
 * one too small for a count of one, which `up` makes good. */
typedef struct ash_rt_average_round {
  int32_t up;
  int32_t ties; /* -1: lower negative sums */
} ash_rt_average_round;

static inline ash_rt_average_round ash_rt_average_round_of(int32_t count) {
  ash_rt_average_round r;
  r.up = count / 2 + 128 * count + (count == 1);
  r.ties = count & 1 ? 0 : -1;
  return r;
}

ASH_RT_INLINE ash_rt_average ash_rt_average_of(const ash_rt_window *w,
                                               const ash_rt_lines *in,
                                               int32_t y, int32_t x) {
  ash_rt_average b;
  b.pane = ash_rt_pane_of(w, in, y, x, 1);
  b.count = b.pane.rows ? b.pane.rows * b.pane.columns : 1;
  b.inverse = b.count == 1 ? UINT32_MAX : UINT32_MAX / (uint32_t)b.count + 1;
  return b;
}

/* Without instructions for it. */
static inline void ash_rt_average_plain(const ash_rt_pool_2d_s8_params *p,
                                        const ash_rt_average *b, int8_t *out) {
  const ash_rt_average_round r = ash_rt_average_round_of(b->count);
  for (int32_t c = 0; c < p->window.in_c; c++) {
    int32_t s = 0;
    for (int32_t y = 0; y < b->pane.rows; y++) {
      const int8_t *const row = ash_rt_line(&b->pane.in, y);
      for (int32_t k = 0; k < b->pane.columns; k++)
        s += row[k * b->pane.column + c];
    }
    s += s < 0 ? r.ties : 0;
    const uint64_t n = (uint64_t)(uint32_t)(s + r.up);
    const int32_t y = (int32_t)((n * b->inverse) >> 32) - 128;
    out[c] = (int8_t)ash_rt_clamp(y, p->act_min, p->act_max);
  }
}

/* ---- convolution: the taps of a pixel, one behind the other -------------- */

/* Write a run of bytes and return its end. */
typedef int8_t *ash_rt_run_filler(int8_t *to, int32_t value, int32_t count);
typedef int8_t *ash_rt_run_copier(int8_t *to, const int8_t *from,
                                  int32_t count);

/* A row of taps; `left` is the column of the first, `line` the input row. */
ASH_RT_INLINE int8_t *ash_rt_conv_row(const ash_rt_conv_2d_s8_params *p,
                                      const int8_t *line, int32_t left,
                                      int8_t *to, ash_rt_run_filler *fill,
                                      ash_rt_run_copier *copy) {
  const ash_rt_window *w = &p->window;
  const ash_rt_taps h =
      ash_rt_taps_of(left, w->filter_w, w->dilation_w, w->in_w);
  to = fill(to, -p->in_offset, h.lo * w->in_c);
  if (w->dilation_w == 1 && h.hi > h.lo)
    to = copy(to, line + (ptrdiff_t)(left + h.lo) * w->in_c,
              (h.hi - h.lo) * w->in_c);
  else
    for (int32_t k = h.lo; k < h.hi; k++)
      to = copy(to, line + (ptrdiff_t)(left + k * w->dilation_w) * w->in_c,
                w->in_c);
  return fill(to, -p->in_offset, (w->filter_w - h.hi) * w->in_c);
}

ASH_RT_INLINE void ash_rt_conv_column(const ash_rt_conv_2d_s8_params *p,
                                      const ash_rt_lines *in, int32_t y,
                                      int32_t x, int8_t *to,
                                      ash_rt_run_filler *fill,
                                      ash_rt_run_copier *copy) {
  const ash_rt_window *w = &p->window;
  const int32_t left = x * w->stride_w - w->pad_left;
  int32_t row = y * w->stride_h - w->pad_top;
  for (int32_t k = 0; k < w->filter_h; k++, row += w->dilation_h)
    if (row >= 0 && row < w->in_h)
      to = ash_rt_conv_row(p, ash_rt_line(in, row), left, to, fill, copy);
    else
      to = fill(to, -p->in_offset, w->filter_w * w->in_c);
}

/* ---- depthwise convolution, one output channel an input channel ---------- */

enum { ASH_RT_DEPTHWISE_TAPS = 25 };

/* Where each tap of a pixel is comes from a table, so that taps in the padding
 * cost nothing special: they read a pixel full of zero points. */
typedef struct ash_rt_depthwise {
  const int8_t *taps[ASH_RT_DEPTHWISE_TAPS];
  const int8_t *padding;
  const int8_t *filter;
  const int32_t *multiplier;
  const int8_t *shift;
  const int32_t *bias;
  int32_t count, channels, offset, low, high;
} ash_rt_depthwise;

/* Of a pixel, where its taps are: every `every`th entry of a table. */
ASH_RT_INLINE void ash_rt_taps_find(const int8_t **tap, int32_t every,
                                    const int8_t *padding,
                                    const ash_rt_window *w,
                                    const ash_rt_lines *in, int32_t y,
                                    int32_t x) {
  const int32_t left = x * w->stride_w - w->pad_left;
  const ash_rt_taps h =
      ash_rt_taps_of(left, w->filter_w, w->dilation_w, w->in_w);
  const ptrdiff_t step = (ptrdiff_t)w->dilation_w * w->in_c;
  int32_t row = y * w->stride_h - w->pad_top;
  for (int32_t i = 0; i < w->filter_h; i++, row += w->dilation_h) {
    const int inside = row >= 0 && row < w->in_h && h.lo < h.hi;
    const int8_t *from = padding;
    int32_t j = 0;
    if (inside) {
      from = (const int8_t *)ash_rt_line(in, row) +
             (ptrdiff_t)(left + h.lo * w->dilation_w) * w->in_c;
      for (; j < h.lo; j++, tap += every)
        *tap = padding;
      for (; j < h.hi; j++, tap += every, from += step)
        *tap = from;
    }
    for (; j < w->filter_w; j++, tap += every)
      *tap = padding;
  }
}

/* From a pixel without taps to the left or right of the input to the next. */
static inline void ash_rt_taps_next(const int8_t **tap, const int8_t *padding,
                                    int32_t left, int32_t step) {
  do {
    if (*tap != padding)
      *tap += step;
    tap++;
  } while (--left != 0);
}

/* Calls `pixel` for each pixel of the output lines [from, to); k has what is
 * the same for all. */
ASH_RT_INLINE void
ash_rt_depthwise_pixels(const ash_rt_depthwise_conv_2d_s8_params *p,
                        ash_rt_depthwise *k, const ash_rt_lines *in,
                        const ash_rt_lines *out, int32_t from, int32_t to,
                        void (*pixel)(const ash_rt_depthwise *k, int8_t *out)) {
  const ash_rt_window *w = &p->window;
  const ash_rt_taps inner = ash_rt_inner_columns(w);
  for (int32_t y = from; y < to; y++) {
    int8_t *made = ash_rt_line_out(out, y);
    for (int32_t x = 0; x < w->out_w; x++, made += w->out_c) {
      if (x > inner.lo && x < inner.hi)
        ash_rt_taps_next(k->taps, k->padding, k->count, w->stride_w * w->in_c);
      else
        ash_rt_taps_find(k->taps, 1, k->padding, w, in, y, x);
      pixel(k, made);
    }
  }
}

/* The rest of what is the same for all pixels; fills the pixel of zero points.
 */
ASH_RT_INLINE void
ash_rt_depthwise_begin(const ash_rt_depthwise_conv_2d_s8_params *p,
                       ash_rt_depthwise *k, void *scratch) {
  const ash_rt_window *w = &p->window;
  k->padding = scratch;
  k->count = w->filter_h * w->filter_w;
  k->channels = w->in_c;
  k->low = p->act_min;
  k->high = p->act_max;
  if (scratch)
    ASH_RT_FILL(scratch, (uint8_t)-p->in_offset, (size_t)w->in_c);
}

#endif
