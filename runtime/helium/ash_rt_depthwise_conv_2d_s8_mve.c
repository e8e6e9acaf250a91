/* ash_rt_depthwise_conv_2d_s8_mve.c - depthwise convolution, int8, with Helium,
 * one output channel an input channel.
 *
 * Eight neighbouring channels at once, of two pixels where the table of taps
 * has room for both: products of two taps are added up in 16 bits, which is
 * enough because not both weights are -128; the sums of even and odd channels
 * are apart until they are stored. */
#include "ash_rt_mve.h"

#if ASH_RT_HAS_MVE
/* The first `rest` of eight; all of them if `whole`, which costs less. */
static inline int16x8_t
ash_rt_depthwise_load_mve(const int8_t *from, mve_pred16_t some, int whole) {
  return whole ? vldrbq_s16(from) : vldrbq_z_s16(from, some);
}

typedef struct ash_rt_depthwise_sums {
  int32x4_t even, odd;
} ash_rt_depthwise_sums;

ASH_RT_INLINE void ash_rt_depthwise_add_mve(ash_rt_depthwise_sums *s,
                                            int16x8_t x) {
  s->even = vaddq_s32(s->even, vmovlbq_s16(x));
  s->odd = vaddq_s32(s->odd, vmovltq_s16(x));
}

ASH_RT_INLINE void ash_rt_depthwise_store_mve(const ash_rt_depthwise *k,
                                              ash_rt_depthwise_sums s,
                                              int8_t *out, mve_pred16_t some,
                                              int whole) {
  int16x8_t y = vqmovnbq_s32(vdupq_n_s16(0), s.even);
  y = vqmovntq_s32(y, s.odd);
  y = vmaxq_s16(y, vdupq_n_s16((int16_t)k->low));
  y = vminq_s16(y, vdupq_n_s16((int16_t)k->high));
  if (whole)
    vstrbq_s16(out, y);
  else
    vstrbq_p_s16(out, y, some);
}

/* Channels c to c + 7, of which `rest` exist, of one or two pixels. */
ASH_RT_INLINE void ash_rt_depthwise_eight_mve(const ash_rt_depthwise *k,
                                              const int8_t *const *tap,
                                              int32_t c, int32_t rest,
                                              int8_t *out, int whole,
                                              int pixels) {
  const mve_pred16_t some = whole ? 0 : vctp16q((uint32_t)rest);
  const int8_t *w = k->filter + c;
  const ptrdiff_t pitch = k->channels;
  ash_rt_depthwise_sums s = {vldrwq_s32(k->bias + c),
                             vldrwq_s32(k->bias + c + 4)};
  ash_rt_depthwise_sums t = s;
  int16x8_t f, g, x, y;
  if (k->count & 1) {
    f = ash_rt_depthwise_load_mve(w, some, whole);
    x = ash_rt_depthwise_load_mve(tap[0] + c, some, whole);
    ash_rt_depthwise_add_mve(&s, vmulq_s16(x, f));
    if (pixels == 2) {
      y = ash_rt_depthwise_load_mve(tap[1] + c, some, whole);
      ash_rt_depthwise_add_mve(&t, vmulq_s16(y, f));
    }
    tap += pixels;
    w += pitch;
  }
  for (int32_t i = k->count >> 1; i > 0; i--) {
    const int8_t *const a = tap[0] + c, *const b = tap[pixels] + c;
    f = ash_rt_depthwise_load_mve(w, some, whole);
    w += pitch;
    x = vmulq_s16(ash_rt_depthwise_load_mve(a, some, whole), f);
    g = ash_rt_depthwise_load_mve(w, some, whole);
    w += pitch;
    x = vaddq_s16(x, vmulq_s16(ash_rt_depthwise_load_mve(b, some, whole), g));
    ash_rt_depthwise_add_mve(&s, x);
    if (pixels == 2) {
      x = vmulq_s16(ash_rt_depthwise_load_mve(tap[1] + c, some, whole), f);
      y = vmulq_s16(ash_rt_depthwise_load_mve(tap[3] + c, some, whole), g);
      ash_rt_depthwise_add_mve(&t, vaddq_s16(x, y));
    }
    tap += 2 * pixels;
  }
  int32x4_t multiplier = vldrwq_s32(k->multiplier + c);
  int32x4_t shift = vldrbq_s32(k->shift + c);
  s.even = ash_rt_scale_mve(s.even, multiplier, shift, k->offset);
  if (pixels == 2)
    t.even = ash_rt_scale_mve(t.even, multiplier, shift, k->offset);
  multiplier = vldrwq_s32(k->multiplier + c + 4);
  shift = vldrbq_s32(k->shift + c + 4);
  s.odd = ash_rt_scale_mve(s.odd, multiplier, shift, k->offset);
  ash_rt_depthwise_store_mve(k, s, out + c, some, whole);
  if (pixels == 2) {
    t.odd = ash_rt_scale_mve(t.odd, multiplier, shift, k->offset);
    ash_rt_depthwise_store_mve(k, t, out + pitch + c, some, whole);
  }
}
#else
static void ash_rt_depthwise_eight_mve(const ash_rt_depthwise *k,
                                       const int8_t *const *tap, int32_t c,
                                       int32_t rest, int8_t *out, int whole,
                                       int pixels) {
  (void)whole;
  const int32_t lanes = rest < 8 ? rest : 8;
  for (int32_t i = 0; i < lanes * pixels; i++) {
    const int32_t lane = i % lanes, pixel = i / lanes;
    const int32_t from = c + lane / 2 + (lane & 1) * 4;
    const int8_t *w = k->filter + c + lane;
    uint32_t s = (uint32_t)k->bias[from];
    for (int32_t t = 0; t < k->count; t++, w += k->channels)
      s += (uint32_t)(tap[t * pixels + pixel][c + lane] * *w);
    const int32_t y =
        ash_rt_rescale((int32_t)s, k->multiplier[from], k->shift[from]);
    out[pixel * k->channels + c + lane] =
        (int8_t)ash_rt_finish(y, k->offset, k->low, k->high);
  }
}
#endif

