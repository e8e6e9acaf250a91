/* ash_rt_pools_s8.c - average and maximum over windows, int8. */
#include "ash_rt_lanes.h"
#include "ash_rt_layers_s8.h"

/* kernels average_pool_2d_s8, average_pool_2d_s8_lines: padding does not
 * count. */
typedef struct ash_rt_average_box {
  ash_rt_pane pane;
  uint32_t count;
  uint32_t inverse; /* ceil(2^32 / count), 0: divide */
} ash_rt_average_box;

/* n / count, where n <= 128 * count + count / 2. Multiplying by the inverse
 * is exact while n * count < 2^32, which holds for windows below 5781. */
static inline uint32_t ash_rt_average_divide(const ash_rt_average_box *b,
                                             uint32_t n) {
  return b->inverse ? (uint32_t)(((uint64_t)n * b->inverse) >> 32)
                    : n / b->count;
}

/* To the nearest, ties away from zero. */
static int8_t ash_rt_average_finish(const ash_rt_pool_2d_s8_params *p,
                                    const ash_rt_average_box *b, int32_t sum) {
  const uint32_t half = b->count / 2;
  const int32_t y =
      sum < 0 ? -(int32_t)ash_rt_average_divide(b, (uint32_t)-sum + half)
              : (int32_t)ash_rt_average_divide(b, (uint32_t)sum + half);
  return (int8_t)ash_rt_clamp(y, p->act_min, p->act_max);
}

ASH_RT_INLINE void ash_rt_average_4(const ash_rt_pool_2d_s8_params *p,
                                    const ash_rt_average_box *b, int32_t c,
                                    int8_t *out) {
  int32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  for (int32_t y = 0; y < b->pane.rows; y++) {
    const int8_t *x = (const int8_t *)ash_rt_line(&b->pane.in, y) + c;
    for (int32_t k = 0; k < b->pane.columns; k++, x += b->pane.column) {
      s0 += x[0];
      s1 += x[1];
      s2 += x[2];
      s3 += x[3];
    }
  }
  out[c] = ash_rt_average_finish(p, b, s0);
  out[c + 1] = ash_rt_average_finish(p, b, s1);
  out[c + 2] = ash_rt_average_finish(p, b, s2);
  out[c + 3] = ash_rt_average_finish(p, b, s3);
}

#if ASH_RT_LANES > 1
ASH_RT_INLINE void ash_rt_average_lanes(const ash_rt_pool_2d_s8_params *p,
                                        const ash_rt_average_box *b, int32_t c,
                                        int8_t *out) {
  int32_t s[ASH_RT_LANES] = {0};
  for (int32_t y = 0; y < b->pane.rows; y++) {
    const int8_t *const row = (const int8_t *)ash_rt_line(&b->pane.in, y) + c;
    for (int32_t k = 0; k < b->pane.columns; k++) {
      const int8_t *x = row + k * b->pane.column;
      for (int32_t i = 0; i < ASH_RT_LANES; i++)
        s[i] += x[i];
    }
  }
  for (int32_t i = 0; i < ASH_RT_LANES; i++)
    out[c + i] = ash_rt_average_finish(p, b, s[i]);
}
#endif

ASH_RT_INLINE void ash_rt_average_pixel(const ash_rt_pool_2d_s8_params *p,
                                        const ash_rt_average_box *b,
                                        int8_t *out) {
  int32_t c = 0;
#if ASH_RT_LANES > 1
  for (; c + ASH_RT_LANES <= p->window.in_c; c += ASH_RT_LANES)
    ash_rt_average_lanes(p, b, c, out);
#endif
  for (; c + 4 <= p->window.in_c; c += 4)
    ash_rt_average_4(p, b, c, out);
  for (; c < p->window.in_c; c++) {
    int32_t sum = 0;
    for (int32_t y = 0; y < b->pane.rows; y++) {
      const int8_t *const row = (const int8_t *)ash_rt_line(&b->pane.in, y) + c;
      for (int32_t k = 0; k < b->pane.columns; k++)
        sum += row[k * b->pane.column];
    }
    out[c] = ash_rt_average_finish(p, b, sum);
  }
}

ASH_RT_INLINE ash_rt_average_box ash_rt_average_box_of(const ash_rt_window *w,
                                                       const ash_rt_lines *in,
                                                       int32_t y, int32_t x) {
  ash_rt_average_box b;
  b.pane = ash_rt_pane_of(w, in, y, x, 1);
  b.count = b.pane.rows ? (uint32_t)(b.pane.rows * b.pane.columns) : 1;
  b.inverse = b.count > 1 && b.count < 5781 ? UINT32_MAX / b.count + 1 : 0;
  return b;
}

/* Output lines [from, to). */
ASH_RT_INLINE void ash_rt_average_core_s8(const ash_rt_pool_2d_s8_params *p,
                                          const ash_rt_lines *in,
                                          const ash_rt_lines *out, int32_t from,
                                          int32_t to) {
  const ash_rt_window *w = &p->window;
  for (int32_t y = from; y < to; y++) {
    int8_t *pixel = ash_rt_line_out(out, y);
    for (int32_t x = 0; x < w->out_w; x++, pixel += w->in_c) {
      const ash_rt_average_box b = ash_rt_average_box_of(w, in, y, x);
      ash_rt_average_pixel(p, &b, pixel);
    }
  }
}

