/* ash_rt_average_pool_2d_s8_mve.c - average over windows of at most 255 pixels,
 * int8, with Helium: eight channels at once, summed up in 16 bits. */
#include "ash_rt_mve.h"

typedef struct ash_rt_average_mve {
  ash_rt_pane pane;
  const int8_t *in; /* its first element */
  int32_t count;
  uint32_t inverse; /* 2^32 / count, rounded up; of 1: 2^32 - 1 */
} ash_rt_average_mve;

/* An average is floor((sum + up) / count) - 128: `up` rounds and makes the sum
 * positive; it is one less for negative sums if there can be ties, which go
 * away from zero. Multiplying by the inverse is exact for sums below 2^16, but
 * one too small for a count of one, which `up` makes good. */
typedef struct ash_rt_average_round {
  int32_t up;
  int32_t ties; /* -1: lower negative sums */
} ash_rt_average_round;

static inline ash_rt_average_round ash_rt_average_round_of(int32_t count) {
  ash_rt_average_round r;
  r.up = count / 2 + 128 * count + (count == 1);
  r.ties = count & 1 ? 0 : -1;
  return r;
}

#if ASH_RT_HAS_MVE
/* Channels c to c + 7, of which `rest` exist. */
static inline void ash_rt_average_eight_mve(const ash_rt_average_mve *b,
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
                                     const ash_rt_average_mve *b, int8_t *out) {
  const ash_rt_average_round r = ash_rt_average_round_of(b->count);
  const int16x8_t low = vdupq_n_s16((int16_t)p->act_min);
  const int16x8_t high = vdupq_n_s16((int16_t)p->act_max);
  const int32_t channels = p->window.in_c;
  for (int32_t c = 0; c < channels; c += 8)
    ash_rt_average_eight_mve(b, &r, c, channels - c, low, high, out);
}
#else
static void ash_rt_average_pixel_mve(const ash_rt_pool_2d_s8_params *p,
                                     const ash_rt_average_mve *b, int8_t *out) {
  const ash_rt_average_round r = ash_rt_average_round_of(b->count);
  for (int32_t c = 0; c < p->window.in_c; c++) {
    const int8_t *row = b->in + c;
    int32_t s = 0;
    for (int32_t y = 0; y < b->pane.rows; y++, row += b->pane.row)
      for (int32_t k = 0; k < b->pane.columns; k++)
        s += row[k * b->pane.column];
    s += s < 0 ? r.ties : 0;
    const uint64_t n = (uint64_t)(uint32_t)(s + r.up);
    const int32_t y = (int32_t)((n * b->inverse) >> 32) - 128;
    out[c] = (int8_t)ash_rt_clamp(y, p->act_min, p->act_max);
  }
}
#endif

static ash_rt_average_mve ash_rt_average_box_mve(const ash_rt_window *w,
                                                 const int8_t *in, int32_t y,
                                                 int32_t x) {
  ash_rt_average_mve b;
  b.pane = ash_rt_pane_of(w, y, x);
  b.in = in + b.pane.first;
  b.count = b.pane.rows ? b.pane.rows * b.pane.columns : 1;
  b.inverse = b.count == 1 ? UINT32_MAX : UINT32_MAX / (uint32_t)b.count + 1;
  return b;
}

void ash_rt_average_pool_2d_s8_mve(const ash_rt_pool_2d_s8_params *p,
                                   const int8_t *in, int8_t *out) {
  const ash_rt_window *w = &p->window;
  for (int32_t n = 0; n < w->batches; n++) {
    for (int32_t y = 0; y < w->out_h; y++)
      for (int32_t x = 0; x < w->out_w; x++, out += w->in_c) {
        const ash_rt_average_mve b = ash_rt_average_box_mve(w, in, y, x);
        ash_rt_average_pixel_mve(p, &b, out);
      }
    in += (ptrdiff_t)w->in_h * w->in_w * w->in_c;
  }
}
