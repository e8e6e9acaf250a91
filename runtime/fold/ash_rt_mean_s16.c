/* ash_rt_mean_s16.c - average over any axes, int16. */
#include "ash_rt_folds.h"

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
