/* ash_rt_mean_u8.c - average over any axes, uint8. */
#include "ash_rt_folds.h"

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
