/* ash_rt_mul_s8_mve.c - product of two int8 tensors of one shape, with Helium:
 * four elements at once. */
#include "ash_rt_mve.h"

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
#else
static void ash_rt_mul_run_mve(const ash_rt_mul_s8_params *p, const int8_t *a,
                               const int8_t *b, int8_t *out, int32_t count) {
  ash_rt_mul_plain(p, a, b, out, count);
}
#endif

void ash_rt_mul_s8_mve(const ash_rt_mul_s8_params *p, const int8_t *a,
                       const int8_t *b, int8_t *out) {
  const int32_t count = ash_rt_count_of(&p->shape);
  ash_rt_mul_run_mve(p, a, b, out, count);
}
