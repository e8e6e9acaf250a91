/* ash_rt_pairs_s16.c - sum, difference and product of int16. */
#include "ash_rt_pairs.h"

/* kernels add_s16, sub_s16 */

/* To a common scale, with 15 more bits. */
static int32_t ash_rt_align_s16(int32_t x, int32_t multiplier, int32_t shift) {
  return ash_rt_rescale(x * (1 << 15), multiplier, shift);
}

static int16_t ash_rt_sum_s16(const ash_rt_pairs_s16_params *p, int32_t a,
                              int32_t b, int32_t sign) {
  int32_t y;
  if (p->pot) {
    y = ash_rt_shift_down(a, -p->a_shift) +
        sign * ash_rt_shift_down(b, -p->b_shift);
    y = ash_rt_clamp(y, -32768, 32767);
  } else {
    const int32_t c = ash_rt_align_s16(a, p->a_multiplier, p->a_shift);
    const int32_t d = ash_rt_align_s16(b, p->b_multiplier, p->b_shift);
    y = ash_rt_rescale((int32_t)((uint32_t)c + (uint32_t)(sign * d)),
                       p->out_multiplier, p->out_shift);
  }
  return (int16_t)ash_rt_clamp(y, p->act_min, p->act_max);
}

/* kernel add_s16 */
void ash_rt_add_s16(const ash_rt_pairs_s16_params *p, const int16_t *a,
                    const int16_t *b, int16_t *out) {
  ASH_RT_PAIRS(&p->shape, int16_t, a, b, out, ash_rt_sum_s16(p, *x, *y, 1));
}

/* kernel sub_s16 */
void ash_rt_sub_s16(const ash_rt_pairs_s16_params *p, const int16_t *a,
                    const int16_t *b, int16_t *out) {
  ASH_RT_PAIRS(&p->shape, int16_t, a, b, out, ash_rt_sum_s16(p, *x, *y, -1));
}

/* kernel mul_s16 */
void ash_rt_mul_s16(const ash_rt_pairs_s16_params *p, const int16_t *a,
                    const int16_t *b, int16_t *out) {
  ASH_RT_PAIRS(&p->shape, int16_t, a, b, out,
               (int16_t)ash_rt_clamp(
                   ash_rt_rescale(*x * *y, p->out_multiplier, p->out_shift),
                   p->act_min, p->act_max));
}
