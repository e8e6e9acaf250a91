/* ash_rt_map_s16.c - sizes and square roots, int16. */
#include "ash_rt_maps.h"

#include <math.h>

void ash_rt_abs_s16(const ash_rt_abs_s16_params *p, const int16_t *in,
                    int16_t *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = (int16_t)ash_rt_clamp(
        ash_rt_rescale(in[i] < 0 ? -in[i] : in[i], p->multiplier, p->shift),
        -32768, 32767);
}

/* Cut off, not rounded; what has no root counts as zero. */
void ash_rt_sqrt_s16(const ash_rt_sqrt_s16_params *p, const int16_t *in,
                     int16_t *out) {
  for (int32_t i = 0; i < p->count; i++) {
    const float x = p->in_scale * (float)(in[i] < 0 ? 0 : in[i]);
    const float steps = sqrtf(x) / p->out_scale;
    out[i] = (int16_t)(steps < 32767.0f ? (int32_t)steps : 32767);
  }
}
