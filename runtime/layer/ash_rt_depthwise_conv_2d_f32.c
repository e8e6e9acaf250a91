/* ash_rt_depthwise_conv_2d_f32.c - depthwise convolution, float32. The output
 * pixel itself holds the sums: the inner loop runs over channels, each channel
 * is summed over rows, then columns, the bias last. */
#include "ash_rt_layers_f32.h"

/* out[c] += x[c / depth] * w[c] */
static void ash_rt_depthwise_tap_f32(const float *x, const float *w,
                                     int32_t in_c, int32_t depth, float *out) {
  if (depth == 1) {
    for (int32_t c = 0; c < in_c; c++)
      out[c] += x[c] * w[c];
    return;
  }
  for (int32_t c = 0; c < in_c; c++)
    for (int32_t k = 0; k < depth; k++)
      *out++ += x[c] * *w++;
}

static void ash_rt_depthwise_sum_f32(const ash_rt_window *w, const float *in,
                                     const float *filter, int32_t y, int32_t x,
                                     float *out) {
  const ash_rt_pixel_taps t = ash_rt_pixel_taps_of(w, y, x);
  const int32_t depth = w->out_c / w->in_c;
  for (int32_t i = t.v.lo; i < t.v.hi; i++)
    for (int32_t k = t.h.lo; k < t.h.hi; k++) {
      const ptrdiff_t row = t.top + i * w->dilation_h;
      const ptrdiff_t column = t.left + k * w->dilation_w;
      ash_rt_depthwise_tap_f32(in + (row * w->in_w + column) * w->in_c,
                               filter +
                                   ((ptrdiff_t)i * w->filter_w + k) * w->out_c,
                               w->in_c, depth, out);
    }
}

void ash_rt_depthwise_conv_2d_f32(const ash_rt_window_f32_params *p,
                                  const float *in, const float *filter,
                                  const float *bias, float *out) {
  const ash_rt_window *w = &p->window;
  for (int32_t n = 0; n < w->batches; n++) {
    for (int32_t y = 0; y < w->out_h; y++)
      for (int32_t x = 0; x < w->out_w; x++, out += w->out_c) {
        for (int32_t c = 0; c < w->out_c; c++)
          out[c] = 0.0f;
        ash_rt_depthwise_sum_f32(w, in, filter, y, x, out);
        for (int32_t c = 0; c < w->out_c; c++)
          out[c] = ash_rt_clamp_f32(bias ? out[c] + bias[c] : out[c],
                                    p->act_min, p->act_max);
      }
    in += (ptrdiff_t)w->in_h * w->in_w * w->in_c;
  }
}
