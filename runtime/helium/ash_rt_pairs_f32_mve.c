/* ash_rt_pairs_f32_mve.c - sum and product of two float32 tensors of one shape,
 * with Helium: four elements at once. */
#include "ash_rt_mve_f32.h"

/* kernel add_f32_mve */
void ash_rt_add_f32_mve(const ash_rt_binary_f32_params *p, const float *a,
                        const float *b, float *out) {
  const float low = p->act_min, high = p->act_max;
  int32_t count = ash_rt_count_of(&p->shape);
#if ASH_RT_HAS_MVE_F32
  for (; count > 0; count -= 4, a += 4, b += 4, out += 4) {
    const mve_pred16_t some = vctp32q((uint32_t)count);
    const float32x4_t x =
        vaddq_f32(vldrwq_z_f32(a, some), vldrwq_z_f32(b, some));
    vstrwq_p_f32(out, ash_rt_clamp_mve_f32(x, low, high), some);
  }
#else
  for (int32_t i = 0; i < count; i++)
    out[i] = ash_rt_clamp_f32(a[i] + b[i], low, high);
#endif
}

/* kernel mul_f32_mve */
void ash_rt_mul_f32_mve(const ash_rt_binary_f32_params *p, const float *a,
                        const float *b, float *out) {
  const float low = p->act_min, high = p->act_max;
  int32_t count = ash_rt_count_of(&p->shape);
#if ASH_RT_HAS_MVE_F32
  for (; count > 0; count -= 4, a += 4, b += 4, out += 4) {
    const mve_pred16_t some = vctp32q((uint32_t)count);
    const float32x4_t x =
        vmulq_f32(vldrwq_z_f32(a, some), vldrwq_z_f32(b, some));
    vstrwq_p_f32(out, ash_rt_clamp_mve_f32(x, low, high), some);
  }
#else
  for (int32_t i = 0; i < count; i++)
    out[i] = ash_rt_clamp_f32(a[i] * b[i], low, high);
#endif
}
