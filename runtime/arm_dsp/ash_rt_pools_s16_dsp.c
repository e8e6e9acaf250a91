/* ash_rt_pools_s16_dsp.c - pools of int16 for processors with Arm's DSP
 * instructions: four channels at once, one load for two. */
#include "ash_rt_dsp_s16.h"

/* kernels average_pool_2d_any_dsp, average_pool_2d_any_dsp_lines: windows small
 * enough for sums of 32 bits. */
ASH_RT_INLINE void
ash_rt_average_four_s16_dsp(const ash_rt_pool_2d_any_params *p,
                            const ash_rt_pane *b, int32_t c, int16_t *out,
                            int whole) {
  const int32_t left = p->window.in_c - c, count = b->rows * b->columns;
  int32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  if (!whole) {
    for (int32_t i = 0; i < left; i++)
      ash_rt_average_one_s16(p, b, c + i, out);
    return;
  }
  for (int32_t y = 0; y < b->rows; y++) {
    const int16_t *row = (const int16_t *)ash_rt_line(&b->in, y) + c;
    for (int32_t k = b->columns; k > 0; k--, row += b->column) {
      s0 += row[0];
      s1 += row[1];
      s2 += row[2];
      s3 += row[3];
    }
  }
  out[c] = ash_rt_average_s16(p, s0, count);
  out[c + 1] = ash_rt_average_s16(p, s1, count);
  out[c + 2] = ash_rt_average_s16(p, s2, count);
  out[c + 3] = ash_rt_average_s16(p, s3, count);
}

/* kernel average_pool_2d_any_dsp */
void ash_rt_average_pool_2d_any_dsp(const ash_rt_pool_2d_any_params *p,
                                    const void *in, void *out) {
  ash_rt_pool_run_s16(p, in, out, 4, ash_rt_average_four_s16_dsp);
}

/* kernel average_pool_2d_any_dsp_lines */
void ash_rt_average_pool_2d_any_dsp_lines(const ash_rt_pool_2d_any_params *p,
                                          const ash_rt_lines *in,
                                          const ash_rt_lines *out, int32_t from,
                                          int32_t to) {
  ash_rt_pool_lines_s16(p, in, out, from, to, 4, ash_rt_average_four_s16_dsp);
}

/* kernels max_pool_2d_any_dsp, max_pool_2d_any_dsp_lines */

/* The larger ones of two pairs. */
static inline uint32_t ash_rt_max_pair(uint32_t a, uint32_t b) {
#if ASH_RT_HAS_DSP
  uint32_t r;
  __asm__("ssub16 %0, %1, %2\n"
          "sel %0, %1, %2\n"
          : "=&r"(r)
          : "r"(a), "r"(b)
          : "cc");
  return r;
#else
  return ash_rt_pair(
      ash_rt_low(a) > ash_rt_low(b) ? ash_rt_low(a) : ash_rt_low(b),
      ash_rt_high(a) > ash_rt_high(b) ? ash_rt_high(a) : ash_rt_high(b));
#endif
}

ASH_RT_INLINE void ash_rt_max_four_s16_dsp(const ash_rt_pool_2d_any_params *p,
                                           const ash_rt_pane *b, int32_t c,
                                           int16_t *out, int whole) {
  const int32_t left = p->window.in_c - c;
  uint32_t first = ash_rt_pair(p->act_min, p->act_min), second = first;
  if (!whole) {
    for (int32_t i = 0; i < left; i++)
      ash_rt_max_one_s16(p, b, c + i, out);
    return;
  }
  for (int32_t y = 0; y < b->rows; y++) {
    const int16_t *row = (const int16_t *)ash_rt_line(&b->in, y) + c;
    for (int32_t k = b->columns; k > 0; k--, row += b->column) {
      first = ash_rt_max_pair(first, ash_rt_load_halves(row));
      second = ash_rt_max_pair(second, ash_rt_load_halves(row + 2));
    }
  }
  const int32_t most = p->act_max;
  out[c] = (int16_t)ash_rt_clamp(ash_rt_low(first), p->act_min, most);
  out[c + 1] = (int16_t)ash_rt_clamp(ash_rt_high(first), p->act_min, most);
  out[c + 2] = (int16_t)ash_rt_clamp(ash_rt_low(second), p->act_min, most);
  out[c + 3] = (int16_t)ash_rt_clamp(ash_rt_high(second), p->act_min, most);
}

/* kernel max_pool_2d_any_dsp */
void ash_rt_max_pool_2d_any_dsp(const ash_rt_pool_2d_any_params *p,
                                const void *in, void *out) {
  ash_rt_pool_run_s16(p, in, out, 4, ash_rt_max_four_s16_dsp);
}

/* kernel max_pool_2d_any_dsp_lines */
void ash_rt_max_pool_2d_any_dsp_lines(const ash_rt_pool_2d_any_params *p,
                                      const ash_rt_lines *in,
                                      const ash_rt_lines *out, int32_t from,
                                      int32_t to) {
  ash_rt_pool_lines_s16(p, in, out, from, to, 4, ash_rt_max_four_s16_dsp);
}
