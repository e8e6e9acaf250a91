/* ash_rt_cmsis.c - int8 layers by CMSIS-NN. */
#include "ash_rt_cmsis.h"

/* kernel conv_2d_s8_cmsis */
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

/* kernel depthwise_conv_2d_s8_cmsis */
void ash_rt_depthwise_conv_2d_s8_cmsis(
    const ash_rt_depthwise_conv_2d_s8_params *p, const int8_t *in,
    const int8_t *filter, const int32_t *bias, const int32_t *multiplier,
    const int32_t *shift, int8_t *out, void *scratch) {
  const ash_rt_window *w = &p->window;
  const cmsis_nn_context context = ash_rt_context_cmsis(scratch);
  const cmsis_nn_dw_conv_params params = {
      p->in_offset,
      p->out_offset,
      w->out_c / w->in_c,
      ash_rt_tile_cmsis(w->stride_w, w->stride_h),
      ash_rt_tile_cmsis(w->pad_left, w->pad_top),
      ash_rt_tile_cmsis(w->dilation_w, w->dilation_h),
      ash_rt_range_cmsis(p->act_min, p->act_max)};
  const cmsis_nn_per_channel_quant_params scale = {
      ash_rt_plain_cmsis(multiplier), ash_rt_plain_cmsis(shift)};
  const cmsis_nn_dims from = ash_rt_in_cmsis(w), to = ash_rt_out_cmsis(w);
  const cmsis_nn_dims weights =
      ash_rt_dims_cmsis(1, w->filter_h, w->filter_w, w->out_c);
  const cmsis_nn_dims biases = ash_rt_dims_cmsis(1, 1, 1, w->out_c);
  (void)arm_depthwise_conv_wrapper_s8(&context, &params, &scale, &from, in,
                                      &weights, filter, &biases, bias, &to,
                                      out);
}

/* kernel fully_connected_s8_cmsis: on Helium the library wants sums of weights
 * in its buffer, which the compiler has prepared: bias and what the input's
 * zero point adds. */
void ash_rt_fully_connected_s8_cmsis(const ash_rt_dense_cmsis_params *p,
                                     const int8_t *in, const int8_t *filter,
                                     const int32_t *bias, const int32_t *folded,
                                     int8_t *out) {
  const cmsis_nn_context context =
      ash_rt_context_cmsis(ash_rt_plain_cmsis(folded));
  const cmsis_nn_fc_params params = {
      p->in_offset, 0, p->out_offset,
      ash_rt_range_cmsis(p->act_min, p->act_max)};
  const cmsis_nn_per_tensor_quant_params scale = {p->multiplier, p->shift};
  const cmsis_nn_dims from = ash_rt_dims_cmsis(p->batches, 1, 1, p->in_c);
  const cmsis_nn_dims weights = ash_rt_dims_cmsis(p->in_c, 1, 1, p->out_c);
  const cmsis_nn_dims biases = ash_rt_dims_cmsis(1, 1, 1, p->out_c);
  const cmsis_nn_dims to = ash_rt_dims_cmsis(p->batches, 1, 1, p->out_c);
  (void)arm_fully_connected_s8(&context, &params, &scale, &from, in, &weights,
                               filter, &biases, bias, &to, out);
}

/* kernel average_pool_2d_s8_cmsis */
void ash_rt_average_pool_2d_s8_cmsis(const ash_rt_pool_2d_s8_params *p,
                                     const int8_t *in, int8_t *out,
                                     void *scratch) {
  const ash_rt_window *w = &p->window;
  const cmsis_nn_context context = ash_rt_context_cmsis(scratch);
  const cmsis_nn_pool_params params = {
      ash_rt_tile_cmsis(w->stride_w, w->stride_h),
      ash_rt_tile_cmsis(w->pad_left, w->pad_top),
      ash_rt_range_cmsis(p->act_min, p->act_max)};
  const cmsis_nn_dims from = ash_rt_in_cmsis(w), to = ash_rt_out_cmsis(w);
  const cmsis_nn_dims box = ash_rt_dims_cmsis(1, w->filter_h, w->filter_w, 1);
  (void)arm_avgpool_s8(&context, &params, &from, in, &box, &to, out);
}

/* kernel max_pool_2d_s8_cmsis */
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

/* kernel add_s8_cmsis: of one shape. */
void ash_rt_add_s8_cmsis(const ash_rt_add_s8_params *p, const int8_t *a,
                         const int8_t *b, int8_t *out) {
  const int32_t count = ash_rt_count_of(&p->shape);
  (void)arm_elementwise_add_s8(a, b, p->a_offset, p->a_multiplier, p->a_shift,
                               p->b_offset, p->b_multiplier, p->b_shift, 20,
                               out, p->out_offset, p->out_multiplier,
                               p->out_shift, p->act_min, p->act_max, count);
}

/* kernel mul_s8_cmsis: of one shape. */
void ash_rt_mul_s8_cmsis(const ash_rt_mul_s8_params *p, const int8_t *a,
                         const int8_t *b, int8_t *out) {
  const int32_t count = ash_rt_count_of(&p->shape);
  (void)arm_elementwise_mul_s8(a, b, p->a_offset, p->b_offset, out,
                               p->out_offset, p->out_multiplier, p->out_shift,
                               p->act_min, p->act_max, count);
}

/* kernel softmax_s8_cmsis */
void ash_rt_softmax_s8_cmsis(const ash_rt_softmax_cmsis_params *p,
                             const int8_t *in, int8_t *out) {
  arm_softmax_s8(in, p->rows, p->depth, p->multiplier, p->shift, p->diff_min,
                 out);
}
