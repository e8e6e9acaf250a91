/* ash_rt_exp_f32.c - exponentials and logarithms, float32. */
#include "ash_rt_maps.h"

#include <math.h>

void ash_rt_exp_f32(const ash_rt_count_params *p, const float *in, float *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = expf(in[i]);
}

void ash_rt_log_f32(const ash_rt_count_params *p, const float *in, float *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = logf(in[i]);
}

void ash_rt_elu_f32(const ash_rt_count_params *p, const float *in, float *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = in[i] < 0.0f ? expm1f(in[i]) : in[i];
}
