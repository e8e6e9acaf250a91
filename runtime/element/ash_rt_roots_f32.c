/* ash_rt_roots_f32.c - square roots and their inverses, float32. */
#include "ash_rt_maps.h"

#include <math.h>

void ash_rt_sqrt_f32(const ash_rt_count_params *p, const float *in,
                     float *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = sqrtf(in[i]);
}

void ash_rt_rsqrt_f32(const ash_rt_count_params *p, const float *in,
                      float *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = 1.0f / sqrtf(in[i]);
}
