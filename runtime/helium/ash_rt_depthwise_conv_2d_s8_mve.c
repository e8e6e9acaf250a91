/* ash_rt_depthwise_conv_2d_s8_mve.c - depthwise convolution, int8, with Helium,
 * one output channel an input channel.
 *
 * Eight neighbouring channels at once: products of two taps are added up in 16
 * bits, which is enough because not both weights are -128; the sums of even and
 * odd channels are apart until they are stored. */
#include "ash_rt_mve.h"

#if ASH_RT_HAS_MVE
/* The first `rest` of eight; all of them if `whole`, which costs less. */
static inline int16x8_t
ash_rt_depthwise_load_mve(const int8_t *from, mve_pred16_t some, int whole) {
  return whole ? vldrbq_s16(from) : vldrbq_z_s16(from, some);
}

/* Channels c to c + 7, of which `rest` exist. */
ASH_RT_INLINE void ash_rt_depthwise_eight_mve(const ash_rt_depthwise *k,
                                              const int8_t *const *tap,
                                              int32_t c, int32_t rest,
                                              int8_t *out, int whole) {
  const mve_pred16_t some = whole ? 0 : vctp16q((uint32_t)rest);
  const int8_t *w = k->filter + c;
  const ptrdiff_t pitch = k->channels;
  int32x4_t even = vldrwq_s32(k->bias + c);
  int32x4_t odd = vldrwq_s32(k->bias + c + 4);
  int16x8_t sum = vdupq_n_s16(0);
  if (k->count & 1) {
    sum = vmulq_s16(ash_rt_depthwise_load_mve(*tap++ + c, some, whole),
                    ash_rt_depthwise_load_mve(w, some, whole));
    w += pitch;
    even = vaddq_s32(even, vmovlbq_s16(sum));
    odd = vaddq_s32(odd, vmovltq_s16(sum));
  }
  for (int32_t i = k->count >> 1; i > 0; i--) {
    const int8_t *a = *tap++ + c, *b = *tap++ + c;
    sum = vmulq_s16(ash_rt_depthwise_load_mve(a, some, whole),
                    ash_rt_depthwise_load_mve(w, some, whole));
    w += pitch;
    sum = vaddq_s16(sum, vmulq_s16(ash_rt_depthwise_load_mve(b, some, whole),
                                   ash_rt_depthwise_load_mve(w, some, whole)));
    w += pitch;
    even = vaddq_s32(even, vmovlbq_s16(sum));
    odd = vaddq_s32(odd, vmovltq_s16(sum));
  }
  even = ash_rt_rescale_mve(even, k->multiplier + c, k->shift + c, k->offset);
  odd = ash_rt_rescale_mve(odd, k->multiplier + c + 4, k->shift + c + 4,
                           k->offset);
  sum = vqmovnbq_s32(sum, even);
  sum = vqmovntq_s32(sum, odd);
  sum = vmaxq_s16(sum, vdupq_n_s16((int16_t)k->low));
  sum = vminq_s16(sum, vdupq_n_s16((int16_t)k->high));
  if (whole)
    vstrbq_s16(out + c, sum);
  else
    vstrbq_p_s16(out + c, sum, some);
}
#else
static void ash_rt_depthwise_eight_mve(const ash_rt_depthwise *k,
                                       const int8_t *const *tap, int32_t c,
                                       int32_t rest, int8_t *out, int whole) {
  (void)whole;
  for (int32_t i = 0; i < 8 && i < rest; i++) {
    const int32_t from = c + i / 2 + (i & 1) * 4;
    const int8_t *w = k->filter + c + i;
    uint32_t s = (uint32_t)k->bias[from];
    for (int32_t t = 0; t < k->count; t++, w += k->channels)
      s += (uint32_t)(tap[t][c + i] * *w);
    const int32_t y =
        ash_rt_rescale((int32_t)s, k->multiplier[from], k->shift[from]);
    out[c + i] = (int8_t)ash_rt_finish(y, k->offset, k->low, k->high);
  }
}
#endif

/* A copy of what is the same for all channels, which no store can change. */
ASH_RT_INLINE void ash_rt_depthwise_pixel_mve(const ash_rt_depthwise *pixel,
                                              int8_t *out) {
  const int8_t *const *const taps = pixel->taps;
  const ash_rt_depthwise k = {
      {NULL},        NULL,        pixel->filter, pixel->multiplier,
      pixel->shift,  pixel->bias, pixel->count,  pixel->channels,
      pixel->offset, pixel->low,  pixel->high};
  int32_t c = 0;
  for (; c + 8 <= k.channels; c += 8)
    ash_rt_depthwise_eight_mve(&k, taps, c, 8, out, 1);
  if (c < k.channels)
    ash_rt_depthwise_eight_mve(&k, taps, c, k.channels - c, out, 0);
}

/* kernel depthwise_conv_2d_s8_mve */
void ash_rt_depthwise_conv_2d_s8_mve(
    const ash_rt_depthwise_conv_2d_s8_params *p, const int8_t *in,
    const int8_t *filter, const int32_t *multiplier, const int8_t *shift,
    const int32_t *bias, int8_t *out, void *scratch) {
  const ash_rt_window *w = &p->window;
  ash_rt_depthwise k = {{0}, scratch, filter,        multiplier, shift, bias,
                        0,   0,       p->out_offset, 0,          0};
  ash_rt_depthwise_begin(p, &k, scratch);
  for (int32_t n = 0; n < w->batches; n++) {
    const ash_rt_lines i = ash_rt_image_in(w, in, n, sizeof *in);
    const ash_rt_lines o = ash_rt_image_out(w, out, n, sizeof *out);
    ash_rt_depthwise_pixels(p, &k, &i, &o, 0, w->out_h,
                            ash_rt_depthwise_pixel_mve);
  }
}

/* kernel depthwise_conv_2d_s8_mve_lines */
void ash_rt_depthwise_conv_2d_s8_mve_lines(
    const ash_rt_depthwise_conv_2d_s8_params *p, const ash_rt_lines *in,
    const int8_t *filter, const int32_t *multiplier, const int8_t *shift,
    const int32_t *bias, const ash_rt_lines *out, int32_t from, int32_t to,
    void *scratch) {
  ash_rt_depthwise k; /* not its taps: that would take a while in each line */
  k.filter = filter;
  k.multiplier = multiplier;
  k.shift = shift;
  k.bias = bias;
  k.offset = p->out_offset;
  ash_rt_depthwise_begin(p, &k, scratch);
  ash_rt_depthwise_pixels(p, &k, in, out, from, to, ash_rt_depthwise_pixel_mve);
}