/* kernel average_pool_2d_s8 */
void ash_rt_average_pool_2d_s8(const ash_rt_pool_2d_s8_params *p,
                               const int8_t *in, int8_t *out) {
  const ash_rt_window *w = &p->window;
  for (int32_t n = 0; n < w->batches; n++) {
    const ash_rt_lines i = ash_rt_image_in(w, in, n, sizeof *in);
    const ash_rt_lines o = ash_rt_image_out(w, out, n, sizeof *out);
    ash_rt_average_core_s8(p, &i, &o, 0, w->out_h);
  }
}

/* kernel average_pool_2d_s8_lines */
void ash_rt_average_pool_2d_s8_lines(const ash_rt_pool_2d_s8_params *p,
                                     const ash_rt_lines *in,
                                     const ash_rt_lines *out, int32_t from,
                                     int32_t to) {
  ash_rt_average_core_s8(p, in, out, from, to);
}

/* kernels max_pool_2d_s8, max_pool_2d_s8_lines: the output pixel itself holds
 * the maximum so far, and the inner loop runs over channels. */
#if ASH_RT_LANES > 1
/* Sixteen channels from c on. */
ASH_RT_INLINE void ash_rt_max_lanes(const ash_rt_pool_2d_s8_params *p,
                                    const ash_rt_pane *b, int32_t c,
                                    int8_t *out) {
  const int8_t high = (int8_t)p->act_max;
  int8_t most[ASH_RT_LANES], v[ASH_RT_LANES];
  ASH_RT_FILL(most, (unsigned char)p->act_min, ASH_RT_LANES);
  for (int32_t y = 0; y < b->rows; y++) {
    const int8_t *const row = (const int8_t *)ash_rt_line(&b->in, y) + c;
    for (int32_t x = 0; x < b->columns; x++) {
      ASH_RT_COPY(v, row + x * b->column, ASH_RT_LANES);
      for (int32_t i = 0; i < ASH_RT_LANES; i++)
        most[i] = most[i] < v[i] ? v[i] : most[i];
    }
  }
  for (int32_t i = 0; i < ASH_RT_LANES; i++)
    most[i] = most[i] > high ? high : most[i];
  ASH_RT_COPY(out + c, most, ASH_RT_LANES);
}
#endif

/* Channels [c, channels). */
ASH_RT_INLINE void ash_rt_max_taps_s8(const ash_rt_pool_2d_s8_params *p,
                                      const ash_rt_pane *b, int32_t c,
                                      int8_t *out) {
  const int32_t channels = p->window.in_c, first = c;
  for (; c < channels; c++)
    out[c] = (int8_t)p->act_min;
  for (int32_t y = 0; y < b->rows; y++) {
    const int8_t *const row = ash_rt_line(&b->in, y);
    for (int32_t x = 0; x < b->columns; x++) {
      const int8_t *from = row + x * b->column;
      for (c = first; c < channels; c++)
        out[c] = out[c] < from[c] ? from[c] : out[c];
    }
  }
  for (c = first; c < channels; c++)
    out[c] = (int8_t)(out[c] > p->act_max ? p->act_max : out[c]);
}

/* Output lines [from, to). */
ASH_RT_INLINE void ash_rt_max_core_s8(const ash_rt_pool_2d_s8_params *p,
                                      const ash_rt_lines *in,
                                      const ash_rt_lines *out, int32_t from,
                                      int32_t to) {
  const ash_rt_window *w = &p->window;
  for (int32_t y = from; y < to; y++) {
    int8_t *pixel = ash_rt_line_out(out, y);
    for (int32_t x = 0; x < w->out_w; x++, pixel += w->in_c) {
      const ash_rt_pane b = ash_rt_pane_of(w, in, y, x, 1);
      int32_t c = 0;
#if ASH_RT_LANES > 1
      for (; c + ASH_RT_LANES <= w->in_c; c += ASH_RT_LANES)
        ash_rt_max_lanes(p, &b, c, pixel);
#endif
      ash_rt_max_taps_s8(p, &b, c, pixel);
    }
  }
}

/* kernel max_pool_2d_s8 */
void ash_rt_max_pool_2d_s8(const ash_rt_pool_2d_s8_params *p, const int8_t *in,
                           int8_t *out) {
  const ash_rt_window *w = &p->window;
  for (int32_t n = 0; n < w->batches; n++) {
    const ash_rt_lines i = ash_rt_image_in(w, in, n, sizeof *in);
    const ash_rt_lines o = ash_rt_image_out(w, out, n, sizeof *out);
    ash_rt_max_core_s8(p, &i, &o, 0, w->out_h);
  }
}

/* kernel max_pool_2d_s8_lines */
void ash_rt_max_pool_2d_s8_lines(const ash_rt_pool_2d_s8_params *p,
                                 const ash_rt_lines *in,
                                 const ash_rt_lines *out, int32_t from,
                                 int32_t to) {
  ash_rt_max_core_s8(p, in, out, from, to);
}
