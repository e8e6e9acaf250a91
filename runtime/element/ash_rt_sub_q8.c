/* ash_rt_sub_q8.c - difference of two 8-bit tensors of different
 * scales. Both are brought to one scale with 20 more bits first. */
#include "ash_rt_pairs.h"

static inline int32_t ash_rt_sub_one(const ash_rt_pairs_q8_params *p, int32_t x,
                                     int32_t y) {
  const int32_t a = ash_rt_rescale((x + p->a_offset) * (1 << 20),
                                   p->a_multiplier, p->a_shift);
  const int32_t b = ash_rt_rescale((y + p->b_offset) * (1 << 20),
                                   p->b_multiplier, p->b_shift);
  return ash_rt_finish(ash_rt_rescale(a - b, p->out_multiplier, p->out_shift),
                       p->out_offset, p->act_min, p->act_max);
}

void ash_rt_sub_s8(const ash_rt_pairs_q8_params *p, const int8_t *a,
                   const int8_t *b, int8_t *out) {
  ASH_RT_PAIRS(&p->shape, int8_t, a, b, out, (int8_t)ash_rt_sub_one(p, *x, *y));
}

void ash_rt_sub_u8(const ash_rt_pairs_q8_params *p, const uint8_t *a,
                   const uint8_t *b, uint8_t *out) {
  ASH_RT_PAIRS(&p->shape, uint8_t, a, b, out,
               (uint8_t)ash_rt_sub_one(p, *x, *y));
}
