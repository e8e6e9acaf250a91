/* ash_rt_relu_f32.c - clamping, float32. */
#include "ash_rt_maps.h"

void ash_rt_relu_f32(const ash_rt_clamp_f32_params *p, const float *in,
                     float *out) {
  for (int32_t i = 0; i < p->count; i++) {
    const float x = in[i] < p->low ? p->low : in[i];
    out[i] = p->bounded && x > p->high ? p->high : x;
  }
}
