/* ash_rt_maps_f32.c - functions of one float32 value that need no library. */
#include "ash_rt_maps.h"

/* kernel relu_f32: clamping. */
void ash_rt_relu_f32(const ash_rt_clamp_f32_params *p, const float *in,
                     float *out) {
  for (int32_t i = 0; i < p->count; i++) {
    const float x = in[i] < p->low ? p->low : in[i];
    out[i] = p->bounded && x > p->high ? p->high : x;
  }
}

/* kernel leaky_relu_f32: values up to 0 times a constant. */
void ash_rt_leaky_relu_f32(const ash_rt_leaky_relu_f32_params *p,
                           const float *in, float *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = in[i] > 0.0f ? in[i] : in[i] * p->alpha;
}

/* kernel hard_swish_f32: x * relu6(x + 3) / 6. */
void ash_rt_hard_swish_f32(const ash_rt_count_params *p, const float *in,
                           float *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = in[i] * ash_rt_clamp_f32(in[i] + 3.0f, 0.0f, 6.0f) / 6.0f;
}

/* kernel abs_f32 */
void ash_rt_abs_f32(const ash_rt_count_params *p, const float *in, float *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = in[i] < 0.0f ? -in[i] : in[i] + 0.0f;
}

/* kernel neg_f32 */
void ash_rt_neg_f32(const ash_rt_count_params *p, const float *in, float *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = -in[i];
}

/* kernel sign_f32 */
void ash_rt_sign_f32(const ash_rt_count_params *p, const float *in,
                     float *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = in[i] > 0.0f    ? 1.0f
             : in[i] < 0.0f  ? -1.0f
             : in[i] == 0.0f ? 0.0f
                             : in[i];
}

/* kernel square_f32 */
void ash_rt_square_f32(const ash_rt_count_params *p, const float *in,
                       float *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = in[i] * in[i];
}
