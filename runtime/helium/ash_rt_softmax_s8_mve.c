/* ash_rt_softmax_s8_mve.c - softmax over the last axis, int8, with Helium: four
 * elements at once, their exponentials gathered from the table. The arithmetic
 * is that of ash_rt_softmax_s8.c. */
#include "ash_rt_mve.h"
#include "ash_rt_softmax.h"

#if ASH_RT_HAS_MVE
static int32_t ash_rt_softmax_max_mve(const int8_t *in, int32_t depth) {
  int8_t max = -128;
  for (; depth > 0; depth -= 16, in += 16) {
    const mve_pred16_t some = vctp8q((uint32_t)depth);
    max = vmaxvq_p_s8(max, vldrbq_z_s8(in, some), some);
  }
  return max;
}

static inline int32x4_t ash_rt_softmax_four_mve(const int8_t *in, int32_t max,
                                                const int32_t *table,
                                                mve_pred16_t some) {
  const int32x4_t below = vsubq_s32(vdupq_n_s32(max), vldrbq_z_s32(in, some));
  return vldrwq_gather_shifted_offset_z_s32(table, vreinterpretq_u32_s32(below),
                                            some);
}

static void ash_rt_softmax_row_mve(int32_t depth, const int8_t *in,
                                   const int32_t *table, int8_t *out) {
  const int32_t max = ash_rt_softmax_max_mve(in, depth);
  int32_t sum = 0;
  for (int32_t i = 0; i < depth; i += 4) {
    const mve_pred16_t some = vctp32q((uint32_t)(depth - i));
    const int32x4_t e = ash_rt_softmax_four_mve(in + i, max, table, some);
    sum = vaddvaq_s32(sum, vrshrq_n_s32(e, 12));
  }
  const ash_rt_share s = ash_rt_share_of((uint32_t)sum, 8);
  const int32x4_t shift = vdupq_n_s32(-s.shift);
  for (int32_t i = 0; i < depth; i += 4) {
    const mve_pred16_t some = vctp32q((uint32_t)(depth - i));
    int32x4_t e = ash_rt_softmax_four_mve(in + i, max, table, some);
    e = vrshlq_s32(vqrdmulhq_n_s32(e, s.scale), shift);
    e = vminq_s32(vsubq_n_s32(e, 128), vdupq_n_s32(127));
    vstrbq_p_s32(out + i, e, some);
  }
}
#else
static void ash_rt_softmax_row_mve(int32_t depth, const int8_t *in,
                                   const int32_t *table, int8_t *out) {
  ash_rt_softmax_row((const uint8_t *)in, depth, table, out, 0, 8);
}
#endif

void ash_rt_softmax_s8_mve(const ash_rt_rows_params *p, const int8_t *in,
                           const int32_t *table, int8_t *out) {
  for (int32_t r = 0; r < p->rows; r++) {
    ash_rt_softmax_row_mve(p->depth, in, table, out);
    in += p->depth;
    out += p->depth;
  }
}
