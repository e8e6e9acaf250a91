/* ash_rt_signs_f32.c - sizes, signs and squares, float32. */
#include "ash_rt_maps.h"

void ash_rt_abs_f32(const ash_rt_count_params *p, const float *in, float *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = in[i] < 0.0f ? -in[i] : in[i] + 0.0f;
}

void ash_rt_neg_f32(const ash_rt_count_params *p, const float *in, float *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = -in[i];
}

void ash_rt_sign_f32(const ash_rt_count_params *p, const float *in,
                     float *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = in[i] > 0.0f    ? 1.0f
             : in[i] < 0.0f  ? -1.0f
             : in[i] == 0.0f ? 0.0f
                             : in[i];
}

void ash_rt_square_f32(const ash_rt_count_params *p, const float *in,
                       float *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = in[i] * in[i];
}
