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
 * no weights. Without the instructions, plain C takes their place: a module for
 * a device can be tested elsewhere. */

/* Elements of tensors of one shape. */
static inline int32_t ash_rt_count_of(const ash_rt_broadcast *shape) {
  int32_t count = 1;
  for (int32_t d = 0; d < shape->rank; d++)
    count *= shape->dim[d];
  return count;
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
                                      const int8_t *in, int32_t y, int32_t x,
                                      int8_t *to, ash_rt_run_filler *fill,
                                      ash_rt_run_copier *copy) {
  const ash_rt_window *w = &p->window;
  const int32_t left = x * w->stride_w - w->pad_left;
  int32_t row = y * w->stride_h - w->pad_top;
  for (int32_t k = 0; k < w->filter_h; k++, row += w->dilation_h)
    if (row >= 0 && row < w->in_h)
      to = ash_rt_conv_row(p, in + (ptrdiff_t)row * w->in_w * w->in_c, left, to,
                           fill, copy);
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

static inline void ash_rt_depthwise_find(ash_rt_depthwise *k,
                                         const ash_rt_window *w,
                                         const int8_t *in, int32_t y,
                                         int32_t x) {
  const int8_t **tap = k->taps;
  int32_t row = y * w->stride_h - w->pad_top;
  for (int32_t i = 0; i < w->filter_h; i++, row += w->dilation_h) {
    const int inside = row >= 0 && row < w->in_h;
    int32_t column = x * w->stride_w - w->pad_left;
    for (int32_t j = 0; j < w->filter_w; j++, column += w->dilation_w)
      *tap++ = inside && column >= 0 && column < w->in_w
                   ? in + ((ptrdiff_t)row * w->in_w + column) * w->in_c
                   : k->padding;
  }
}

/* From a pixel without taps to the left or right of the input to the next. */
static inline void ash_rt_depthwise_next(ash_rt_depthwise *k, int32_t step) {
  const int8_t **tap = k->taps;
  const int8_t **const end = tap + k->count;
  do
    if (*tap != k->padding)
      *tap += step;
  while (++tap < end);
}

/* Calls `pixel` for each output pixel; k has what is the same for all. */
ASH_RT_INLINE void
ash_rt_depthwise_pixels(const ash_rt_depthwise_conv_2d_s8_params *p,
                        ash_rt_depthwise *k, const int8_t *in, int8_t *out,
                        void *scratch,
                        void (*pixel)(const ash_rt_depthwise *k, int8_t *out)) {
  const ash_rt_window *w = &p->window;
  const ash_rt_taps inner = ash_rt_inner_columns(w);
  k->padding = scratch;
  k->count = w->filter_h * w->filter_w;
  k->channels = w->in_c;
  k->low = p->act_min;
  k->high = p->act_max;
  if (scratch)
    ASH_RT_FILL(scratch, (uint8_t)-p->in_offset, (size_t)w->in_c);
  for (int32_t n = 0; n < w->batches; n++) {
    for (int32_t y = 0; y < w->out_h; y++)
      for (int32_t x = 0; x < w->out_w; x++, out += w->out_c) {
        if (x > inner.lo && x < inner.hi)
          ash_rt_depthwise_next(k, w->stride_w * w->in_c);
        else
          ash_rt_depthwise_find(k, w, in, y, x);
        pixel(k, out);
      }
    in += (ptrdiff_t)w->in_h * w->in_w * w->in_c;
  }
}

#endif
