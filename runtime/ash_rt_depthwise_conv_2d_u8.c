/* ash_rt_depthwise_conv_2d_u8.c - depthwise convolution, uint8, weights with a
 * zero point. */
#include "ash_rt_layers_any.h"

static uint32_t ash_rt_deep_sum_u8(const ash_rt_layer_params *p,
                                   const uint8_t *in, const uint8_t *filter,
                                   int32_t top, int32_t left) {
  const ash_rt_window *w = &p->window;
  const ash_rt_taps v =
      ash_rt_taps_of(top, w->filter_h, w->dilation_h, w->in_h);
  const ash_rt_taps h =
      ash_rt_taps_of(left, w->filter_w, w->dilation_w, w->in_w);
  uint32_t sum = 0;
  for (int32_t fy = v.lo; fy < v.hi; fy++)
    for (int32_t fx = h.lo; fx < h.hi; fx++) {
      const ptrdiff_t at = (ptrdiff_t)(top + fy * w->dilation_h) * w->in_w +
                           left + fx * w->dilation_w;
      const ptrdiff_t tap = (ptrdiff_t)fy * w->filter_w + fx;
      sum += (uint32_t)((in[at * w->in_c] + p->in_offset) *
                        (filter[tap * w->out_c] + p->filter_offset));
    }
  return sum;
}

void ash_rt_depthwise_conv_2d_u8(const ash_rt_layer_params *p,
                                 const uint8_t *in, const uint8_t *filter,
                                 const int32_t *bias, const int32_t *multiplier,
                                 const int8_t *shift, uint8_t *out) {
  const ash_rt_window *w = &p->window;
  const int32_t each = w->out_c / w->in_c;
  for (int32_t n = 0; n < w->batches; n++) {
    for (int32_t y = 0; y < w->out_h; y++)
      for (int32_t x = 0; x < w->out_w; x++)
        for (int32_t c = 0; c < w->out_c; c++) {
          const int32_t k = p->per_channel ? c : 0;
          const uint32_t sum = ash_rt_deep_sum_u8(
              p, in + c / each, filter + c, y * w->stride_h - w->pad_top,
              x * w->stride_w - w->pad_left);
          *out++ = (uint8_t)ash_rt_finish(
              ash_rt_rescale((int32_t)(sum + (bias ? (uint32_t)bias[c] : 0)),
                             multiplier[k], shift[k]),
              p->out_offset, p->act_min, p->act_max);
        }
    in += (ptrdiff_t)w->in_h * w->in_w * w->in_c;
  }
}
