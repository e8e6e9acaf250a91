/* ash_rt_depthwise_conv_2d_s8_pie.c - depthwise convolution, int8, one output
 * channel an input channel, for the ESP32-S3: sixteen channels at once where
 * channels come in sixteens and pixels begin where whole blocks do, else one by
 * one. */
#include "ash_rt_pie.h"

static void ash_rt_depthwise_pixel_pie(const ash_rt_depthwise *k, int8_t *out) {
  for (int32_t c = 0; c < k->channels; c += ASH_RT_PIE_BLOCK) {
    int32_t s[ASH_RT_PIE_BLOCK];
    ash_rt_lanes_pie(k->taps, c, k->filter + c, k->channels, k->count, s);
    for (int32_t i = 0; i < ASH_RT_PIE_BLOCK; i++)
      out[c + i] =
          ash_rt_rescale_pie(k->bias[c + i] + s[i], k->multiplier[c + i],
                             k->shift[c + i], k->offset, k->low, k->high);
  }
}

static void ash_rt_depthwise_each_pie(const ash_rt_depthwise *k, int8_t *out) {
  for (int32_t c = 0; c < k->channels; c++) {
    int32_t s = k->bias[c];
    for (int32_t i = 0; i < k->count; i++)
      s += k->taps[i][c] * k->filter[(ptrdiff_t)i * k->channels + c];
    out[c] = ash_rt_rescale_pie(s, k->multiplier[c], k->shift[c], k->offset,
                                k->low, k->high);
  }
}

/* Do all pixels of all lines begin where whole blocks do? */
static int ash_rt_is_in_blocks_pie(const ash_rt_depthwise *k,
                                   const ash_rt_lines *in) {
  const ptrdiff_t step = in->at ? in->unit : in->pitch;
  return k->channels % ASH_RT_PIE_BLOCK == 0 && step % ASH_RT_PIE_BLOCK == 0 &&
         ash_rt_is_aligned_pie(in->base) && ash_rt_is_aligned_pie(k->filter) &&
         ash_rt_is_aligned_pie(k->padding);
}

ASH_RT_INLINE void
ash_rt_depthwise_core_pie(const ash_rt_depthwise_conv_2d_s8_params *p,
                          ash_rt_depthwise *k, const ash_rt_lines *in,
                          const ash_rt_lines *out, int32_t from, int32_t to) {
  ash_rt_depthwise_pixels(p, k, in, out, from, to,
                          ash_rt_is_in_blocks_pie(k, in)
                              ? ash_rt_depthwise_pixel_pie
                              : ash_rt_depthwise_each_pie);
}

/* kernel depthwise_conv_2d_s8_pie */
void ash_rt_depthwise_conv_2d_s8_pie(
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
    ash_rt_depthwise_core_pie(p, &k, &i, &o, 0, w->out_h);
  }
}

/* kernel depthwise_conv_2d_s8_pie_lines */
void ash_rt_depthwise_conv_2d_s8_pie_lines(
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
  ash_rt_depthwise_core_pie(p, &k, in, out, from, to);
}
