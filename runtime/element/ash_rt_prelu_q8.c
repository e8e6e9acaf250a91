/* ash_rt_prelu_q8.c - 8-bit values below 0 times a slope. */
#include "ash_rt_pairs.h"

static inline int32_t ash_rt_prelu_one(const ash_rt_pairs_q8_params *p,
                                       int32_t x, int32_t y) {
  const int32_t a = x + p->a_offset;
  const int32_t r = a >= 0 ? ash_rt_rescale(a, p->out_multiplier, p->out_shift)
                           : ash_rt_rescale(a * (y + p->b_offset),
                                            p->b_multiplier, p->b_shift);
  return ash_rt_finish(r, p->out_offset, p->act_min, p->act_max);
}

void ash_rt_prelu_s8(const ash_rt_pairs_q8_params *p, const int8_t *a,
                     const int8_t *b, int8_t *out) {
  ASH_RT_PAIRS(&p->shape, int8_t, a, b, out,
               (int8_t)ash_rt_prelu_one(p, *x, *y));
}

void ash_rt_prelu_u8(const ash_rt_pairs_q8_params *p, const uint8_t *a,
                     const uint8_t *b, uint8_t *out) {
  ASH_RT_PAIRS(&p->shape, uint8_t, a, b, out,
               (uint8_t)ash_rt_prelu_one(p, *x, *y));
}
