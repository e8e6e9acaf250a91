/* ash_rt_pairs_s16_mve.c - sum and product of two int16 tensors that are dense
 * along the last axis, with Helium: four elements at once. */
#include "ash_rt_mve_s16.h"

/* kernels add_s16_mve, mul_s16_mve */
#if ASH_RT_HAS_MVE
/* ash_rt_rescale: shifts up come first, shifts down last, where ties go away
 * from zero. */
typedef struct ash_rt_scale_s16 {
  int32_t multiplier, up;
  int32x4_t down;
} ash_rt_scale_s16;

static inline ash_rt_scale_s16 ash_rt_scale_of_s16(int32_t multiplier,
                                                   int32_t shift) {
  const int32_t up = shift > 0 ? shift : 0;
  const ash_rt_scale_s16 s = {multiplier, up, vdupq_n_s32(shift - up)};
  return s;
}

static inline int32x4_t ash_rt_scale_s16_mve(int32x4_t x,
                                             const ash_rt_scale_s16 *s) {
  x = vqrdmulhq_n_s32(vshlq_r_s32(x, s->up), s->multiplier);
  x = vqaddq_s32(x, vshrq_n_s32(vandq_s32(x, s->down), 31));
  return vrshlq_s32(x, s->down);
}
#else
static inline int16_t ash_rt_pair_out_s16(const ash_rt_pairs_s16_params *p,
                                          int32_t x) {
  const int32_t y = ash_rt_rescale(x, p->out_multiplier, p->out_shift);
  return (int16_t)ash_rt_clamp(y, p->act_min, p->act_max);
}
#endif

/* kernel add_s16_mve: scales that are no powers of two. */
static void ash_rt_add_run_s16_mve(const ash_rt_pairs_s16_params *p,
                                   const int16_t *a, const int16_t *b,
                                   int16_t *out, int32_t count) {
#if ASH_RT_HAS_MVE
  const ash_rt_scale_s16 c = ash_rt_scale_of_s16(p->a_multiplier, p->a_shift);
  const ash_rt_scale_s16 d = ash_rt_scale_of_s16(p->b_multiplier, p->b_shift);
  const ash_rt_scale_s16 e =
      ash_rt_scale_of_s16(p->out_multiplier, p->out_shift);
  const int32x4_t low = vdupq_n_s32(p->act_min);
  const int32x4_t high = vdupq_n_s32(p->act_max);
  for (; count > 0; count -= 4, a += 4, b += 4, out += 4) {
    const mve_pred16_t some = vctp32q((uint32_t)count);
    int32x4_t x = vshlq_n_s32(vldrhq_z_s32(a, some), 15);
    const int32x4_t y = vshlq_n_s32(vldrhq_z_s32(b, some), 15);
    x = vaddq_s32(ash_rt_scale_s16_mve(x, &c), ash_rt_scale_s16_mve(y, &d));
    x = ash_rt_scale_s16_mve(x, &e);
    vstrhq_p_s32(out, vminq_s32(vmaxq_s32(x, low), high), some);
  }
#else
  for (int32_t i = 0; i < count; i++) {
    const int32_t x =
        ash_rt_rescale(a[i] * (1 << 15), p->a_multiplier, p->a_shift);
    const int32_t y =
        ash_rt_rescale(b[i] * (1 << 15), p->b_multiplier, p->b_shift);
    out[i] = ash_rt_pair_out_s16(p, (int32_t)((uint32_t)x + (uint32_t)y));
  }
#endif
}

void ash_rt_add_s16_mve(const ash_rt_pairs_s16_params *p, const int16_t *a,
                        const int16_t *b, int16_t *out) {
  ASH_RT_DENSE_RUNS(p, a, b, out, ash_rt_add_run_s16_mve);
}

/* kernel mul_s16_mve */
static void ash_rt_mul_run_s16_mve(const ash_rt_pairs_s16_params *p,
                                   const int16_t *a, const int16_t *b,
                                   int16_t *out, int32_t count) {
#if ASH_RT_HAS_MVE
  const ash_rt_scale_s16 e =
      ash_rt_scale_of_s16(p->out_multiplier, p->out_shift);
  const int32x4_t low = vdupq_n_s32(p->act_min);
  const int32x4_t high = vdupq_n_s32(p->act_max);
  for (; count > 0; count -= 4, a += 4, b += 4, out += 4) {
    const mve_pred16_t some = vctp32q((uint32_t)count);
    const int32x4_t x = vmulq_s32(vldrhq_z_s32(a, some), vldrhq_z_s32(b, some));
    const int32x4_t y = ash_rt_scale_s16_mve(x, &e);
    vstrhq_p_s32(out, vminq_s32(vmaxq_s32(y, low), high), some);
  }
#else
  for (int32_t i = 0; i < count; i++)
    out[i] = ash_rt_pair_out_s16(p, a[i] * b[i]);
#endif
}

void ash_rt_mul_s16_mve(const ash_rt_pairs_s16_params *p, const int16_t *a,
                        const int16_t *b, int16_t *out) {
  ASH_RT_DENSE_RUNS(p, a, b, out, ash_rt_mul_run_s16_mve);
}
