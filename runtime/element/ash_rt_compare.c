/* ash_rt_compare.c - comparisons of quantised values. */
#include "ash_rt_compare.h"

/* kernel compare_q8: 8-bit tensors that may differ in scale. */
static int32_t ash_rt_relation_q8(const ash_rt_compare_q8_params *p, int32_t x,
                                  int32_t y) {
  const int32_t a =
      ash_rt_rescale((x + p->a_offset) * (1 << 8), p->a_multiplier, p->a_shift);
  const int32_t b =
      ash_rt_rescale((y + p->b_offset) * (1 << 8), p->b_multiplier, p->b_shift);
  return a < b ? ASH_RT_LESS : a > b ? ASH_RT_GREATER : ASH_RT_EQUAL;
}

void ash_rt_compare_q8(const ash_rt_compare_q8_params *p, const void *a,
                       const void *b, uint8_t *out) {
  ASH_RT_PAIRS_ANY(&p->shape, p->type, a, b, {
    *out++ = (ash_rt_relation_q8(p, (int32_t)x, (int32_t)y) & p->holds) != 0;
  });
}
