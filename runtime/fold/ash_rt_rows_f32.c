/* ash_rt_rows_f32.c - float32 along the last axis: softmax, its logarithm, rows
 * of length 1. */
#include "ash_rt_rows.h"

#include <math.h>

/* kernel softmax_f32 */
static void ash_rt_softmax_row_f32(const ash_rt_softmax_f32_params *p,
                                   const float *in, float *out) {
  float max = in[0];
  for (int32_t i = 1; i < p->depth; i++)
    max = in[i] > max ? in[i] : max;
  float sum = 0.0f;
  for (int32_t i = 0; i < p->depth; i++) {
    out[i] = expf((in[i] - max) * p->beta);
    sum += out[i];
  }
  for (int32_t i = 0; i < p->depth; i++)
    out[i] = out[i] / sum;
}

void ash_rt_softmax_f32(const ash_rt_softmax_f32_params *p, const float *in,
                        float *out) {
  for (int32_t r = 0; r < p->rows && p->depth > 0; r++) {
    ash_rt_softmax_row_f32(p, in, out);
    in += p->depth;
    out += p->depth;
  }
}

/* kernel log_softmax_f32 */
void ash_rt_log_softmax_f32(const ash_rt_rows_params *p, const float *in,
                            float *out) {
  for (int32_t r = 0; r < p->rows; r++) {
    float max = in[0], sum = 0.0f;
    for (int32_t i = 1; i < p->depth; i++)
      max = in[i] > max ? in[i] : max;
    for (int32_t i = 0; i < p->depth; i++)
      sum += expf(in[i] - max);
    const float log_sum = logf(sum);
    for (int32_t i = 0; i < p->depth; i++)
      out[i] = in[i] - max - log_sum;
    in += p->depth;
    out += p->depth;
  }
}

/* kernel l2_normalization_f32: rows divided by their length. */
void ash_rt_l2_normalization_f32(const ash_rt_rows_params *p, const float *in,
                                 float *out) {
  for (int32_t r = 0; r < p->rows; r++) {
    float sum = 0.0f;
    for (int32_t i = 0; i < p->depth; i++)
      sum += in[i] * in[i];
    const float root = sqrtf(sum);
    const float length = root > 1e-6f ? root : 1e-6f;
    for (int32_t i = 0; i < p->depth; i++)
      out[i] = in[i] / length;
    in += p->depth;
    out += p->depth;
  }
}
