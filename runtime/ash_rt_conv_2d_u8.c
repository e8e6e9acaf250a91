/* ash_rt_conv_2d_u8.c - convolution, uint8, weights with a zero point. Pixel by
 * pixel, in memory order; the inner loop runs along the channels. */
#include "ash_rt_layers_any.h"

/* Sum of (x + offset) * (w + weight offset) along one run of channels. */
static uint32_t ash_rt_dot_u8(const ash_rt_layer_params *p, const uint8_t *x,
                              const uint8_t *w, int32_t count) {
  uint32_t s = 0;
  for (int32_t i = 0; i < count; i++)
    s += (uint32_t)((x[i] + p->in_offset) * (w[i] + p->filter_offset));
  return s;
}

/* One output value; `filter` is its channel's. */
static uint32_t ash_rt_conv_sum_u8(const ash_rt_layer_params *p,
                                   const uint8_t *in, const uint8_t *filter,
                                   int32_t y, int32_t x, int32_t depth) {
  const ash_rt_window *w = &p->window;
  const int32_t top = y * w->stride_h - w->pad_top;
  const int32_t left = x * w->stride_w - w->pad_left;
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
      sum += ash_rt_dot_u8(p, in + at * w->in_c, filter + tap * depth, depth);
    }
  return sum;
}

void ash_rt_conv_2d_u8(const ash_rt_layer_params *p, const uint8_t *in,
                       const uint8_t *filter, const int32_t *bias,
                       const int32_t *multiplier, const int8_t *shift,
                       uint8_t *out) {
  const ash_rt_window *w = &p->window;
  const int32_t depth = w->in_c / p->groups, made = w->out_c / p->groups;
  const ptrdiff_t taps = (ptrdiff_t)w->filter_h * w->filter_w * depth;
  for (int32_t n = 0; n < w->batches; n++) {
    for (int32_t y = 0; y < w->out_h; y++)
      for (int32_t x = 0; x < w->out_w; x++)
        for (int32_t c = 0; c < w->out_c; c++) {
          const int32_t k = p->per_channel ? c : 0;
          const uint32_t sum = ash_rt_conv_sum_u8(
              p, in + c / made * depth, filter + c * taps, y, x, depth);
          *out++ = (uint8_t)ash_rt_finish(
              ash_rt_rescale((int32_t)(sum + (bias ? (uint32_t)bias[c] : 0)),
                             multiplier[k], shift[k]),
              p->out_offset, p->act_min, p->act_max);
        }
    in += (ptrdiff_t)w->in_h * w->in_w * w->in_c;
  }
}