/* One or two pixels. A copy of what is the same for all channels, which no
 * store can change. */
ASH_RT_INLINE void ash_rt_depthwise_pixel_mve(const ash_rt_depthwise *pixel,
                                              int8_t *out, int pixels) {
  const int8_t *const *const taps = pixel->taps;
  const ash_rt_depthwise k = {
      {NULL},        NULL,        pixel->filter, pixel->multiplier,
      pixel->shift,  pixel->bias, pixel->count,  pixel->channels,
      pixel->offset, pixel->low,  pixel->high};
  int32_t c = 0;
  for (; c + 8 <= k.channels; c += 8)
    ash_rt_depthwise_eight_mve(&k, taps, c, 8, out, 1, pixels);
  if (c < k.channels)
    ash_rt_depthwise_eight_mve(&k, taps, c, k.channels - c, out, 0, pixels);
}

/* Of neighbouring pixels from x on, where their taps are. */
ASH_RT_INLINE void
ash_rt_depthwise_find_mve(const ash_rt_depthwise_conv_2d_s8_params *p,
                          ash_rt_depthwise *k, const ash_rt_lines *in,
                          int32_t y, int32_t x, int32_t pixels) {
  for (int32_t e = 0; e < pixels; e++)
    ash_rt_taps_find(k->taps + e, pixels, k->padding, &p->window, in, y, x + e);
}

/* From two pixels to the next two, if the second and these have no taps to the
 * left or right of the input. */
static inline void ash_rt_depthwise_next_two(const int8_t **tap,
                                             const int8_t *padding,
                                             int32_t left, int32_t step) {
  do {
    const int32_t by = tap[1] == padding ? 0 : step;
    tap[0] = tap[1] + by;
    tap[1] = tap[0] + by;
    tap += 2;
  } while (--left != 0);
}

/* Output lines [from, to): two neighbouring pixels at once, so that weights are
 * loaded once for both, if the table has room for their taps: those of the
 * second behind those of the first, tap by tap. */
ASH_RT_INLINE void
ash_rt_depthwise_lines_mve(const ash_rt_depthwise_conv_2d_s8_params *p,
                           ash_rt_depthwise *k, const ash_rt_lines *in,
                           const ash_rt_lines *out, int32_t from, int32_t to) {
  const ash_rt_window *w = &p->window;
  const ash_rt_taps inner = ash_rt_inner_columns(w);
  const int32_t most = 2 * k->count <= ASH_RT_DEPTHWISE_TAPS ? 2 : 1;
  const int32_t step = w->stride_w * w->in_c;
  for (int32_t y = from; y < to; y++) {
    int8_t *made = ash_rt_line_out(out, y);
    int32_t pixels = most;
    for (int32_t x = 0; x < w->out_w; x += pixels, made += pixels * w->out_c) {
      const int follows = x > inner.lo && x + most <= inner.hi;
      if (x + pixels > w->out_w)
        pixels = 1;
      if (!follows)
        ash_rt_depthwise_find_mve(p, k, in, y, x, pixels);
      else if (pixels == 2)
        ash_rt_depthwise_next_two(k->taps, k->padding, k->count, step);
      else
        ash_rt_taps_next(k->taps, k->padding, k->count, step);
      if (pixels == 2)
        ash_rt_depthwise_pixel_mve(k, made, 2);
      else
        ash_rt_depthwise_pixel_mve(k, made, 1);
    }
  }
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
    ash_rt_depthwise_lines_mve(p, &k, &i, &o, 0, w->out_h);
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
  ash_rt_depthwise_lines_mve(p, &k, in, out, from, to);
}
