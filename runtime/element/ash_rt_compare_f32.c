/* ash_rt_compare_f32.c - comparisons of float32 tensors. */
#include "ash_rt_compare.h"

static int32_t ash_rt_relation_f32(float x, float y) {
  return x < y    ? ASH_RT_LESS
         : x > y  ? ASH_RT_GREATER
         : x == y ? ASH_RT_EQUAL
                  : ASH_RT_UNORDERED;
}

void ash_rt_compare_f32(const ash_rt_compare_params *p, const float *a,
                        const float *b, uint8_t *out) {
  ASH_RT_PAIRS(&p->shape, float, a, b, out,
               (ash_rt_relation_f32(*x, *y) & p->holds) != 0);
}
