/* ash_rt_pools_s8_mve.c - average and maximum over windows, int8, with Helium.
 */
#include "ash_rt_mve.h"

/* kernels average_pool_2d_s8_mve, average_pool_2d_s8_mve_lines: windows of at
 * most 255 pixels, eight channels at once, summed up in 16 bits. */
#if ASH_RT_HAS_MVE
/* Channels c to c + 7, of which `rest` exist. */
ASH_RT_INLINE void ash_rt_average_eight_mve(const ash_rt_average *b,
                                            const ash_rt_average_round *r,
                                            int32_t c, int32_t rest,
                                            int16x8_t low, int16x8_t high,
                                            int8_t *out) {
  const mve_pred16_t some = vctp16q((uint32_t)rest);
  int16x8_t s = vdupq_n_s16(0);
  for (int32_t y = 0; y < b->pane.rows; y++) {
    const int8_t *x = (const int8_t *)ash_rt_line(&b->pane.in, y) + c;
    for (int32_t k = b->pane.columns; k > 0; k--, x += b->pane.column)
      s = vaddq_s16(s, vldrbq_z_s16(x, some));
  }
  if (r->ties)
    s = vaddq_s16(s, vshrq_n_s16(s, 15));
  const uint16x8_t n =
      vreinterpretq_u16_s16(vaddq_n_s16(s, (int16_t)(uint16_t)r->up));
  const uint32x4_t inverse = vdupq_n_u32(b->inverse);
  const uint32x4_t even = vmulhq_u32(vmovlbq_u16(n), inverse);
  const uint32x4_t odd = vmulhq_u32(vmovltq_u16(n), inverse);
  s = vreinterpretq_s16_u16(vmovntq_u32(vmovnbq_u32(n, even), odd));
  s = vsubq_n_s16(s, 128);
  vstrbq_p_s16(out + c, vminq_s16(vmaxq_s16(s, low), high), some);
}

ASH_RT_INLINE void ash_rt_average_pixel_mve(const ash_rt_pool_2d_s8_params *p,
                                            const ash_rt_average *b,
                                            int8_t *out) {
  const ash_rt_average_round r = ash_rt_average_round_of(b->count);
  const int16x8_t low = vdupq_n_s16((int16_t)p->act_min);
  const int16x8_t high = vdupq_n_s16((int16_t)p->act_max);
  const int32_t channels = p->window.in_c;
  for (int32_t c = 0; c < channels; c += 8)
    ash_rt_average_eight_mve(b, &r, c, channels - c, low, high, out);
}
#else
ASH_RT_INLINE void ash_rt_average_pixel_mve(const ash_rt_pool_2d_s8_params *p,
                                            const ash_rt_average *b,
                                            int8_t *out) {
  ash_rt_average_plain(p, b, out);
}
#endif

/* Output lines [from, to). */
ASH_RT_INLINE void ash_rt_average_core_mve(const ash_rt_pool_2d_s8_params *p,
                                           const ash_rt_lines *in,
                                           const ash_rt_lines *out,
                                           int32_t from, int32_t to) {
  const ash_rt_window *w = &p->window;
  for (int32_t y = from; y < to; y++) {
    int8_t *pixel = ash_rt_line_out(out, y);
    for (int32_t x = 0; x < w->out_w; x++, pixel += w->in_c) {
      const ash_rt_average b = ash_rt_average_of(w, in, y, x);
      ash_rt_average_pixel_mve(p, &b, pixel);
    }
  }
}

/* kernel average_pool_2d_s8_mve */
void ash_rt_average_pool_2d_s8_mve(const ash_rt_pool_2d_s8_params *p,
                                   const int8_t *in, int8_t *out) {
  const ash_rt_window *w = &p->window;
  for (int32_t n = 0; n < w->batches; n++) {
    const ash_rt_lines i = ash_rt_image_in(w, in, n, sizeof *in);
    const ash_rt_lines o = ash_rt_image_out(w, out, n, sizeof *out);
    ash_rt_average_core_mve(p, &i, &o, 0, w->out_h);
  }
}

/* kernel average_pool_2d_s8_mve_lines */
void ash_rt_average_pool_2d_s8_mve_lines(const ash_rt_pool_2d_s8_params *p,
                                         const ash_rt_lines *in,
                                         const ash_rt_lines *out, int32_t from,
                                         int32_t to) {
  ash_rt_average_core_mve(p, in, out, from, to);
}

/* kernels max_pool_2d_s8_mve, max_pool_2d_s8_mve_lines: sixteen channels at
 * once. */

/* Up to sixteen channels from c on; `low` is the activation's, and what a
 * window without elements gives. */
ASH_RT_INLINE void ash_rt_max_some_mve(const ash_rt_pane *b, int32_t c,
                                       int32_t rest, int32_t low, int32_t high,
                                       int8_t *out) {
#if ASH_RT_HAS_MVE
  const mve_pred16_t some = vctp8q((uint32_t)rest);
  int8x16_t m = vdupq_n_s8((int8_t)low);
  for (int32_t y = 0; y < b->rows; y++) {
    const int8_t *x = (const int8_t *)ash_rt_line(&b->in, y) + c;
    for (int32_t k = b->columns; k > 0; k--, x += b->column)
      m = vmaxq_s8(m, vldrbq_z_s8(x, some));
  }
  vstrbq_p_s8(out + c, vminq_s8(m, vdupq_n_s8((int8_t)high)), some);
#else
  ash_rt_max_plain(b, c, rest < 16 ? rest : 16, low, high, out);
#endif
}

/* Output lines [from, to). */
ASH_RT_INLINE void ash_rt_max_core_mve(const ash_rt_pool_2d_s8_params *p,
                                       const ash_rt_lines *in,
                                       const ash_rt_lines *out, int32_t from,
                                       int32_t to) {
  const ash_rt_window *w = &p->window;
  for (int32_t y = from; y < to; y++) {
    int8_t *pixel = ash_rt_line_out(out, y);
    for (int32_t x = 0; x < w->out_w; x++, pixel += w->in_c) {
      const ash_rt_pane b = ash_rt_pane_of(w, in, y, x, 1);
      for (int32_t c = 0; c < w->in_c; c += 16)
        ash_rt_max_some_mve(&b, c, w->in_c - c, p->act_min, p->act_max, pixel);
    }
  }
}

/* kernel max_pool_2d_s8_mve */
void ash_rt_max_pool_2d_s8_mve(const ash_rt_pool_2d_s8_params *p,
                               const int8_t *in, int8_t *out) {
  const ash_rt_window *w = &p->window;
  for (int32_t n = 0; n < w->batches; n++) {
    const ash_rt_lines i = ash_rt_image_in(w, in, n, sizeof *in);
    const ash_rt_lines o = ash_rt_image_out(w, out, n, sizeof *out);
    ash_rt_max_core_mve(p, &i, &o, 0, w->out_h);
  }
}

/* kernel max_pool_2d_s8_mve_lines */
void ash_rt_max_pool_2d_s8_mve_lines(const ash_rt_pool_2d_s8_params *p,
                                     const ash_rt_lines *in,
                                     const ash_rt_lines *out, int32_t from,
                                     int32_t to) {
  ash_rt_max_core_mve(p, in, out, from, to);
}
