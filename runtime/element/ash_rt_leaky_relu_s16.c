/* ash_rt_leaky_relu_s16.c - a slope below zero, int16. */
#include "ash_rt_maps.h"

void ash_rt_leaky_relu_s16(const ash_rt_leaky_relu_s16_params *p,
                           const int16_t *in, int16_t *out) {
  for (int32_t i = 0; i < p->count; i++) {
    const int below = in[i] < 0;
    const int32_t y =
        ash_rt_rescale(in[i], below ? p->below_multiplier : p->multiplier,
                       below ? p->below_shift : p->shift);
    out[i] = (int16_t)ash_rt_clamp(below && p->turned ? -y : y, -32768, 32767);
  }
}
