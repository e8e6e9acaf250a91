/* ash_rt_depthwise_conv_2d_s16.c - depthwise convolution, int16 by int8. */
#include "ash_rt_layers_any.h"

static int64_t ash_rt_deep_sum_s16(const ash_rt_layer_params *p,
                                   const int16_t *in, const int8_t *filter,
                                   int32_t top, int32_t left) {
  const ash_rt_window *w = &p->window;
  const ash_rt_taps v =
      ash_rt_taps_of(top, w->filter_h, w->dilation_h, w->in_h);
  const ash_rt_taps h =
      ash_rt_taps_of(left, w->filter_w, w->dilation_w, w->in_w);
  int64_t sum = 0;
  for (int32_t fy = v.lo; fy < v.hi; fy++)
    for (int32_t fx = h.lo; fx < h.hi; fx++) {
      const ptrdiff_t at = (ptrdiff_t)(top + fy * w->dilation_h) * w->in_w +
                           left + fx * w->dilation_w;
      const ptrdiff_t tap = (ptrdiff_t)fy * w->filter_w + fx;
      sum +=
          (int64_t)((in[at * w->in_c] + p->in_offset) * filter[tap * w->out_c]);
    }
  return sum;
}

void ash_rt_depthwise_conv_2d_s16(const ash_rt_layer_params *p,
                                  const int16_t *in, const int8_t *filter,
                                  const void *bias, const int32_t *multiplier,
                                  const int8_t *shift, int16_t *out) {
  const ash_rt_window *w = &p->window;
  const int32_t each = w->out_c / w->in_c;
  for (int32_t n = 0; n < w->batches; n++) {
    for (int32_t y = 0; y < w->out_h; y++)
      for (int32_t x = 0; x < w->out_w; x++)
        for (int32_t c = 0; c < w->out_c; c++) {
          const int32_t k = p->per_channel ? c : 0;
          const int64_t sum = ash_rt_deep_sum_s16(
              p, in + c / each, filter + c, y * w->stride_h - w->pad_top,
              x * w->stride_w - w->pad_left);
          *out++ = ash_rt_layer_s16(p, sum, bias, c, multiplier[k], shift[k]);
        }
    in += (ptrdiff_t)w->in_h * w->in_w * w->in_c;
  }
}
