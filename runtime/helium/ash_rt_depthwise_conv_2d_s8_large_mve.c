/* ash_rt_depthwise_conv_2d_s8_large_mve.c - depthwise convolution, int8, with
 * Helium, one output channel an input channel, for windows of more taps than
 * ash_rt_depthwise_conv_2d_s8_mve keeps pointers to. Eight channels at once,
 * row by row of the window, and two taps of a row at a time, as there. */
#include "ash_rt_mve.h"

typedef struct ash_rt_depthwise_large {
  const ash_rt_depthwise_conv_2d_s8_params *p;
  const int8_t *filter, *padding;
  const int32_t *multiplier;
  const int8_t *shift;
  const int32_t *bias;
} ash_rt_depthwise_large;

/* A row of the window: where its taps [lo, hi) are; the others are padding. */
typedef struct ash_rt_depthwise_row {
  const int8_t *first; /* tap `lo`, in the first channel */
  ptrdiff_t step;
  int32_t lo, hi;
} ash_rt_depthwise_row;

static inline ash_rt_depthwise_row
ash_rt_depthwise_row_of(const ash_rt_window *w, const ash_rt_lines *in,
                        const ash_rt_pixel_taps *t, int32_t k) {
  const int inside = k >= t->v.lo && k < t->v.hi;
  ash_rt_depthwise_row r = {NULL, (ptrdiff_t)w->dilation_w * w->in_c, 0, 0};
  if (inside && t->h.lo < t->h.hi) {
    r.lo = t->h.lo;
    r.hi = t->h.hi;
    r.first = (const int8_t *)ash_rt_line(in, t->top + k * w->dilation_h) +
              (ptrdiff_t)(t->left + r.lo * w->dilation_w) * w->in_c;
  }
  return r;
}

#if ASH_RT_HAS_MVE
/* Sums of even and odd channels. */
typedef struct ash_rt_depthwise_sums {
  int32x4_t even, odd;
} ash_rt_depthwise_sums;

static inline void ash_rt_depthwise_add_mve(ash_rt_depthwise_sums *s,
                                            int16x8_t x) {
  s->even = vaddq_s32(s->even, vmovlbq_s16(x));
  s->odd = vaddq_s32(s->odd, vmovltq_s16(x));
}

ASH_RT_INLINE int16x8_t ash_rt_depthwise_product_mve(const int8_t *x,
                                                     const int8_t *f,
                                                     mve_pred16_t some,
                                                     int whole) {
  return whole ? vmulq_s16(vldrbq_s16(x), vldrbq_s16(f))
               : vmulq_s16(vldrbq_z_s16(x, some), vldrbq_z_s16(f, some));
}

/* `count` taps of a row, `step` apart (0: the same again), with weights from f
 * on; returns the next ones. `whole`: all eight channels exist, which costs
 * less. */
ASH_RT_INLINE const int8_t *
ash_rt_depthwise_taps_mve(ash_rt_depthwise_sums *s, const int8_t *x,
                          ptrdiff_t step, const int8_t *f, ptrdiff_t pitch,
                          int32_t count, mve_pred16_t some, int whole) {
  for (; count >= 2; count -= 2) {
    int16x8_t y = ash_rt_depthwise_product_mve(x, f, some, whole);
    x += step;
    f += pitch;
    y = vaddq_s16(y, ash_rt_depthwise_product_mve(x, f, some, whole));
    x += step;
    f += pitch;
    ash_rt_depthwise_add_mve(s, y);
  }
  if (count > 0) {
    ash_rt_depthwise_add_mve(s,
                             ash_rt_depthwise_product_mve(x, f, some, whole));
    f += pitch;
  }
  return f;
}

/* Channels c to c + 7 of a pixel, as far as they exist. */
ASH_RT_INLINE void ash_rt_depthwise_large_mve(const ash_rt_depthwise_large *k,
                                              const ash_rt_lines *in,
                                              const ash_rt_pixel_taps *t,
                                              int32_t c, int8_t *out,
                                              int whole) {
  const ash_rt_window *w = &k->p->window;
  const mve_pred16_t some = vctp16q((uint32_t)(w->in_c - c));
  const ptrdiff_t pitch = w->in_c;
  const int8_t *const padding = k->padding + c;
  const int8_t *f = k->filter + c;
  const int32_t offset = k->p->out_offset;
  ash_rt_depthwise_sums s = {vldrwq_s32(k->bias + c),
                             vldrwq_s32(k->bias + c + 4)};
  for (int32_t i = 0; i < w->filter_h; i++) {
    const ash_rt_depthwise_row r = ash_rt_depthwise_row_of(w, in, t, i);
    if (r.lo > 0)
      f = ash_rt_depthwise_taps_mve(&s, padding, 0, f, pitch, r.lo, some,
                                    whole);
    if (r.hi > r.lo)
      f = ash_rt_depthwise_taps_mve(&s, r.first + c, r.step, f, pitch,
                                    r.hi - r.lo, some, whole);
    if (r.hi < w->filter_w)
      f = ash_rt_depthwise_taps_mve(&s, padding, 0, f, pitch,
                                    w->filter_w - r.hi, some, whole);
  }
  s.even = ash_rt_rescale_mve(s.even, k->multiplier + c, k->shift + c, offset);
  s.odd = ash_rt_rescale_mve(s.odd, k->multiplier + c + 4, k->shift + c + 4,
                             offset);
  int16x8_t y = vqmovnbq_s32(vdupq_n_s16(0), s.even);
  y = vqmovntq_s32(y, s.odd);
  y = vmaxq_s16(y, vdupq_n_s16((int16_t)k->p->act_min));
  y = vminq_s16(y, vdupq_n_s16((int16_t)k->p->act_max));
  if (whole)
    vstrbq_s16(out + c, y);
  else
    vstrbq_p_s16(out + c, y, some);
}
#else
static inline const int8_t *
ash_rt_depthwise_tap_of(const ash_rt_depthwise_large *k,
                        const ash_rt_depthwise_row *r, int32_t tap) {
  return tap >= r->lo && tap < r->hi ? r->first + (tap - r->lo) * r->step
                                     : k->padding;
}

