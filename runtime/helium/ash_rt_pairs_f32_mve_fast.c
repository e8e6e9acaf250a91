/* ash_rt_pairs_f32_mve_fast.c - sum and product of two float32 tensors of one
 * shape, with Helium, where what is not a number may come out as a bound: four
 * elements at once. */
#include "ash_rt_mve_fast.h"

ASH_RT_INLINE void ash_rt_pairs_fast(const ash_rt_binary_f32_params *p,
                                     const float *a, const float *b,
                                     int product, float *out) {
  const float low = p->act_min, high = p->act_max;
  int32_t count = ash_rt_count_of(&p->shape);
#if ASH_RT_HAS_MVE_F32
  for (int32_t i = count / 4; i > 0; i--, a += 4, b += 4, out += 4) {
    const float32x4_t x = vldrwq_f32(a), y = vldrwq_f32(b);
    vstrwq_f32(
        out, ash_rt_clamp_mve_fast(product ? vmulq_f32(x, y) : vaddq_f32(x, y),
                                   low, high));
  }
  count %= 4;
#endif
  for (int32_t i = 0; i < count; i++)
    out[i] = ash_rt_clamp_f32(product ? a[i] * b[i] : a[i] + b[i], low, high);
}

/* kernel add_f32_mve_fast */
void ash_rt_add_f32_mve_fast(const ash_rt_binary_f32_params *p, const float *a,
                             const float *b, float *out) {
  ash_rt_pairs_fast(p, a, b, 0, out);
}

/* kernel mul_f32_mve_fast */
void ash_rt_mul_f32_mve_fast(const ash_rt_binary_f32_params *p, const float *a,
                             const float *b, float *out) {
  ash_rt_pairs_fast(p, a, b, 1, out);
}
