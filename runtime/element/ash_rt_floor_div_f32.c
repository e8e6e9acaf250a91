/* ash_rt_floor_div_f32.c - quotient rounded down, float32. */
#include "ash_rt_pairs.h"

#include <math.h>

void ash_rt_floor_div_f32(const ash_rt_pairs_params *p, const float *a,
                          const float *b, float *out) {
  ASH_RT_PAIRS(&p->shape, float, a, b, out, floorf(*x / *y));
}
