/* ash_rt_fully_connected_f32.c - matrix times vectors, float32. Four outputs at
 * once, each summed in the order of its inputs, the bias last. */
#include "ash_rt_layers_f32.h"

static float ash_rt_fc_finish_f32(const ash_rt_fully_connected_f32_params *p,
                                  float sum, const float *bias, int32_t c) {
  return ash_rt_clamp_f32(bias ? sum + bias[c] : sum, p->act_min, p->act_max);
}

static void ash_rt_fc_row_f32(const ash_rt_fully_connected_f32_params *p,
                              const float *in, const float *filter,
                              const float *bias, float *out) {
  const ptrdiff_t n = p->in_c;
  int32_t c = 0;
  for (; c + 4 <= p->out_c; c += 4, filter += 4 * n) {
    float s0 = 0.0f, s1 = 0.0f, s2 = 0.0f, s3 = 0.0f;
    for (ptrdiff_t i = 0; i < n; i++) {
      s0 += in[i] * filter[i];
      s1 += in[i] * filter[i + n];
      s2 += in[i] * filter[i + 2 * n];
      s3 += in[i] * filter[i + 3 * n];
    }
    out[c] = ash_rt_fc_finish_f32(p, s0, bias, c);
    out[c + 1] = ash_rt_fc_finish_f32(p, s1, bias, c + 1);
    out[c + 2] = ash_rt_fc_finish_f32(p, s2, bias, c + 2);
    out[c + 3] = ash_rt_fc_finish_f32(p, s3, bias, c + 3);
  }
  for (; c < p->out_c; c++, filter += n) {
    float sum = 0.0f;
    for (ptrdiff_t i = 0; i < n; i++)
      sum += in[i] * filter[i];
    out[c] = ash_rt_fc_finish_f32(p, sum, bias, c);
  }
}

void ash_rt_fully_connected_f32(const ash_rt_fully_connected_f32_params *p,
                                const float *in, const float *filter,
                                const float *bias, float *out) {
  for (int32_t b = 0; b < p->batches; b++) {
    ash_rt_fc_row_f32(p, in, filter, bias, out);
    in += p->in_c;
    out += p->out_c;
  }
}