static void ash_rt_depthwise_large_mve(const ash_rt_depthwise_large *k,
                                       const ash_rt_lines *in,
                                       const ash_rt_pixel_taps *t, int32_t c,
                                       int8_t *out, int whole) {
  const ash_rt_window *w = &k->p->window;
  (void)whole;
  for (int32_t n = 0; n < 8 && c + n < w->in_c; n++) {
    const int32_t from = c + n / 2 + (n & 1) * 4;
    const int8_t *f = k->filter + c + n;
    uint32_t s = (uint32_t)k->bias[from];
    for (int32_t i = 0; i < w->filter_h; i++) {
      const ash_rt_depthwise_row r = ash_rt_depthwise_row_of(w, in, t, i);
      for (int32_t j = 0; j < w->filter_w; j++, f += w->in_c)
        s += (uint32_t)(ash_rt_depthwise_tap_of(k, &r, j)[c + n] * *f);
    }
    const int32_t y =
        ash_rt_rescale((int32_t)s, k->multiplier[from], k->shift[from]);
    out[c + n] = (int8_t)ash_rt_finish(y, k->p->out_offset, k->p->act_min,
                                       k->p->act_max);
  }
}
#endif

/* Output lines [from, to). */
ASH_RT_INLINE void ash_rt_depthwise_large_lines(const ash_rt_depthwise_large *k,
                                                const ash_rt_lines *in,
                                                const ash_rt_lines *out,
                                                int32_t from, int32_t to) {
  const ash_rt_window *w = &k->p->window;
  for (int32_t y = from; y < to; y++) {
    int8_t *pixel = ash_rt_line_out(out, y);
    for (int32_t x = 0; x < w->out_w; x++, pixel += w->out_c) {
      const ash_rt_pixel_taps t = ash_rt_pixel_taps_of(w, y, x);
      int32_t c = 0;
      for (; c + 8 <= w->in_c; c += 8)
        ash_rt_depthwise_large_mve(k, in, &t, c, pixel, 1);
      if (c < w->in_c)
        ash_rt_depthwise_large_mve(k, in, &t, c, pixel, 0);
    }
  }
}

/* Fills the pixel of zero points. */
static inline ash_rt_depthwise_large
ash_rt_depthwise_large_of(const ash_rt_depthwise_conv_2d_s8_params *p,
                          const int8_t *filter, const int32_t *multiplier,
                          const int8_t *shift, const int32_t *bias,
                          void *scratch) {
  const ash_rt_depthwise_large k = {p,          filter, scratch,
                                    multiplier, shift,  bias};
  if (scratch)
    ASH_RT_FILL(scratch, (uint8_t)-p->in_offset, (size_t)p->window.in_c);
  return k;
}

/* kernel depthwise_conv_2d_s8_large_mve */
void ash_rt_depthwise_conv_2d_s8_large_mve(
    const ash_rt_depthwise_conv_2d_s8_params *p, const int8_t *in,
    const int8_t *filter, const int32_t *multiplier, const int8_t *shift,
    const int32_t *bias, int8_t *out, void *scratch) {
  const ash_rt_window *w = &p->window;
  const ash_rt_depthwise_large k =
      ash_rt_depthwise_large_of(p, filter, multiplier, shift, bias, scratch);
  for (int32_t n = 0; n < w->batches; n++) {
    const ash_rt_lines i = ash_rt_image_in(w, in, n, sizeof *in);
    const ash_rt_lines o = ash_rt_image_out(w, out, n, sizeof *out);
    ash_rt_depthwise_large_lines(&k, &i, &o, 0, w->out_h);
  }
}

/* kernel depthwise_conv_2d_s8_large_mve_lines */
void ash_rt_depthwise_conv_2d_s8_large_mve_lines(
    const ash_rt_depthwise_conv_2d_s8_params *p, const ash_rt_lines *in,
    const int8_t *filter, const int32_t *multiplier, const int8_t *shift,
    const int32_t *bias, const ash_rt_lines *out, int32_t from, int32_t to,
    void *scratch) {
  const ash_rt_depthwise_large k =
      ash_rt_depthwise_large_of(p, filter, multiplier, shift, bias, scratch);
  ash_rt_depthwise_large_lines(&k, in, out, from, to);
}
