/* ash_rt_pools_s16_mve.c - pools of int16 with Helium: eight channels at once.
 */
#include "ash_rt_mve_s16.h"

/* kernels average_pool_2d_any_mve, average_pool_2d_any_mve_lines: windows small
 * enough for sums of 32 bits. */
ASH_RT_INLINE void ash_rt_average_eight_mve(const ash_rt_pool_2d_any_params *p,
                                            const ash_rt_pane *b, int32_t c,
                                            int16_t *out, int whole) {
  const int32_t left = p->window.in_c - c;
#if ASH_RT_HAS_MVE
  const mve_pred16_t some = vctp16q((uint32_t)left);
  int32x4x2_t s = {{vdupq_n_s32(0), vdupq_n_s32(0)}};
  int32_t sums[8];
  for (int32_t y = 0; y < b->rows; y++) {
    const int16_t *row = (const int16_t *)ash_rt_line(&b->in, y) + c;
    for (int32_t k = b->columns; k > 0; k--, row += b->column) {
      const int16x8_t x = whole ? vldrhq_s16(row) : vldrhq_z_s16(row, some);
      s.val[0] = vaddq_s32(s.val[0], vmovlbq_s16(x));
      s.val[1] = vaddq_s32(s.val[1], vmovltq_s16(x));
    }
  }
  vst2q_s32(sums, s);
  for (int32_t i = 0; i < (whole ? 8 : left); i++)
    out[c + i] = ash_rt_average_s16(p, sums[i], b->rows * b->columns);
#else
  (void)whole;
  for (int32_t i = 0; i < 8 && i < left; i++)
    ash_rt_average_one_s16(p, b, c + i, out);
#endif
}

/* kernel average_pool_2d_any_mve */
void ash_rt_average_pool_2d_any_mve(const ash_rt_pool_2d_any_params *p,
                                    const void *in, void *out) {
  ash_rt_pool_run_s16(p, in, out, 8, ash_rt_average_eight_mve);
}

/* kernel average_pool_2d_any_mve_lines */
void ash_rt_average_pool_2d_any_mve_lines(const ash_rt_pool_2d_any_params *p,
                                          const ash_rt_lines *in,
                                          const ash_rt_lines *out, int32_t from,
                                          int32_t to) {
  ash_rt_pool_lines_s16(p, in, out, from, to, 8, ash_rt_average_eight_mve);
}

/* kernels max_pool_2d_any_mve, max_pool_2d_any_mve_lines */
ASH_RT_INLINE void ash_rt_max_eight_mve(const ash_rt_pool_2d_any_params *p,
                                        const ash_rt_pane *b, int32_t c,
                                        int16_t *out, int whole) {
  const int32_t left = p->window.in_c - c;
#if ASH_RT_HAS_MVE
  const mve_pred16_t some = vctp16q((uint32_t)left);
  int16x8_t m = vdupq_n_s16((int16_t)p->act_min);
  for (int32_t y = 0; y < b->rows; y++) {
    const int16_t *row = (const int16_t *)ash_rt_line(&b->in, y) + c;
    for (int32_t k = b->columns; k > 0; k--, row += b->column)
      m = vmaxq_s16(m, whole ? vldrhq_s16(row) : vldrhq_z_s16(row, some));
  }
  m = vminq_s16(m, vdupq_n_s16((int16_t)p->act_max));
  if (whole)
    vstrhq_s16(out + c, m);
  else
    vstrhq_p_s16(out + c, m, some);
#else
  (void)whole;
  for (int32_t i = 0; i < 8 && i < left; i++)
    ash_rt_max_one_s16(p, b, c + i, out);
#endif
}

/* kernel max_pool_2d_any_mve */
void ash_rt_max_pool_2d_any_mve(const ash_rt_pool_2d_any_params *p,
                                const void *in, void *out) {
  ash_rt_pool_run_s16(p, in, out, 8, ash_rt_max_eight_mve);
}

/* kernel max_pool_2d_any_mve_lines */
void ash_rt_max_pool_2d_any_mve_lines(const ash_rt_pool_2d_any_params *p,
                                      const ash_rt_lines *in,
                                      const ash_rt_lines *out, int32_t from,
                                      int32_t to) {
  ash_rt_pool_lines_s16(p, in, out, from, to, 8, ash_rt_max_eight_mve);
}
