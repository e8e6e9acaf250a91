/* ash_rt_curves_f32.c - functions of one float32 value by those of the C
 * library. */
#include "ash_rt_maps.h"

#include <math.h>

/* kernel sqrt_f32 */
void ash_rt_sqrt_f32(const ash_rt_count_params *p, const float *in,
                     float *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = sqrtf(in[i]);
}

/* kernel rsqrt_f32 */
void ash_rt_rsqrt_f32(const ash_rt_count_params *p, const float *in,
                      float *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = 1.0f / sqrtf(in[i]);
}

/* kernel exp_f32 */
void ash_rt_exp_f32(const ash_rt_count_params *p, const float *in, float *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = expf(in[i]);
}

/* kernel log_f32 */
void ash_rt_log_f32(const ash_rt_count_params *p, const float *in, float *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = logf(in[i]);
}

/* kernel elu_f32 */
void ash_rt_elu_f32(const ash_rt_count_params *p, const float *in, float *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = in[i] < 0.0f ? expm1f(in[i]) : in[i];
}

/* kernel sin_f32 */
void ash_rt_sin_f32(const ash_rt_count_params *p, const float *in, float *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = sinf(in[i]);
}

/* kernel cos_f32 */
void ash_rt_cos_f32(const ash_rt_count_params *p, const float *in, float *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = cosf(in[i]);
}

/* kernel tanh_f32 */
void ash_rt_tanh_f32(const ash_rt_count_params *p, const float *in,
                     float *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = tanhf(in[i]);
}

/* kernel logistic_f32: 1 / (1 + exp(-x)). */
void ash_rt_logistic_f32(const ash_rt_count_params *p, const float *in,
                         float *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = 1.0f / (1.0f + expf(-in[i]));
}

/* kernel gelu_f32: Gaussian error linear units. */
void ash_rt_gelu_f32(const ash_rt_count_params *p, const float *in,
                     float *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = 0.5f * in[i] * erfcf(in[i] * -0.70710678118654752440f);
}

/* kernel gelu_tanh_f32: the same by way of tanh. */
static float ash_rt_gelu_argument(float x) {
  return 0.79788456080286535588f * (x + 0.044715f * x * x * x);
}

void ash_rt_gelu_tanh_f32(const ash_rt_count_params *p, const float *in,
                          float *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = 0.5f * in[i] * (1.0f + tanhf(ash_rt_gelu_argument(in[i])));
}

/* kernel floor_f32 */
void ash_rt_floor_f32(const ash_rt_count_params *p, const float *in,
                      float *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = floorf(in[i]);
}

/* kernel ceil_f32 */
void ash_rt_ceil_f32(const ash_rt_count_params *p, const float *in,
                     float *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = ceilf(in[i]);
}

/* kernel round_even_f32 */

/* Halves go to the even neighbour. */
static float ash_rt_to_even_f32(float x) {
  const float low = floorf(x), rest = x - low;
  if (rest < 0.5f || (rest == 0.5f && 2.0f * floorf(low * 0.5f) == low))
    return low;
  return low + 1.0f;
}

void ash_rt_round_even_f32(const ash_rt_count_params *p, const float *in,
                           float *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = ash_rt_to_even_f32(in[i]);
}
