/* ash_rt_pairs_f32.c - arithmetic of two float32 tensors. */
#include "ash_rt_pairs.h"

/* kernel add_f32 */
void ash_rt_add_f32(const ash_rt_binary_f32_params *p, const float *a,
                    const float *b, float *out) {
  ASH_RT_PAIRS(&p->shape, float, a, b, out,
               ash_rt_clamp_f32(*x + *y, p->act_min, p->act_max));
}

/* kernel sub_f32 */
void ash_rt_sub_f32(const ash_rt_binary_f32_params *p, const float *a,
                    const float *b, float *out) {
  ASH_RT_PAIRS(&p->shape, float, a, b, out,
               ash_rt_clamp_f32(*x - *y, p->act_min, p->act_max));
}

/* kernel mul_f32 */
void ash_rt_mul_f32(const ash_rt_binary_f32_params *p, const float *a,
                    const float *b, float *out) {
  ASH_RT_PAIRS(&p->shape, float, a, b, out,
               ash_rt_clamp_f32(*x * *y, p->act_min, p->act_max));
}

/* kernel div_f32 */
void ash_rt_div_f32(const ash_rt_binary_f32_params *p, const float *a,
                    const float *b, float *out) {
  ASH_RT_PAIRS(&p->shape, float, a, b, out,
               ash_rt_clamp_f32(*x / *y, p->act_min, p->act_max));
}

/* kernel minimum_f32 */
void ash_rt_minimum_f32(const ash_rt_pairs_params *p, const float *a,
                        const float *b, float *out) {
  ASH_RT_PAIRS(&p->shape, float, a, b, out, *x < *y ? *x : *y);
}

/* kernel maximum_f32 */
void ash_rt_maximum_f32(const ash_rt_pairs_params *p, const float *a,
                        const float *b, float *out) {
  ASH_RT_PAIRS(&p->shape, float, a, b, out, *x > *y ? *x : *y);
}

/* kernel squared_difference_f32 */
void ash_rt_squared_difference_f32(const ash_rt_pairs_params *p, const float *a,
                                   const float *b, float *out) {
  ASH_RT_PAIRS(&p->shape, float, a, b, out, (*x - *y) * (*x - *y));
}

/* kernel prelu_f32: values below 0 times a slope. */
void ash_rt_prelu_f32(const ash_rt_pairs_params *p, const float *a,
                      const float *b, float *out) {
  ASH_RT_PAIRS(&p->shape, float, a, b, out, *x >= 0.0f ? *x : *x * *y);
}

/* kernels floor_div_f32, floor_mod_f32, pow_f32 */
#include <math.h>

/* kernel floor_div_f32: quotient rounded down. */
void ash_rt_floor_div_f32(const ash_rt_pairs_params *p, const float *a,
                          const float *b, float *out) {
  ASH_RT_PAIRS(&p->shape, float, a, b, out, floorf(*x / *y));
}

/* kernel floor_mod_f32: remainder with the sign of the divisor. */
static float ash_rt_floor_mod_one(float x, float y) {
  const float rest = fmodf(x, y);
  return rest != 0.0f && (rest < 0.0f) != (y < 0.0f) ? rest + y : rest;
}

void ash_rt_floor_mod_f32(const ash_rt_pairs_params *p, const float *a,
                          const float *b, float *out) {
  ASH_RT_PAIRS(&p->shape, float, a, b, out, ash_rt_floor_mod_one(*x, *y));
}

/* kernel pow_f32 */
void ash_rt_pow_f32(const ash_rt_pairs_params *p, const float *a,
                    const float *b, float *out) {
  ASH_RT_PAIRS(&p->shape, float, a, b, out, powf(*x, *y));
}
