/* ash_rt_svdf_hybrid.c - filters with a memory, float data and int8 weights. */
#include "ash_rt_hybrid_row.h"
#include "ash_rt_state.h"

static float ash_rt_svdf_hybrid_activate(int32_t act, float x) {
  if (act == ASH_RT_ACT_NONE)
    return x;
  if (act == ASH_RT_ACT_RELU_N1_TO_1)
    return ash_rt_clamp_f32(x, -1.0f, 1.0f);
  x = x < 0 ? 0 : x;
  return act == ASH_RT_ACT_RELU6 && x > 6.0f ? 6.0f : x;
}

static float ash_rt_svdf_hybrid_unit(const ash_rt_svdf_hybrid_params *p,
                                     const int8_t *w, const float *row) {
  float sum = 0;
  for (int32_t k = 0; k < p->rank; k++) {
    float part = 0;
    for (int32_t m = 0; m < p->memory; m++)
      part += (float)*w++ * p->time_scale * *row++;
    sum += part;
  }
  return sum;
}

void ash_rt_svdf_hybrid(const ash_rt_svdf_hybrid_params *p, const float *in,
                        const int8_t *feature, const int8_t *time,
                        const float *bias, float *state, float *out,
                        void *work) {
  const int32_t each = p->rank * p->memory;
  for (int32_t b = 0; b < p->batches; b++, in += p->depth) {
    const ash_rt_hybrid_row r =
        ash_rt_hybrid_quantise(in, p->depth, p->asymmetric, work);
    float *first = state + (ptrdiff_t)b * p->filters * p->memory;
    float *row = first;
    for (int32_t f = 0; f < p->filters; f++, row += p->memory) {
      for (int32_t m = 1; m < p->memory; m++)
        row[m - 1] = row[m];
      row[p->memory - 1] = ash_rt_hybrid_dot(
          &r, feature + (ptrdiff_t)f * p->depth, p->depth, p->feature_scale);
    }
    for (int32_t u = 0; u < p->filters / p->rank; u++) {
      const float sum = ash_rt_svdf_hybrid_unit(p, time + (ptrdiff_t)u * each,
                                                first + (ptrdiff_t)u * each);
      *out++ = ash_rt_svdf_hybrid_activate(p->act, bias ? sum + bias[u] : sum);
    }
  }
}
