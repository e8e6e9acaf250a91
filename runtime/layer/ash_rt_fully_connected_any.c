/* ash_rt_fully_connected_any.c - matrix times vectors, other types than int8
 * and float32. */
#include "ash_rt_layers_any.h"

/* kernel fully_connected_u8: weights with a zero point. */
void ash_rt_fully_connected_u8(const ash_rt_dense_params *p, const uint8_t *in,
                               const uint8_t *filter, const int32_t *bias,
                               const int32_t *multiplier, const int8_t *shift,
                               uint8_t *out) {
  for (int32_t b = 0; b < p->batches; b++, in += p->in_c) {
    const uint8_t *w = filter;
    for (int32_t c = 0; c < p->out_c; c++, w += p->in_c) {
      const int32_t k = p->per_channel ? c : 0;
      uint32_t sum = bias ? (uint32_t)bias[c] : 0;
      for (int32_t i = 0; i < p->in_c; i++)
        sum += (uint32_t)((in[i] + p->in_offset) * (w[i] + p->filter_offset));
      *out++ = (uint8_t)ash_rt_finish(
          ash_rt_rescale((int32_t)sum, multiplier[k], shift[k]), p->out_offset,
          p->act_min, p->act_max);
    }
  }
}

/* kernel fully_connected_s16: int16 by int8. */

static int64_t ash_rt_fc_sum_s16(const ash_rt_dense_params *p,
                                 const int16_t *in, const int8_t *w,
                                 const void *bias, int32_t channel) {
  int64_t sum = 0;
  for (int32_t i = 0; i < p->in_c; i++)
    sum += (int64_t)((in[i] + p->in_offset) * (w[i] + p->filter_offset));
  if (!p->narrow)
    return sum + (bias ? ((const int64_t *)bias)[channel] : 0);
  if (bias)
    sum += ((const int32_t *)bias)[channel];
  return (int32_t)(uint32_t)(uint64_t)sum;
}

void ash_rt_fully_connected_s16(const ash_rt_dense_params *p, const int16_t *in,
                                const int8_t *filter, const void *bias,
                                const double *ratio, int16_t *out) {
  for (int32_t b = 0; b < p->batches; b++, in += p->in_c) {
    const int8_t *w = filter;
    for (int32_t c = 0; c < p->out_c; c++, w += p->in_c) {
      const int64_t sum = ash_rt_fc_sum_s16(p, in, w, bias, c);
      const int32_t y =
          ash_rt_fc_round((double)sum * ratio[p->per_channel ? c : 0]);
      *out++ = (int16_t)ash_rt_finish(y, p->out_offset, p->act_min, p->act_max);
    }
  }
}
