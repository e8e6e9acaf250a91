/* ash_rt_angles_f32.c - sine and cosine, float32. */
#include "ash_rt_maps.h"

#include <math.h>

void ash_rt_sin_f32(const ash_rt_count_params *p, const float *in, float *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = sinf(in[i]);
}

void ash_rt_cos_f32(const ash_rt_count_params *p, const float *in, float *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = cosf(in[i]);
}
