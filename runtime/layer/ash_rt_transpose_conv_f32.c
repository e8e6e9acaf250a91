/* ash_rt_transpose_conv_f32.c - transposed convolution, float32. Each output
 * pixel gathers what the inputs around it add to it, in the order of the
 * inputs. */
#include "ash_rt_layers_f32.h"

static float ash_rt_transpose_sum_f32(const ash_rt_window *w, const float *in,
                                      const float *filter, int32_t y,
                                      int32_t x) {
  float sum = 0.0f;
  for (int32_t fy = w->filter_h - 1; fy >= 0; fy--) {
    const int32_t top = y + w->pad_top - fy;
    if (top < 0 || top % w->stride_h != 0 || top / w->stride_h >= w->in_h)
      continue;
    for (int32_t fx = w->filter_w - 1; fx >= 0; fx--) {
      const int32_t left = x + w->pad_left - fx;
      if (left < 0 || left % w->stride_w != 0 || left / w->stride_w >= w->in_w)
        continue;
      const float *a =
          in + ((ptrdiff_t)(top / w->stride_h) * w->in_w + left / w->stride_w) *
                   w->in_c;
      const float *b = filter + ((ptrdiff_t)fy * w->filter_w + fx) * w->in_c;
      for (int32_t i = 0; i < w->in_c; i++)
        sum += a[i] * b[i];
    }
  }
  return sum;
}

void ash_rt_transpose_conv_f32(const ash_rt_conv_2d_f32_params *p,
                               const float *in, const float *filter,
                               const float *bias, float *out) {
  const ash_rt_window *w = &p->window;
  const ptrdiff_t taps = (ptrdiff_t)w->filter_h * w->filter_w * w->in_c;
  for (int32_t n = 0; n < w->batches; n++) {
    for (int32_t y = 0; y < w->out_h; y++)
      for (int32_t x = 0; x < w->out_w; x++)
        for (int32_t c = 0; c < w->out_c; c++)
          *out++ = ash_rt_clamp_f32(
              ash_rt_transpose_sum_f32(w, in, filter + c * taps, y, x) +
                  (bias ? bias[c] : 0.0f),
              p->act_min, p->act_max);
    in += (ptrdiff_t)w->in_h * w->in_w * w->in_c;
  }
}
