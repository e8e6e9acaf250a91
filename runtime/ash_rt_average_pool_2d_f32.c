/* ash_rt_average_pool_2d_f32.c - average over windows, float32; padding does
 * not count. The output pixel holds the sums. */
#include "ash_rt_layers_f32.h"

/* Returns how many taps were added. */
static int32_t ash_rt_average_sum_f32(const ash_rt_window *w, const float *in,
                                      int32_t y, int32_t x, float *out) {
  const int32_t top = y * w->stride_h - w->pad_top;
  const int32_t left = x * w->stride_w - w->pad_left;
  const ash_rt_taps v = ash_rt_taps_of(top, w->filter_h, 1, w->in_h);
  const ash_rt_taps h = ash_rt_taps_of(left, w->filter_w, 1, w->in_w);
  for (int32_t c = 0; c < w->in_c; c++)
    out[c] = 0.0f;
  for (int32_t i = v.lo; i < v.hi; i++)
    for (int32_t k = h.lo; k < h.hi; k++) {
      const float *from =
          in + ((ptrdiff_t)(top + i) * w->in_w + left + k) * w->in_c;
      for (int32_t c = 0; c < w->in_c; c++)
        out[c] += from[c];
    }
  return (v.hi - v.lo) * (h.hi - h.lo);
}

void ash_rt_average_pool_2d_f32(const ash_rt_window_f32_params *p,
                                const float *in, float *out) {
  const ash_rt_window *w = &p->window;
  for (int32_t n = 0; n < w->batches; n++) {
    for (int32_t y = 0; y < w->out_h; y++)
      for (int32_t x = 0; x < w->out_w; x++, out += w->in_c) {
        const int32_t taps = ash_rt_average_sum_f32(w, in, y, x, out);
        const float count = (float)(taps ? taps : 1);
        for (int32_t c = 0; c < w->in_c; c++)
          out[c] = ash_rt_clamp_f32(out[c] / count, p->act_min, p->act_max);
      }
    in += (ptrdiff_t)w->in_h * w->in_w * w->in_c;
  }
}
