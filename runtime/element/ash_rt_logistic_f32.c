/* ash_rt_logistic_f32.c - 1 / (1 + exp(-x)), float32. */
#include "ash_rt_maps.h"

#include <math.h>

void ash_rt_logistic_f32(const ash_rt_count_params *p, const float *in,
                         float *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = 1.0f / (1.0f + expf(-in[i]));
}
