/* ash_rt_squared_difference_s8.c - square of a difference of two int8
 * tensors, brought to one scale with 7 more bits first. */
#include "ash_rt_pairs.h"

static inline int32_t
ash_rt_squared_difference_one(const ash_rt_pairs_q8_params *p, int32_t x,
                              int32_t y) {
  const int32_t a =
      ash_rt_rescale((x + p->a_offset) * (1 << 7), p->a_multiplier, p->a_shift);
  const int32_t b =
      ash_rt_rescale((y + p->b_offset) * (1 << 7), p->b_multiplier, p->b_shift);
  return ash_rt_finish(
      ash_rt_rescale((a - b) * (a - b), p->out_multiplier, p->out_shift),
      p->out_offset, p->act_min, p->act_max);
}

void ash_rt_squared_difference_s8(const ash_rt_pairs_q8_params *p,
                                  const int8_t *a, const int8_t *b,
                                  int8_t *out) {
  ASH_RT_PAIRS(&p->shape, int8_t, a, b, out,
               (int8_t)ash_rt_squared_difference_one(p, *x, *y));
}
