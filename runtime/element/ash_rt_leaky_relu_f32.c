/* ash_rt_leaky_relu_f32.c - values up to 0 times a constant, float32. */
#include "ash_rt_maps.h"

void ash_rt_leaky_relu_f32(const ash_rt_leaky_relu_f32_params *p,
                           const float *in, float *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = in[i] > 0.0f ? in[i] : in[i] * p->alpha;
}
