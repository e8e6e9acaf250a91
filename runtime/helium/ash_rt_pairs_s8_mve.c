/* ash_rt_pairs_s8_mve.c - sum and product of two int8 tensors that are
 * dense along the last axis, with Helium: four elements at once. */
#include "ash_rt_mve.h"

/* kernel add_s8_mve: different scales. */
#if ASH_RT_HAS_MVE
/* mul_high and ash_rt_shift_down, for shifts of 0 or below. */
static inline int32x4_t ash_rt_add_scale_mve(int32x4_t x, int32_t multiplier,
                                             int32x4_t shift) {
  x = vqrdmulhq_n_s32(x, multiplier);
  x = vqaddq_s32(x, vshrq_n_s32(vandq_s32(x, shift), 31));
  return vrshlq_s32(x, shift);
}

/* The parameters are read first: `out` might overlap them, as far as a compiler
 * knows. */
static void ash_rt_add_run_mve(const ash_rt_add_s8_params *p, const int8_t *a,
                               const int8_t *b, int8_t *out, int32_t count) {
  const int32_t offset_a = p->a_offset, multiplier_a = p->a_multiplier;
  const int32_t offset_b = p->b_offset, multiplier_b = p->b_multiplier;
  const int32_t offset = p->out_offset, multiplier = p->out_multiplier;
  const int32x4_t shift_a = vdupq_n_s32(p->a_shift);
  const int32x4_t shift_b = vdupq_n_s32(p->b_shift);
  const int32x4_t shift = vdupq_n_s32(p->out_shift);
  const int32x4_t low = vdupq_n_s32(p->act_min);
  const int32x4_t high = vdupq_n_s32(p->act_max);
  for (; count > 0; count -= 4, a += 4, b += 4, out += 4) {
    const mve_pred16_t some = vctp32q((uint32_t)count);
    int32x4_t x = vaddq_n_s32(vldrbq_z_s32(a, some), offset_a);
    int32x4_t y = vaddq_n_s32(vldrbq_z_s32(b, some), offset_b);
    x = ash_rt_add_scale_mve(vshlq_n_s32(x, 20), multiplier_a, shift_a);
    y = ash_rt_add_scale_mve(vshlq_n_s32(y, 20), multiplier_b, shift_b);
    x = ash_rt_add_scale_mve(vaddq_s32(x, y), multiplier, shift);
    x = vaddq_n_s32(x, offset);
    vstrbq_p_s32(out, vminq_s32(vmaxq_s32(x, low), high), some);
  }
}
#endif

void ash_rt_add_s8_mve(const ash_rt_add_s8_params *p, const int8_t *a,
                       const int8_t *b, int8_t *out) {
#if ASH_RT_HAS_MVE
  ASH_RT_DENSE_RUNS(p, a, b, out, ash_rt_add_run_mve);
#else
  ASH_RT_DENSE_RUNS(p, a, b, out, ash_rt_add_plain);
#endif
}

/* kernel mul_s8_mve */
#if ASH_RT_HAS_MVE
static void ash_rt_mul_run_mve(const ash_rt_mul_s8_params *p, const int8_t *a,
                               const int8_t *b, int8_t *out, int32_t count) {
  const int32_t offset_a = p->a_offset, offset_b = p->b_offset;
  const int32_t offset = p->out_offset, multiplier = p->out_multiplier;
  const int32_t up = p->out_shift > 0 ? p->out_shift : 0;
  const int32x4_t shift = vdupq_n_s32(p->out_shift - up);
  const int32x4_t low = vdupq_n_s32(p->act_min);
  const int32x4_t high = vdupq_n_s32(p->act_max);
  for (; count > 0; count -= 4, a += 4, b += 4, out += 4) {
    const mve_pred16_t some = vctp32q((uint32_t)count);
    const int32x4_t y = vaddq_n_s32(vldrbq_z_s32(b, some), offset_b);
    int32x4_t x = vaddq_n_s32(vldrbq_z_s32(a, some), offset_a);
    x = vqrdmulhq_n_s32(vshlq_r_s32(vmulq_s32(x, y), up), multiplier);
    x = vqaddq_s32(x, vshrq_n_s32(vandq_s32(x, shift), 31));
    x = vaddq_n_s32(vrshlq_s32(x, shift), offset);
    vstrbq_p_s32(out, vminq_s32(vmaxq_s32(x, low), high), some);
  }
}
#endif

void ash_rt_mul_s8_mve(const ash_rt_mul_s8_params *p, const int8_t *a,
                       const int8_t *b, int8_t *out) {
#if ASH_RT_HAS_MVE
  ASH_RT_DENSE_RUNS(p, a, b, out, ash_rt_mul_run_mve);
#else
  ASH_RT_DENSE_RUNS(p, a, b, out, ash_rt_mul_plain);
#endif
}
