/* ash_rt_max_pool_2d_s8_cmsis.c - maximum over windows, int8, by
 * CMSIS-NN. */
#include "ash_rt_cmsis.h"

void ash_rt_max_pool_2d_s8_cmsis(const ash_rt_pool_2d_s8_params *p,
                                 const int8_t *in, int8_t *out, void *scratch) {
  const ash_rt_window *w = &p->window;
  const cmsis_nn_context context = ash_rt_context_cmsis(scratch);
  const cmsis_nn_pool_params params = {
      ash_rt_tile_cmsis(w->stride_w, w->stride_h),
      ash_rt_tile_cmsis(w->pad_left, w->pad_top),
      ash_rt_range_cmsis(p->act_min, p->act_max)};
  const cmsis_nn_dims from = ash_rt_in_cmsis(w), to = ash_rt_out_cmsis(w);
  const cmsis_nn_dims box = ash_rt_dims_cmsis(1, w->filter_h, w->filter_w, 1);
  (void)arm_max_pool_s8(&context, &params, &from, in, &box, &to, out);
}
