/* ash_rt_hard_swish_f32.c - x * relu6(x + 3) / 6, float32. */
#include "ash_rt_maps.h"

void ash_rt_hard_swish_f32(const ash_rt_count_params *p, const float *in,
                           float *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = in[i] * ash_rt_clamp_f32(in[i] + 3.0f, 0.0f, 6.0f) / 6.0f;
}
