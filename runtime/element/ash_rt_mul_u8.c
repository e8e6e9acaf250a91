/* ash_rt_mul_u8.c - product of two uint8 tensors. */
#include "ash_rt_pairs.h"

static inline int32_t ash_rt_mul_one(const ash_rt_pairs_q8_params *p, int32_t x,
                                     int32_t y) {
  const int32_t product = (x + p->a_offset) * (y + p->b_offset);
  return ash_rt_finish(ash_rt_rescale(product, p->out_multiplier, p->out_shift),
                       p->out_offset, p->act_min, p->act_max);
}

void ash_rt_mul_u8(const ash_rt_pairs_q8_params *p, const uint8_t *a,
                   const uint8_t *b, uint8_t *out) {
  ASH_RT_PAIRS(&p->shape, uint8_t, a, b, out,
               (uint8_t)ash_rt_mul_one(p, *x, *y));
}
