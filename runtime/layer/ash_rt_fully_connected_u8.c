/* ash_rt_fully_connected_u8.c - matrix times vectors, uint8, weights with a
 * zero point. */
#include "ash_rt_layers_any.h"

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
