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

/* kernels max_pool_2d_s8_mve, max_pool_2d_s8_mve_lines: thirty-two channels at
 * once. Where more than sixteen are left over, the last vectors overlap: a
 * channel twice costs less than one that may be missing. */

/* The lines under the windows of an output line are looked up once, so many of
 * them; higher windows find them for each pixel. */
enum { ASH_RT_MAX_LINES = 16 };

typedef struct ash_rt_max_mve {
  const int8_t *lines[ASH_RT_MAX_LINES];
  ptrdiff_t at;          /* of the window, from where lines start */
  int32_t rows, columns; /* rows: 0 if there are no columns */
  int32_t column, channels, low, high;
} ash_rt_max_mve;

#if ASH_RT_HAS_MVE
/* Channels [c, c + 16) and those `next` further. A window without elements
 * gives `low`, which is the activation's. */
ASH_RT_INLINE void ash_rt_max_two_mve(const ash_rt_max_mve *m, int32_t c,
                                      int32_t next, int8_t *out) {
  const int8x16_t high = vdupq_n_s8((int8_t)m->high);
  const int8_t *const *line = m->lines;
  const ptrdiff_t at = m->at + c, column = m->column;
  const int32_t columns = m->columns;
  int8x16_t v = vdupq_n_s8((int8_t)m->low), u = v;
  for (int32_t y = m->rows; y != 0; y--) {
    const int8_t *x = *line++ + at;
    int32_t k = columns;
    ASH_RT_NO_UNROLL
    do {
      v = vmaxq_s8(v, vldrbq_s8(x));
      u = vmaxq_s8(u, vldrbq_s8(x + next));
      x += column;
    } while (--k != 0);
  }
  vstrbq_s8(out + c, vminq_s8(v, high));
  vstrbq_s8(out + c + next, vminq_s8(u, high));
}

/* Channels [c, c + 16), as far as they exist. */
ASH_RT_INLINE void ash_rt_max_one_mve(const ash_rt_max_mve *m, int32_t c,
                                      mve_pred16_t some, int8_t *out) {
  const int8_t *const *line = m->lines;
  const ptrdiff_t at = m->at + c, column = m->column;
  const int32_t columns = m->columns;
  int8x16_t v = vdupq_n_s8((int8_t)m->low);
  for (int32_t y = m->rows; y != 0; y--) {
    const int8_t *x = *line++ + at;
    int32_t k = columns;
    ASH_RT_NO_UNROLL
    do {
      v = vmaxq_s8(v, vldrbq_z_s8(x, some));
      x += column;
    } while (--k != 0);
  }
  v = vminq_s8(v, vdupq_n_s8((int8_t)m->high));
  vstrbq_p_s8(out + c, v, some);
}

static ASH_RT_NOINLINE void ash_rt_max_pixel_mve(const ash_rt_max_mve *m,
                                                 int8_t *out) {
  const int32_t channels = m->channels;
  int32_t c = 0;
  ASH_RT_NO_UNROLL
  for (; c + 32 <= channels; c += 32)
    ash_rt_max_two_mve(m, c, 16, out);
  if (channels - c > 16)
    ash_rt_max_two_mve(m, c, channels - c - 16, out);
  else if (channels > c)
    ash_rt_max_one_mve(m, c, vctp8q((uint32_t)(channels - c)), out);
}

/* The same for windows of many rows. */
static ASH_RT_NOINLINE void ash_rt_max_high_mve(const ash_rt_max_mve *m,
                                                const ash_rt_pane *b,
                                                int8_t *out) {
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
#else
static void ash_rt_max_pixel_mve(const ash_rt_max_mve *m, int8_t *out) {
  for (int32_t c = 0; c < m->channels; c++) {
    int32_t v = m->low;
    for (int32_t i = 0; i < m->rows * m->columns; i++) {
      const int32_t x =
          m->lines[i / m->columns][m->at + i % m->columns * m->column + c];
      v = x > v ? x : v;
    }
    out[c] = (int8_t)(v > m->high ? m->high : v);
  }
}

static void ash_rt_max_high_mve(const ash_rt_max_mve *m, const ash_rt_pane *b,
                                int8_t *out) {
  ash_rt_max_plain(b, 0, m->channels, m->low, m->high, out);
}
#endif

/* One output line, whose windows have few rows. */
ASH_RT_INLINE void ash_rt_max_line_mve(const ash_rt_window *w,
                                       const ash_rt_lines *in, int32_t y,
                                       ash_rt_max_mve *m, int8_t *pixel) {
  const int32_t top = y * w->stride_h - w->pad_top;
  const ash_rt_taps v = ash_rt_taps_of(top, w->filter_h, 1, w->in_h);
  int32_t left = -w->pad_left;
  for (int32_t i = v.lo; i < v.hi; i++)
    m->lines[i - v.lo] = ash_rt_line(in, top + i);
  for (int32_t x = w->out_w; x > 0;
       x--, left += w->stride_w, pixel += w->in_c) {
    const int32_t first = left < 0 ? 0 : left;
    const int32_t end =
        left + w->filter_w < w->in_w ? left + w->filter_w : w->in_w;
    m->at = (ptrdiff_t)first * w->in_c;
    m->columns = end - first;
    m->rows = end > first ? v.hi - v.lo : 0;
    ash_rt_max_pixel_mve(m, pixel);
  }
}

/* Output lines [from, to). */
ASH_RT_INLINE void ash_rt_max_core_mve(const ash_rt_pool_2d_s8_params *p,
                                       const ash_rt_lines *in,
                                       const ash_rt_lines *out, int32_t from,
                                       int32_t to) {
  const ash_rt_window *w = &p->window;
  ash_rt_max_mve m; /* not its lines: that would take a while in each call */
  m.column = m.channels = w->in_c;
  m.low = p->act_min;
  m.high = p->act_max;
  for (int32_t y = from; y < to; y++) {
    int8_t *pixel = ash_rt_line_out(out, y);
    if (w->filter_h <= ASH_RT_MAX_LINES) {
      ash_rt_max_line_mve(w, in, y, &m, pixel);
      continue;
    }
    for (int32_t x = 0; x < w->out_w; x++, pixel += w->in_c) {
      const ash_rt_pane b = ash_rt_pane_of(w, in, y, x, 1);
      ash_rt_max_high_mve(&m, &b, pixel);
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
