/* ash_rt_depthwise_conv_2d_s8_scalar.c - depthwise convolution, int8, one
 * output channel an input channel: four neighbouring channels at once. */
#include "ash_rt_scalar.h"

static ASH_RT_NOINLINE void
ash_rt_depthwise_four_scalar(const ash_rt_depthwise *k, int32_t c,
                             int32_t s[4]) {
  const int8_t *w = k->filter + c;
  const int8_t *const *tap = k->taps;
  const int8_t *const *const end = tap + k->count;
  const ptrdiff_t pitch = k->channels;
  int32_t s0 = k->bias[c], s1 = k->bias[c + 1];
  int32_t s2 = k->bias[c + 2], s3 = k->bias[c + 3];
  ASH_RT_NO_UNROLL
  do {
    const int8_t *const x = *tap++ + c;
    s0 += x[0] * w[0];
    s1 += x[1] * w[1];
    s2 += x[2] * w[2];
    s3 += x[3] * w[3];
    w += pitch;
  } while (tap != end);
  s[0] = s0;
  s[1] = s1;
  s[2] = s2;
  s[3] = s3;
}

static void ash_rt_depthwise_pixel_scalar(const ash_rt_depthwise *k,
                                          int8_t *out) {
  const int32_t *multiplier = k->multiplier;
  const int8_t *shift = k->shift;
  int32_t c = 0;
  for (; c + 4 <= k->channels; c += 4) {
    int32_t s[4];
    ash_rt_depthwise_four_scalar(k, c, s);
    for (int32_t i = 0; i < 4; i++)
      out[c + i] = ash_rt_rescale_scalar(s[i], multiplier[c + i], shift[c + i],
                                         k->offset, k->low, k->high);
  }
  for (; c < k->channels; c++) {
    int32_t s = k->bias[c];
    for (int32_t i = 0; i < k->count; i++)
      s += k->taps[i][c] * k->filter[(ptrdiff_t)i * k->channels + c];
    out[c] = ash_rt_rescale_scalar(s, multiplier[c], shift[c], k->offset,
                                   k->low, k->high);
  }
}

/* kernel depthwise_conv_2d_s8_scalar */
void ash_rt_depthwise_conv_2d_s8_scalar(
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
                            ash_rt_depthwise_pixel_scalar);
  }
}

/* kernel depthwise_conv_2d_s8_scalar_lines */
void ash_rt_depthwise_conv_2d_s8_scalar_lines(
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
  ash_rt_depthwise_pixels(p, &k, in, out, from, to,
                          ash_rt_depthwise_pixel_scalar);
}
