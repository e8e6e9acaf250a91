/* ash_rt_conv_2d_s8_cmsis.c - convolution, int8, by CMSIS-NN. */
#include "ash_rt_cmsis.h"

void ash_rt_conv_2d_s8_cmsis(const ash_rt_conv_2d_s8_params *p,
                             const int8_t *in, const int8_t *filter,
                             const int32_t *bias, const int32_t *multiplier,
                             const int32_t *shift, int8_t *out, void *scratch) {
  const ash_rt_window *w = &p->window;
  const cmsis_nn_context context = ash_rt_context_cmsis(scratch);
  const cmsis_nn_conv_params params = {
      p->in_offset,
      p->out_offset,
      ash_rt_tile_cmsis(w->stride_w, w->stride_h),
      ash_rt_tile_cmsis(w->pad_left, w->pad_top),
      ash_rt_tile_cmsis(w->dilation_w, w->dilation_h),
      ash_rt_range_cmsis(p->act_min, p->act_max)};
  const cmsis_nn_per_channel_quant_params scale = {
      ash_rt_plain_cmsis(multiplier), ash_rt_plain_cmsis(shift)};
  const cmsis_nn_dims from = ash_rt_in_cmsis(w), to = ash_rt_out_cmsis(w);
  const cmsis_nn_dims weights =
      ash_rt_dims_cmsis(w->out_c, w->filter_h, w->filter_w, w->in_c);
  const cmsis_nn_dims biases = ash_rt_dims_cmsis(1, 1, 1, w->out_c);
  (void)arm_convolve_wrapper_s8(&context, &params, &scale, &from, in, &weights,
                                filter, &biases, bias, &to, out);
}
