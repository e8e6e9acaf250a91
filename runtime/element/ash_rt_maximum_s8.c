/* ash_rt_maximum_s8.c - the larger of two int8 values of one scale. */
#include "ash_rt_pairs.h"

void ash_rt_maximum_s8(const ash_rt_pairs_params *p, const int8_t *a,
                       const int8_t *b, int8_t *out) {
  ASH_RT_PAIRS(&p->shape, int8_t, a, b, out, *x > *y ? *x : *y);
}
