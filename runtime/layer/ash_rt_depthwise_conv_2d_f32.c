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

ASH_RT_INLINE void ash_rt_depthwise_sum_f32(const ash_rt_window *w,
                                            const ash_rt_lines *in,
                                            const float *filter, int32_t y,
                                            int32_t x, float *out) {
  const ash_rt_pixel_taps t = ash_rt_pixel_taps_of(w, y, x);
  const int32_t depth = w->out_c / w->in_c;
  for (int32_t i = t.v.lo; i < t.v.hi; i++) {
    const float *const line = ash_rt_line(in, t.top + i * w->dilation_h);
    for (int32_t k = t.h.lo; k < t.h.hi; k++) {
      const ptrdiff_t column = t.left + k * w->dilation_w;
      ash_rt_depthwise_tap_f32(line + column * w->in_c,
                               filter +
                                   ((ptrdiff_t)i * w->filter_w + k) * w->out_c,
                               w->in_c, depth, out);
    }
  }
}

/* Output lines [from, to). */
ASH_RT_INLINE void ash_rt_depthwise_core_f32(const ash_rt_window_f32_params *p,
                                             const ash_rt_lines *in,
                                             const float *filter,
                                             const float *bias,
                                             const ash_rt_lines *out,
                                             int32_t from, int32_t to) {
  const ash_rt_window *w = &p->window;
  for (int32_t y = from; y < to; y++) {
    float *pixel = ash_rt_line_out(out, y);
    for (int32_t x = 0; x < w->out_w; x++, pixel += w->out_c) {
      for (int32_t c = 0; c < w->out_c; c++)
        pixel[c] = 0.0f;
      ash_rt_depthwise_sum_f32(w, in, filter, y, x, pixel);
      for (int32_t c = 0; c < w->out_c; c++)
        pixel[c] = ash_rt_clamp_f32(bias ? pixel[c] + bias[c] : pixel[c],
                                    p->act_min, p->act_max);
    }
  }
}

/* kernel depthwise_conv_2d_f32 */
void ash_rt_depthwise_conv_2d_f32(const ash_rt_window_f32_params *p,
                                  const float *in, const float *filter,
                                  const float *bias, float *out) {
  const ash_rt_window *w = &p->window;
  for (int32_t n = 0; n < w->batches; n++) {
    const ash_rt_lines i = ash_rt_image_in(w, in, n, sizeof *in);
    const ash_rt_lines o = ash_rt_image_out(w, out, n, sizeof *out);
    ash_rt_depthwise_core_f32(p, &i, filter, bias, &o, 0, w->out_h);
  }
}

/* kernel depthwise_conv_2d_f32_lines */
void ash_rt_depthwise_conv_2d_f32_lines(const ash_rt_window_f32_params *p,
                                        const ash_rt_lines *in,
                                        const float *filter, const float *bias,
                                        const ash_rt_lines *out, int32_t from,
                                        int32_t to) {
  ash_rt_depthwise_core_f32(p, in, filter, bias, out, from, to);
}
