/* ash_rt_mean_f32.c - average over any axes, float32. */
#include "ash_rt_folds.h"

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
