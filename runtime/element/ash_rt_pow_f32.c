/* ash_rt_pow_f32.c - powers, float32. */
#include "ash_rt_pairs.h"

#include <math.h>

void ash_rt_pow_f32(const ash_rt_pairs_params *p, const float *a,
                    const float *b, float *out) {
  ASH_RT_PAIRS(&p->shape, float, a, b, out, powf(*x, *y));
}
