/* ash_rt_gelu_f32.c - Gaussian error linear units, float32: exact, and by
 * way of tanh. */
#include "ash_rt_maps.h"

#include <math.h>

static float ash_rt_gelu_argument(float x) {
  return 0.79788456080286535588f * (x + 0.044715f * x * x * x);
}

void ash_rt_gelu_f32(const ash_rt_count_params *p, const float *in,
                     float *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = 0.5f * in[i] * erfcf(in[i] * -0.70710678118654752440f);
}

void ash_rt_gelu_tanh_f32(const ash_rt_count_params *p, const float *in,
                          float *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = 0.5f * in[i] * (1.0f + tanhf(ash_rt_gelu_argument(in[i])));
}
