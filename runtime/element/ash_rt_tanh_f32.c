/* ash_rt_tanh_f32.c - hyperbolic tangent, float32. */
#include "ash_rt_maps.h"

#include <math.h>

void ash_rt_tanh_f32(const ash_rt_count_params *p, const float *in,
                     float *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = tanhf(in[i]);
}
