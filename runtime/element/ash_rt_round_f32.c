/* ash_rt_round_f32.c - whole numbers below, above and nearest, float32. */
#include "ash_rt_maps.h"

#include <math.h>

/* Halves go to the even neighbour. */
static float ash_rt_to_even_f32(float x) {
  const float low = floorf(x), rest = x - low;
  if (rest < 0.5f || (rest == 0.5f && 2.0f * floorf(low * 0.5f) == low))
    return low;
  return low + 1.0f;
}

void ash_rt_floor_f32(const ash_rt_count_params *p, const float *in,
                      float *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = floorf(in[i]);
}

void ash_rt_ceil_f32(const ash_rt_count_params *p, const float *in,
                     float *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = ceilf(in[i]);
}

void ash_rt_round_even_f32(const ash_rt_count_params *p, const float *in,
                           float *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = ash_rt_to_even_f32(in[i]);
}
