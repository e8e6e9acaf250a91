/* ash_rt_maximum_f32.c - the larger of two, float32. */
#include "ash_rt_pairs.h"

void ash_rt_maximum_f32(const ash_rt_pairs_params *p, const float *a,
                        const float *b, float *out) {
  ASH_RT_PAIRS(&p->shape, float, a, b, out, *x > *y ? *x : *y);
}
