/* ash_rt_pools_s8_mve.c - average and maximum over windows, int8, with Helium.
 */
#include "ash_rt_mve.h"

/* kernel average_pool_2d_s8_mve: windows of at most 255 pixels, eight channels
 * at once, summed up in 16 bits. */
#if ASH_RT_HAS_MVE
/* Channels c to c + 7, of which `rest` exist. */
static inline void ash_rt_average_eight_mve(const ash_rt_average *b,
                                            const ash_rt_average_round *r,
                                            int32_t c, int32_t rest,
                                            int16x8_t low, int16x8_t high,
                                            int8_t *out) {
  const mve_pred16_t some = vctp16q((uint32_t)rest);
  const int8_t *row = b->in + c;
  int16x8_t s = vdupq_n_s16(0);
  for (int32_t y = b->pane.rows; y > 0; y--, row += b->pane.row) {
    const int8_t *x = row;
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

static void ash_rt_average_pixel_mve(const ash_rt_pool_2d_s8_params *p,
                                     const ash_rt_average *b, int8_t *out) {
  const ash_rt_average_round r = ash_rt_average_round_of(b->count);
  const int16x8_t low = vdupq_n_s16((int16_t)p->act_min);
  const int16x8_t high = vdupq_n_s16((int16_t)p->act_max);
  const int32_t channels = p->window.in_c;
  for (int32_t c = 0; c < channels; c += 8)
    ash_rt_average_eight_mve(b, &r, c, channels - c, low, high, out);
}
#else
static void ash_rt_average_pixel_mve(const ash_rt_pool_2d_s8_params *p,
                                     const ash_rt_average *b, int8_t *out) {
  ash_rt_average_plain(p, b, out);
}
#endif

void ash_rt_average_pool_2d_s8_mve(const ash_rt_pool_2d_s8_params *p,
                                   const int8_t *in, int8_t *out) {
  const ash_rt_window *w = &p->window;
  ASH_RT_POOL_PIXELS(w, in, out, {
    const ash_rt_average b = ash_rt_average_of(w, in, y, x);
    ash_rt_average_pixel_mve(p, &b, out);
  })
}

/* kernel max_pool_2d_s8_mve: sixteen channels at once. */

/* Up to sixteen channels; `low` is the activation's, and what a window without
 * elements gives. */
static void ash_rt_max_some_mve(const ash_rt_pane *b, const int8_t *row,
                                int32_t rest, int32_t low, int32_t high,
                                int8_t *out) {
#if ASH_RT_HAS_MVE
  const mve_pred16_t some = vctp8q((uint32_t)rest);
  int8x16_t m = vdupq_n_s8((int8_t)low);
  for (int32_t y = b->rows; y > 0; y--, row += b->row) {
    const int8_t *x = row;
    for (int32_t k = b->columns; k > 0; k--, x += b->column)
      m = vmaxq_s8(m, vldrbq_z_s8(x, some));
  }
  vstrbq_p_s8(out, vminq_s8(m, vdupq_n_s8((int8_t)high)), some);
#else
  ash_rt_max_plain(b, row, rest < 16 ? rest : 16, low, high, out);
#endif
}

void ash_rt_max_pool_2d_s8_mve(const ash_rt_pool_2d_s8_params *p,
                               const int8_t *in, int8_t *out) {
  const ash_rt_window *w = &p->window;
  ASH_RT_POOL_PIXELS(w, in, out, {
    const ash_rt_pane b = ash_rt_pane_of(w, y, x);
    const int8_t *from = in + b.first;
    for (int32_t c = 0; c < w->in_c; c += 16)
      ash_rt_max_some_mve(&b, from + c, w->in_c - c, p->act_min, p->act_max,
                          out + c);
  })
}
