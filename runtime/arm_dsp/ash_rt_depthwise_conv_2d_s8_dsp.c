/* ash_rt_depthwise_conv_2d_s8_dsp.c - depthwise convolution, int8, with Arm's
 * DSP instructions, one output channel an input channel.
 *
 * Four neighbouring channels at once; `offset` is twice the zero point, plus
 * one. */
#include "ash_rt_dsp.h"

static void ash_rt_depthwise_four_dsp(const ash_rt_depthwise *k, int32_t c,
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
  out[0] = ash_rt_rescale_dsp(s0, m[0], e[0], k->offset);
  out[1] = ash_rt_rescale_dsp(s1, m[1], e[1], k->offset);
  out[2] = ash_rt_rescale_dsp(s2, m[2], e[2], k->offset);
  out[3] = ash_rt_rescale_dsp(s3, m[3], e[3], k->offset);
}

static void ash_rt_depthwise_pixel_dsp(const ash_rt_depthwise *k, int8_t *out) {
  const int32_t whole = k->channels & ~3; /* counted without overflow */
  for (int32_t c = 0; c < whole; c += 4)
    ash_rt_depthwise_four_dsp(k, c, out + c);
  for (int32_t c = whole; c < k->channels; c++) {
    int32_t s = k->bias[c];
    for (int32_t i = 0; i < k->count; i++)
      s += k->taps[i][c] * k->filter[(ptrdiff_t)i * k->channels + c];
    out[c] = ash_rt_rescale_dsp(s, k->multiplier[c], k->shift[c], k->offset);
  }
  ash_rt_clamp_run_s8(out, k->channels, k->low, k->high);
}

/* kernel depthwise_conv_2d_s8_dsp */
void ash_rt_depthwise_conv_2d_s8_dsp(
    const ash_rt_depthwise_conv_2d_s8_params *p, const int8_t *in,
    const int8_t *filter, const int32_t *multiplier, const int8_t *shift,
    const int32_t *bias, int8_t *out, void *scratch) {
  const ash_rt_window *w = &p->window;
  ash_rt_depthwise k = {{0},        scratch, filter,
                        multiplier, shift,   bias,
                        0,          0,       2 * p->out_offset + 1,
                        0,          0};
  ash_rt_depthwise_begin(p, &k, scratch);
  for (int32_t n = 0; n < w->batches; n++) {
    const ash_rt_lines i = ash_rt_image_in(w, in, n, sizeof *in);
    const ash_rt_lines o = ash_rt_image_out(w, out, n, sizeof *out);
    ash_rt_depthwise_pixels(p, &k, &i, &o, 0, w->out_h,
                            ash_rt_depthwise_pixel_dsp);
  }
}

/* kernel depthwise_conv_2d_s8_dsp_lines */
void ash_rt_depthwise_conv_2d_s8_dsp_lines(
    const ash_rt_depthwise_conv_2d_s8_params *p, const ash_rt_lines *in,
    const int8_t *filter, const int32_t *multiplier, const int8_t *shift,
    const int32_t *bias, const ash_rt_lines *out, int32_t from, int32_t to,
    void *scratch) {
  ash_rt_depthwise k; /* not its taps: that would take a while in each line */
  k.filter = filter;
  k.multiplier = multiplier;
  k.shift = shift;
  k.bias = bias;
  k.offset = 2 * p->out_offset + 1;
  ash_rt_depthwise_begin(p, &k, scratch);
  ash_rt_depthwise_pixels(p, &k, in, out, from, to, ash_rt_depthwise_pixel_dsp);
}
