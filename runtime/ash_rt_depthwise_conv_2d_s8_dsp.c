/* ash_rt_depthwise_conv_2d_s8_dsp.c - depthwise convolution, int8, with Arm's
 * DSP instructions, one output channel an input channel.
 *
 * Four neighbouring channels at once. Where each tap of a pixel is comes from a
 * table, so that taps in the padding cost nothing special: they read a pixel
 * full of zero points. */
#include "ash_rt_dsp.h"

enum { ASH_RT_DEPTHWISE_TAPS = 25 };

typedef struct ash_rt_depthwise_dsp {
  const int8_t *taps[ASH_RT_DEPTHWISE_TAPS];
  const int8_t *padding;
  const int8_t *filter;
  const int32_t *multiplier;
  const int8_t *shift;
  const int32_t *bias;
  int32_t count, channels, twice;
} ash_rt_depthwise_dsp;

static void ash_rt_depthwise_find_dsp(ash_rt_depthwise_dsp *k,
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
static void ash_rt_depthwise_next_dsp(ash_rt_depthwise_dsp *k, int32_t step) {
  const int8_t **tap = k->taps;
  const int8_t **const end = tap + k->count;
  do
    if (*tap != k->padding)
      *tap += step;
  while (++tap < end);
}

static void ash_rt_depthwise_four_dsp(const ash_rt_depthwise_dsp *k, int32_t c,
                                      int8_t *out) {
  const int8_t *w = k->filter + c;
  const int8_t *const *tap = k->taps;
  const int8_t *const *const end = tap + k->count;
  int32_t s0 = k->bias[c], s1 = k->bias[c + 1];
  int32_t s2 = k->bias[c + 2], s3 = k->bias[c + 3];
  do {
    const uint32_t a = ash_rt_load_4(*tap + c), b = ash_rt_load_4(w);
    const uint32_t a02 = ash_rt_even(a), b02 = ash_rt_even(b);
    const uint32_t a13 = ash_rt_odd(a), b13 = ash_rt_odd(b);
    s0 = ash_rt_mla_low(s0, a02, b02);
    s2 = ash_rt_mla_high(s2, a02, b02);
    s1 = ash_rt_mla_low(s1, a13, b13);
    s3 = ash_rt_mla_high(s3, a13, b13);
    w += k->channels;
  } while (++tap < end);
  const int32_t *m = k->multiplier + c;
  const int8_t *e = k->shift + c;
  out[0] = ash_rt_rescale_dsp(s0, m[0], e[0], k->twice);
  out[1] = ash_rt_rescale_dsp(s1, m[1], e[1], k->twice);
  out[2] = ash_rt_rescale_dsp(s2, m[2], e[2], k->twice);
  out[3] = ash_rt_rescale_dsp(s3, m[3], e[3], k->twice);
}

static void ash_rt_depthwise_pixel_dsp(const ash_rt_depthwise_dsp *k,
                                       int8_t *out) {
  int32_t c = 0;
  for (; c + 4 <= k->channels; c += 4)
    ash_rt_depthwise_four_dsp(k, c, out + c);
  for (; c < k->channels; c++) {
    int32_t s = k->bias[c];
    for (int32_t i = 0; i < k->count; i++)
      s += k->taps[i][c] * k->filter[(ptrdiff_t)i * k->channels + c];
    out[c] = ash_rt_rescale_dsp(s, k->multiplier[c], k->shift[c], k->twice);
  }
}

void ash_rt_depthwise_conv_2d_s8_dsp(
    const ash_rt_depthwise_conv_2d_s8_params *p, const int8_t *in,
    const int8_t *filter, const int32_t *multiplier, const int8_t *shift,
    const int32_t *bias, int8_t *out, void *scratch) {
  const ash_rt_window *w = &p->window;
  ash_rt_depthwise_dsp k = {{0},  scratch, filter, multiplier, shift,
                            bias, 0,       0,      0};
  k.count = w->filter_h * w->filter_w;
  k.channels = w->in_c;
  k.twice = 2 * p->out_offset + 1;
  const ash_rt_taps inner = ash_rt_inner_columns(w);
  if (scratch)
    ASH_RT_FILL(scratch, (uint8_t)-p->in_offset, (size_t)w->in_c);
  for (int32_t n = 0; n < w->batches; n++) {
    for (int32_t y = 0; y < w->out_h; y++)
      for (int32_t x = 0; x < w->out_w; x++, out += w->out_c) {
        if (x > inner.lo && x < inner.hi)
          ash_rt_depthwise_next_dsp(&k, w->stride_w * w->in_c);
        else
          ash_rt_depthwise_find_dsp(&k, w, in, y, x);
        ash_rt_depthwise_pixel_dsp(&k, out);
        ash_rt_clamp_run_s8(out, w->out_c, p->act_min, p->act_max);
      }
    in += (ptrdiff_t)w->in_h * w->in_w * w->in_c;
  }
}
