/* ash_rt_softmax_f32.c - softmax over the last axis, float32. */
#include "ash_rt_rows.h"

#include <math.h>

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
