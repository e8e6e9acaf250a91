/* ash_rt_log_softmax_f32.c - logarithm of softmax over the last axis, float32.
 */
#include "ash_rt_rows.h"

#include <math.h>

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
