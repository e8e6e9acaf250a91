/* ash_rt_reduce_f32.c - products, largest and smallest values over any axes,
 * float32. */
#include "ash_rt_folds.h"

static float ash_rt_join_f32(int32_t function, float a, float b) {
  switch (function) {
  case ASH_RT_PROD:
    return a * b;
  case ASH_RT_MAX:
    return b > a ? b : a;
  default:
    return b < a ? b : a;
  }
}

/* The first element stands for itself. */
void ash_rt_reduce_f32(const ash_rt_reduce_params *p, const float *in,
                       float *out) {
  const ash_rt_mean_axes *x = &p->axes;
  ASH_RT_AXES(x->keep_dim, x->keep_step, at, {
    float y = p->function == ASH_RT_PROD ? 1.0f : in[at];
    ASH_RT_AXES(x->fold_dim, x->fold_step, k,
                { y = ash_rt_join_f32(p->function, y, in[at + k]); })
    *out++ = y;
  })
}
