/* ash_rt_svdf.c - filters with a memory of their last answers. */
#include "ash_rt_state.h"

/* kernels svdf_f32, svdf_hybrid */
static float ash_rt_svdf_activate(int32_t act, float x) {
  if (act == ASH_RT_ACT_NONE)
    return x;
  if (act == ASH_RT_ACT_RELU_N1_TO_1)
    return ash_rt_clamp_f32(x, -1.0f, 1.0f);
  x = x < 0 ? 0 : x;
  return act == ASH_RT_ACT_RELU6 && x > 6.0f ? 6.0f : x;
}

/* Moves the memory of one filter on. */
static void ash_rt_svdf_push_f32(float *row, int32_t memory, float value) {
  for (int32_t m = 1; m < memory; m++)
    row[m - 1] = row[m];
  row[memory - 1] = value;
}

/* kernel svdf_f32 */
void ash_rt_svdf_f32(const ash_rt_svdf_params *p, const float *in,
                     const float *feature, const float *time, const float *bias,
                     float *state, float *out) {
  const int32_t units = p->filters / p->rank;
  for (int32_t b = 0; b < p->batches; b++, in += p->depth) {
    float *row = state + (ptrdiff_t)b * p->filters * p->memory;
    for (int32_t f = 0; f < p->filters; f++, row += p->memory) {
      const float *w = feature + (ptrdiff_t)f * p->depth;
      float sum = 0;
      for (int32_t i = 0; i < p->depth; i++)
        sum += w[i] * in[i];
      ash_rt_svdf_push_f32(row, p->memory, sum);
    }
    row = state + (ptrdiff_t)b * p->filters * p->memory;
    const float *w = time;
    for (int32_t u = 0; u < units; u++) {
      float sum = 0;
      for (int32_t k = 0; k < p->rank; k++) {
        float part = 0;
        for (int32_t m = 0; m < p->memory; m++)
          part += *w++ * *row++;
        sum += part;
      }
      *out++ = ash_rt_svdf_activate(p->act, bias ? sum + bias[u] : sum);
    }
  }
}

/* kernel svdf_s8 */
#include "ash_rt_sums.h"

static void ash_rt_svdf_push(const ash_rt_svdf_params *p, void *state,
                             ptrdiff_t first, int32_t value) {
  if (p->narrow_state) {
    int8_t *row = (int8_t *)state + first;
    for (int32_t m = 1; m < p->memory; m++)
      row[m - 1] = row[m];
    row[p->memory - 1] = (int8_t)ash_rt_clamp(value, -128, 127);
  } else {
    int16_t *row = (int16_t *)state + first;
    for (int32_t m = 1; m < p->memory; m++)
      row[m - 1] = row[m];
    row[p->memory - 1] = (int16_t)ash_rt_clamp(value, -32768, 32767);
  }
}

void ash_rt_svdf_s8(const ash_rt_svdf_params *p, const int8_t *in,
                    const int8_t *feature, const void *time,
                    const int32_t *bias, void *state, int8_t *out) {
  const int32_t type = p->narrow_state ? 0 : 1;
  const int32_t units = p->filters / p->rank;
  const int32_t each = p->rank * p->memory;
  for (int32_t b = 0; b < p->batches; b++, in += p->depth) {
    const ptrdiff_t first = (ptrdiff_t)b * p->filters * p->memory;
    for (int32_t f = 0; f < p->filters; f++) {
      const uint32_t sum = ash_rt_dot_s8(in, feature + (ptrdiff_t)f * p->depth,
                                         p->depth, p->in_offset);
      ash_rt_svdf_push(
          p, state, first + (ptrdiff_t)f * p->memory,
          ash_rt_rescale((int32_t)sum, p->in_multiplier, p->in_shift));
    }
    for (int32_t u = 0; u < units; u++) {
      const ptrdiff_t w = (ptrdiff_t)u * each;
      uint32_t sum = bias ? (uint32_t)bias[u] : 0;
      for (int32_t i = 0; i < each; i++)
        sum += (uint32_t)(type ? ((const int16_t *)time)[w + i] *
                                     ((const int16_t *)state)[first + w + i]
                               : ((const int8_t *)time)[w + i] *
                                     ((const int8_t *)state)[first + w + i]);
      *out++ = (int8_t)ash_rt_finish(
          ash_rt_rescale((int32_t)sum, p->out_multiplier, p->out_shift),
          p->out_offset, -128, 127);
    }
  }
}

/* kernel svdf_hybrid: float data and int8 weights. */
#include "ash_rt_hybrid_row.h"

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
    for (int32_t f = 0; f < p->filters; f++, row += p->memory)
      ash_rt_svdf_push_f32(row, p->memory,
                           ash_rt_hybrid_dot(&r,
                                             feature + (ptrdiff_t)f * p->depth,
                                             p->depth, p->feature_scale));
    for (int32_t u = 0; u < p->filters / p->rank; u++) {
      const float sum = ash_rt_svdf_hybrid_unit(p, time + (ptrdiff_t)u * each,
                                                first + (ptrdiff_t)u * each);
      *out++ = ash_rt_svdf_activate(p->act, bias ? sum + bias[u] : sum);
    }
  }
}
