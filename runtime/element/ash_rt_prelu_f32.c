/* ash_rt_prelu_f32.c - values below 0 times a slope, float32. */
#include "ash_rt_pairs.h"

void ash_rt_prelu_f32(const ash_rt_pairs_params *p, const float *a,
                      const float *b, float *out) {
  ASH_RT_PAIRS(&p->shape, float, a, b, out, *x >= 0.0f ? *x : *x * *y);
}
