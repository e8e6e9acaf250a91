/* ash_rt_transpose_conv_u8.c - transposed convolution, uint8, weights with a
 * zero point. Each output pixel gathers what the inputs around it add to it. */
#include "ash_rt_layers_any.h"

static uint32_t ash_rt_turn_sum_u8(const ash_rt_layer_params *p,
                                   const uint8_t *in, const uint8_t *filter,
                                   int32_t y, int32_t x) {
  const ash_rt_window *w = &p->window;
  uint32_t sum = 0;
  for (int32_t fy = 0; fy < w->filter_h; fy++) {
    const int32_t top = y + w->pad_top - fy;
    if (top < 0 || top % w->stride_h != 0 || top / w->stride_h >= w->in_h)
      continue;
    for (int32_t fx = 0; fx < w->filter_w; fx++) {
      const int32_t left = x + w->pad_left - fx;
      if (left < 0 || left % w->stride_w != 0 || left / w->stride_w >= w->in_w)
        continue;
      const ptrdiff_t at =
          ((ptrdiff_t)(top / w->stride_h) * w->in_w + left / w->stride_w) *
          w->in_c;
      const ptrdiff_t tap = ((ptrdiff_t)fy * w->filter_w + fx) * w->in_c;
      for (int32_t i = 0; i < w->in_c; i++)
        sum += (uint32_t)((in[at + i] + p->in_offset) *
                          (filter[tap + i] + p->filter_offset));
    }
  }
  return sum;
}

void ash_rt_transpose_conv_u8(const ash_rt_layer_params *p, const uint8_t *in,
                              const uint8_t *filter, const int32_t *bias,
                              const int32_t *multiplier, const int8_t *shift,
                              uint8_t *out) {
  const ash_rt_window *w = &p->window;
  const ptrdiff_t taps = (ptrdiff_t)w->filter_h * w->filter_w * w->in_c;
  for (int32_t n = 0; n < w->batches; n++) {
    for (int32_t y = 0; y < w->out_h; y++)
      for (int32_t x = 0; x < w->out_w; x++)
        for (int32_t c = 0; c < w->out_c; c++) {
          const int32_t k = p->per_channel ? c : 0;
          const uint32_t sum =
              ash_rt_turn_sum_u8(p, in, filter + c * taps, y, x);
          *out++ = (uint8_t)ash_rt_finish(
              ash_rt_rescale((int32_t)(sum + (bias ? (uint32_t)bias[c] : 0)),
                             multiplier[k], shift[k]),
              p->out_offset, p->act_min, p->act_max);
        }
    in += (ptrdiff_t)w->in_h * w->in_w * w->in_c;
  }
}
