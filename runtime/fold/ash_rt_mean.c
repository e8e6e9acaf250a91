/* ash_rt_mean.c - average over any axes. */
#include "ash_rt_folds.h"

/* kernel mean_s8 */
static int32_t ash_rt_mean_sum_s8(const ash_rt_mean_axes *x, const int8_t *in) {
  uint32_t sum = 0;
  for (int32_t i = 0; i < x->fold_dim[0]; i++)
    for (int32_t j = 0; j < x->fold_dim[1]; j++)
      for (int32_t k = 0; k < x->fold_dim[2]; k++) {
        const int8_t *from = in + (ptrdiff_t)i * x->fold_step[0] +
                             (ptrdiff_t)j * x->fold_step[1] +
                             (ptrdiff_t)k * x->fold_step[2];
        for (int32_t l = 0; l < x->fold_dim[3]; l++, from += x->fold_step[3]) {
          const int32_t v = *from;
          sum += (uint32_t)v;
        }
      }
  return (int32_t)sum;
}

static int8_t ash_rt_mean_finish(const ash_rt_mean_s8_params *p, int32_t sum) {
  const int32_t shifted = (int32_t)((uint32_t)sum + (uint32_t)p->sum_offset);
  const int32_t y = ash_rt_rescale(shifted, p->multiplier, p->shift);
  return (int8_t)ash_rt_finish(y, p->out_offset, -128, 127);
}

void ash_rt_mean_s8(const ash_rt_mean_s8_params *p, const int8_t *in,
                    int8_t *out) {
  const ash_rt_mean_axes *x = &p->axes;
  for (int32_t i = 0; i < x->keep_dim[0]; i++)
    for (int32_t j = 0; j < x->keep_dim[1]; j++)
      for (int32_t k = 0; k < x->keep_dim[2]; k++) {
        const int8_t *from = in + (ptrdiff_t)i * x->keep_step[0] +
                             (ptrdiff_t)j * x->keep_step[1] +
                             (ptrdiff_t)k * x->keep_step[2];
        for (int32_t l = 0; l < x->keep_dim[3]; l++, from += x->keep_step[3])
          *out++ = ash_rt_mean_finish(p, ash_rt_mean_sum_s8(x, from));
      }
}

/* kernel mean_u8 */
void ash_rt_mean_u8(const ash_rt_mean_s8_params *p, const uint8_t *in,
                    uint8_t *out) {
  const ash_rt_mean_axes *x = &p->axes;
  ASH_RT_AXES(x->keep_dim, x->keep_step, at, {
    uint32_t sum = (uint32_t)p->sum_offset;
    ASH_RT_AXES(x->fold_dim, x->fold_step, k, sum += in[at + k];)
    *out++ = (uint8_t)ash_rt_finish(
        ash_rt_rescale((int32_t)sum, p->multiplier, p->shift), p->out_offset, 0,
        255);
  })
}

/* kernel mean_s16 */
void ash_rt_mean_s16(const ash_rt_mean_s8_params *p, const int16_t *in,
                     int16_t *out) {
  const ash_rt_mean_axes *x = &p->axes;
  ASH_RT_AXES(x->keep_dim, x->keep_step, at, {
    uint32_t sum = (uint32_t)p->sum_offset;
    ASH_RT_AXES(x->fold_dim, x->fold_step, k, {
      const int32_t v = in[at + k];
      sum += (uint32_t)v;
    })
    *out++ = (int16_t)ash_rt_finish(
        ash_rt_rescale((int32_t)sum, p->multiplier, p->shift), p->out_offset,
        -32768, 32767);
  })
}

/* kernel mean_f32 */
static float ash_rt_mean_sum_f32(const ash_rt_mean_axes *x, const float *in) {
  float sum = 0.0f;
  for (int32_t i = 0; i < x->fold_dim[0]; i++)
    for (int32_t j = 0; j < x->fold_dim[1]; j++)
      for (int32_t k = 0; k < x->fold_dim[2]; k++) {
        const float *from = in + (ptrdiff_t)i * x->fold_step[0] +
                            (ptrdiff_t)j * x->fold_step[1] +
                            (ptrdiff_t)k * x->fold_step[2];
        for (int32_t l = 0; l < x->fold_dim[3]; l++, from += x->fold_step[3])
          sum += *from;
      }
  return sum;
}

void ash_rt_mean_f32(const ash_rt_mean_f32_params *p, const float *in,
                     float *out) {
  const ash_rt_mean_axes *x = &p->axes;
  for (int32_t i = 0; i < x->keep_dim[0]; i++)
    for (int32_t j = 0; j < x->keep_dim[1]; j++)
      for (int32_t k = 0; k < x->keep_dim[2]; k++) {
        const float *from = in + (ptrdiff_t)i * x->keep_step[0] +
                            (ptrdiff_t)j * x->keep_step[1] +
                            (ptrdiff_t)k * x->keep_step[2];
        for (int32_t l = 0; l < x->keep_dim[3]; l++, from += x->keep_step[3])
          *out++ = ash_rt_mean_sum_f32(x, from) / (float)p->count;
      }
}
