/* ash_rt_fully_connected_s8_cmsis.c - matrix times vectors, int8, by CMSIS-NN.
 * On Helium the library wants sums of weights in its buffer, which the
 * compiler has prepared: bias and what the input's zero point adds. */
#include "ash_rt_cmsis.h"

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
