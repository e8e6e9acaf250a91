/* ash_rt_pairs_f32_simd.c - sum and product of two float32 tensors of one
 * shape, with vectors of x86-64 and AArch64: sixteen elements at once. */
#include "ash_rt_simd_f32.h"

/* kernel add_f32_simd */
void ash_rt_add_f32_simd(const ash_rt_binary_f32_params *p, const float *a,
                         const float *b, float *out) {
  const int32_t count = ash_rt_count_of(&p->shape);
  for (int32_t i = 0; i < count; i += 16) {
    const int32_t n = count - i;
    const ash_rt_floats x = ash_rt_plus_simd(ash_rt_some_simd(a + i, n),
                                             ash_rt_some_simd(b + i, n));
    ash_rt_store_simd(out + i, ash_rt_within_simd(x, p->act_min, p->act_max),
                      n);
  }
}

/* kernel mul_f32_simd */
void ash_rt_mul_f32_simd(const ash_rt_binary_f32_params *p, const float *a,
                         const float *b, float *out) {
  const int32_t count = ash_rt_count_of(&p->shape);
  for (int32_t i = 0; i < count; i += 16) {
    const int32_t n = count - i;
    const ash_rt_floats x = ash_rt_times_simd(ash_rt_some_simd(a + i, n),
                                              ash_rt_some_simd(b + i, n));
    ash_rt_store_simd(out + i, ash_rt_within_simd(x, p->act_min, p->act_max),
                      n);
  }
}
