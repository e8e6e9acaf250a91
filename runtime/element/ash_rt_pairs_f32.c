/* ash_rt_pairs_f32.c - arithmetic of two float32 tensors. */
#include "ash_rt_pairs.h"

/* kernel add_f32 */
void ash_rt_add_f32(const ash_rt_binary_f32_params *p, const float *a,
                    const float *b, float *out) {
  ASH_RT_PAIRS(&p->shape, float, a, b, out,
               ash_rt_clamp_f32(*x + *y, p->act_min, p->act_max));
}

/* kernel mul_f32 */
void ash_rt_mul_f32(const ash_rt_binary_f32_params *p, const float *a,
                    const float *b, float *out) {
  ASH_RT_PAIRS(&p->shape, float, a, b, out,
               ash_rt_clamp_f32(*x * *y, p->act_min, p->act_max));
}
