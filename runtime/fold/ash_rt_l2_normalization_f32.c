/* ash_rt_l2_normalization_f32.c - rows divided by their length, float32. */
#include "ash_rt_rows.h"

#include <math.h>

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
