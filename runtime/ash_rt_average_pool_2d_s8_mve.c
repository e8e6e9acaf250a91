/* ash_rt_average_pool_2d_s8_mve.c - average over windows of at most 255 pixels,
 * int8, with Helium: eight channels at once, summed up in 16 bits. */
#include "ash_rt_mve.h"

typedef struct ash_rt_average_mve {
  const int8_t *in;
  int32_t rows, columns;
  ptrdiff_t row, column; /* distances */
  int32_t count;
} ash_rt_average_mve;

/* Sums of the channels c to c + 7, of which `rest` exist. */
static inline void ash_rt_average_sum_mve(const ash_rt_average_mve *b,
                                          int32_t c, int32_t rest,
                                          int16_t sums[8]) {
  const int8_t *row = b->in + c;
#if ASH_RT_HAS_MVE
  const mve_pred16_t some = vctp16q((uint32_t)rest);
  int16x8_t s = vdupq_n_s16(0);
  for (int32_t y = b->rows; y > 0; y--, row += b->row) {
    const int8_t *x = row;
    for (int32_t k = b->columns; k > 0; k--, x += b->column)
      s = vaddq_s16(s, vldrbq_z_s16(x, some));
  }
  vstrhq_s16(sums, s);
#else
  for (int32_t i = 0; i < 8; i++)
    sums[i] = 0;
  for (int32_t y = b->rows; y > 0; y--, row += b->row)
    for (int32_t k = 0; k < b->columns; k++)
      for (int32_t i = 0; i < 8 && i < rest; i++)
        sums[i] = (int16_t)(sums[i] + row[k * b->column + i]);
#endif
}

/* To the nearest, ties away from zero. */
static void ash_rt_average_pixel_mve(const ash_rt_pool_2d_s8_params *p,
                                     const ash_rt_average_mve *b, int8_t *out) {
  const int32_t count = b->count, half = count / 2;
  const int32_t low = p->act_min, high = p->act_max;
  const int32_t channels = p->window.in_c;
  int16_t sums[8];
  for (int32_t c = 0; c < channels; c += 8) {
    const int32_t left = channels - c, n = left < 8 ? left : 8;
    ash_rt_average_sum_mve(b, c, left, sums);
    for (int32_t i = 0; i < n; i++) {
      const int32_t s = sums[i];
      const int32_t y = (s < 0 ? s - half : s + half) / count;
      out[c + i] = (int8_t)ash_rt_clamp(y, low, high);
    }
  }
}

static ash_rt_average_mve ash_rt_average_box_mve(const ash_rt_window *w,
                                                 const int8_t *in, int32_t y,
                                                 int32_t x) {
  const int32_t top = y * w->stride_h - w->pad_top;
  const int32_t left = x * w->stride_w - w->pad_left;
  const ash_rt_taps v = ash_rt_taps_of(top, w->filter_h, 1, w->in_h);
  const ash_rt_taps h = ash_rt_taps_of(left, w->filter_w, 1, w->in_w);
  ash_rt_average_mve b;
  b.rows = v.hi - v.lo;
  b.columns = h.hi - h.lo;
  b.row = (ptrdiff_t)w->in_w * w->in_c;
  b.column = w->in_c;
  b.count = b.rows * b.columns;
  b.in = b.count ? in + (top + v.lo) * b.row + (left + h.lo) * b.column : in;
  if (b.count == 0) {
    b.rows = 0;
    b.count = 1;
  }
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
