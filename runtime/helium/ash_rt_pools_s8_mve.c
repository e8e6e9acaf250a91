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
  const ash_rt_taps inner = ash_rt_inner_columns(w);
  for (int32_t y = from; y < to; y++) {
    int8_t *pixel = ash_rt_line_out(out, y);
    ash_rt_average b = ash_rt_average_of(w, in, y, 0);
    for (int32_t x = 0; x < w->out_w; x++, pixel += w->in_c) {
      if (x > inner.lo && x < inner.hi)
        ash_rt_pane_next(&b.pane, (ptrdiff_t)w->stride_w * w->in_c);
      else if (x > 0)
        b = ash_rt_average_of(w, in, y, x);
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

enum { ASH_RT_MAX_TAPS = 25 };

/* Where the elements of a window are, if they are few: a table costs less than
 * two loops around each vector. */
typedef struct ash_rt_max_mve {
  ash_rt_pane pane;
  const int8_t *taps[ASH_RT_MAX_TAPS];
  int32_t count; /* of taps; -1: too many */
  int32_t channels, low, high;
} ash_rt_max_mve;

static void ash_rt_max_find_mve(ash_rt_max_mve *m) {
  const ash_rt_pane *const b = &m->pane;
  const int8_t **tap = m->taps;
  m->count = b->rows * b->columns;
  if (m->count > ASH_RT_MAX_TAPS) {
    m->count = -1;
    return;
  }
  for (int32_t y = 0; y < b->rows; y++) {
    const int8_t *x = ash_rt_line(&b->in, y);
    for (int32_t k = b->columns; k > 0; k--, x += b->column)
      *tap++ = x;
  }
}

static inline void ash_rt_max_next_mve(ash_rt_max_mve *m, ptrdiff_t bytes) {
  ash_rt_pane_next(&m->pane, bytes);
  ASH_RT_NO_UNROLL
  for (int32_t i = 0; i < m->count; i++)
    m->taps[i] += bytes;
}

#if ASH_RT_HAS_MVE
/* Channels [c, c + 32), then [c, c + 16), then those that are left. A window
 * without elements gives `low`, which is the activation's. */
static ASH_RT_NOINLINE void ash_rt_max_listed_mve(const ash_rt_max_mve *m,
                                                  int8_t *out) {
  const int8x16_t low = vdupq_n_s8((int8_t)m->low);
  const int8x16_t high = vdupq_n_s8((int8_t)m->high);
  const int8_t *const *const end = m->taps + m->count;
  int32_t rest = m->channels;
  int32_t c = 0;
  for (; rest >= 32; c += 32, rest -= 32) {
    int8x16_t v = low, u = low;
    ASH_RT_NO_UNROLL
    for (const int8_t *const *tap = m->taps; tap < end; tap++) {
      v = vmaxq_s8(v, vldrbq_s8(*tap + c));
      u = vmaxq_s8(u, vldrbq_s8(*tap + c + 16));
    }
    vstrbq_s8(out + c, vminq_s8(v, high));
    vstrbq_s8(out + c + 16, vminq_s8(u, high));
  }
  for (; rest > 0; c += 16, rest -= 16) {
    const mve_pred16_t some = vctp8q((uint32_t)rest);
    int8x16_t v = low;
    ASH_RT_NO_UNROLL
    for (const int8_t *const *tap = m->taps; tap < end; tap++)
      v = vmaxq_s8(v, vldrbq_z_s8(*tap + c, some));
    vstrbq_p_s8(out + c, vminq_s8(v, high), some);
  }
}

/* The same for windows of many elements. */
static ASH_RT_NOINLINE void ash_rt_max_many_mve(const ash_rt_max_mve *m,
                                                int8_t *out) {
  const ash_rt_pane *const b = &m->pane;
  for (int32_t c = 0; c < m->channels; c += 16) {
    const mve_pred16_t some = vctp8q((uint32_t)(m->channels - c));
    int8x16_t v = vdupq_n_s8((int8_t)m->low);
    for (int32_t y = 0; y < b->rows; y++) {
      const int8_t *x = (const int8_t *)ash_rt_line(&b->in, y) + c;
      for (int32_t k = b->columns; k > 0; k--, x += b->column)
        v = vmaxq_s8(v, vldrbq_z_s8(x, some));
    }
    vstrbq_p_s8(out + c, vminq_s8(v, vdupq_n_s8((int8_t)m->high)), some);
  }
}

static inline void ash_rt_max_pixel_mve(const ash_rt_max_mve *m, int8_t *out) {
  if (m->count < 0)
    ash_rt_max_many_mve(m, out);
  else
    ash_rt_max_listed_mve(m, out);
}
#else
static inline void ash_rt_max_pixel_mve(const ash_rt_max_mve *m, int8_t *out) {
  ash_rt_max_plain(&m->pane, 0, m->channels, m->low, m->high, out);
}
#endif

/* Output lines [from, to). */
ASH_RT_INLINE void ash_rt_max_core_mve(const ash_rt_pool_2d_s8_params *p,
                                       const ash_rt_lines *in,
                                       const ash_rt_lines *out, int32_t from,
                                       int32_t to) {
  const ash_rt_window *w = &p->window;
  const ash_rt_taps inner = ash_rt_inner_columns(w);
  ash_rt_max_mve m;
  m.channels = w->in_c;
  m.low = p->act_min;
  m.high = p->act_max;
  for (int32_t y = from; y < to; y++) {
    int8_t *pixel = ash_rt_line_out(out, y);
    for (int32_t x = 0; x < w->out_w; x++, pixel += w->in_c) {
      if (x > inner.lo && x < inner.hi) {
        ash_rt_max_next_mve(&m, (ptrdiff_t)w->stride_w * w->in_c);
      } else {
        m.pane = ash_rt_pane_of(w, in, y, x, 1);
        ash_rt_max_find_mve(&m);
      }
      ash_rt_max_pixel_mve(&m, pixel);
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
