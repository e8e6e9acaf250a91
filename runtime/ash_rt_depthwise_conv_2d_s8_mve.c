/* ash_rt_depthwise_conv_2d_s8_mve.c - depthwise convolution, int8, with Helium,
 * one output channel an input channel.
 *
 * Four neighbouring channels at once. Where each tap of a pixel is comes from a
 * table, so that taps in the padding cost nothing special: they read a pixel
 * full of zero points. */
#include "ash_rt.h"

enum { ASH_RT_DEPTHWISE_TAPS_MVE = 25 };

typedef struct ash_rt_depthwise_mve {
  const int8_t *taps[ASH_RT_DEPTHWISE_TAPS_MVE];
  const int8_t *padding;
  const int8_t *filter;
  int32_t count, channels;
} ash_rt_depthwise_mve;

static void ash_rt_depthwise_find_mve(ash_rt_depthwise_mve *k,
                                      const ash_rt_window *w, const int8_t *in,
                                      int32_t y, int32_t x) {
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
static void ash_rt_depthwise_next_mve(ash_rt_depthwise_mve *k, int32_t step) {
  const int8_t **tap = k->taps;
  const int8_t **const end = tap + k->count;
  do
    if (*tap != k->padding)
      *tap += step;
  while (++tap < end);
}

/* Channels c to c + 3, of which `rest` exist. */
static inline ash_rt_four
ash_rt_depthwise_sum_mve(const ash_rt_depthwise_mve *k, int32_t c,
                         int32_t rest) {
  const int8_t *w = k->filter + c;
  const int8_t *const *tap = k->taps;
  ash_rt_four s = ash_rt_four_zero();
  for (int32_t i = k->count; i > 0; i--, w += k->channels)
    s = ash_rt_four_mla(s, *tap++ + c, w, rest);
  return s;
}

void ash_rt_depthwise_conv_2d_s8_mve(
    const ash_rt_depthwise_conv_2d_s8_params *p, const int8_t *in,
    const int8_t *filter, const int32_t *multiplier, const int8_t *shift,
    const int32_t *bias, int8_t *out, void *scratch) {
  const ash_rt_window *w = &p->window;
  ash_rt_depthwise_mve k = {{0}, scratch, filter, 0, 0};
  k.count = w->filter_h * w->filter_w;
  k.channels = w->in_c;
  const ash_rt_taps inner = ash_rt_inner_columns(w);
  if (scratch)
    ASH_RT_FILL(scratch, (uint8_t)-p->in_offset, (size_t)w->in_c);
  for (int32_t n = 0; n < w->batches; n++) {
    for (int32_t y = 0; y < w->out_h; y++)
      for (int32_t x = 0; x < w->out_w; x++, out += w->out_c) {
        if (x > inner.lo && x < inner.hi)
          ash_rt_depthwise_next_mve(&k, w->stride_w * w->in_c);
        else
          ash_rt_depthwise_find_mve(&k, w, in, y, x);
        for (int32_t c = 0; c < w->out_c; c += 4)
          ash_rt_rescale_mve(ash_rt_depthwise_sum_mve(&k, c, w->out_c - c),
                             bias + c, multiplier + c, shift + c, p->out_offset,
                             p->act_min, p->act_max, out + c, w->out_c - c);
      }
    in += (ptrdiff_t)w->in_h * w->in_w * w->in_c;
  }
}
