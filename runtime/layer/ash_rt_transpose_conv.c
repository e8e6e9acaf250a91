/* ash_rt_transpose_conv.c - transposed convolution. Each output pixel gathers
 * what the inputs around it add to it, so there is no accumulator beyond one
 * number. */

/* kernels transpose_conv_s8, transpose_conv_s8_lines */
#include "ash_rt_layers_s8.h"
#include "ash_rt_sums.h"

/* One output value; `filter` is its channel's. */
ASH_RT_INLINE uint32_t ash_rt_transpose_sum_s8(
    const ash_rt_conv_2d_s8_params *p, const ash_rt_lines *in,
    const int8_t *filter, int32_t y, int32_t x) {
  const ash_rt_window *w = &p->window;
  uint32_t sum = 0;
  for (int32_t fy = 0; fy < w->filter_h; fy++) {
    const int32_t top = y + w->pad_top - fy;
    if (top < 0 || top % w->stride_h != 0 || top / w->stride_h >= w->in_h)
      continue;
    const int8_t *const line = ash_rt_line(in, top / w->stride_h);
    for (int32_t fx = 0; fx < w->filter_w; fx++) {
      const int32_t left = x + w->pad_left - fx;
      if (left < 0 || left % w->stride_w != 0 || left / w->stride_w >= w->in_w)
        continue;
      const ptrdiff_t at = left / w->stride_w;
      const ptrdiff_t tap = (ptrdiff_t)fy * w->filter_w + fx;
      sum += ash_rt_dot_s8(line + at * w->in_c, filter + tap * w->in_c, w->in_c,
                           p->in_offset);
    }
  }
  return sum;
}

/* Output lines [from, to). */
ASH_RT_INLINE void ash_rt_transpose_core_s8(
    const ash_rt_conv_2d_s8_params *p, const ash_rt_lines *in,
    const int8_t *filter, const int32_t *bias, const int32_t *multiplier,
    const int8_t *shift, const ash_rt_lines *out, int32_t from, int32_t to) {
  const ash_rt_window *w = &p->window;
  const ptrdiff_t taps = (ptrdiff_t)w->filter_h * w->filter_w * w->in_c;
  for (int32_t y = from; y < to; y++) {
    int8_t *made = ash_rt_line_out(out, y);
    for (int32_t x = 0; x < w->out_w; x++)
      for (int32_t c = 0; c < w->out_c; c++) {
        const int32_t k = p->per_channel ? c : 0;
        const uint32_t sum =
            ash_rt_transpose_sum_s8(p, in, filter + c * taps, y, x) +
            (bias ? (uint32_t)bias[c] : 0);
        *made++ = (int8_t)ash_rt_finish(
            ash_rt_rescale((int32_t)sum, multiplier[k], shift[k]),
            p->out_offset, p->act_min, p->act_max);
      }
  }
}

/* kernel transpose_conv_s8 */
void ash_rt_transpose_conv_s8(const ash_rt_conv_2d_s8_params *p,
                              const int8_t *in, const int8_t *filter,
                              const int32_t *bias, const int32_t *multiplier,
                              const int8_t *shift, int8_t *out) {
  const ash_rt_window *w = &p->window;
  for (int32_t n = 0; n < w->batches; n++) {
    const ash_rt_lines i = ash_rt_image_in(w, in, n, sizeof *in);
    const ash_rt_lines o = ash_rt_image_out(w, out, n, sizeof *out);
    ash_rt_transpose_core_s8(p, &i, filter, bias, multiplier, shift, &o, 0,
                             w->out_h);
  }
}

/* kernel transpose_conv_s8_lines */
void ash_rt_transpose_conv_s8_lines(
    const ash_rt_conv_2d_s8_params *p, const ash_rt_lines *in,
    const int8_t *filter, const int32_t *bias, const int32_t *multiplier,
    const int8_t *shift, const ash_rt_lines *out, int32_t from, int32_t to) {
  ash_rt_transpose_core_s8(p, in, filter, bias, multiplier, shift, out, from,
                           to);
}

/* kernels transpose_conv_f32, transpose_conv_f32_lines: in the order of the
 * inputs. */
#include "ash_rt_layers_f32.h"

ASH_RT_INLINE float ash_rt_transpose_sum_f32(const ash_rt_window *w,
                                             const ash_rt_lines *in,
                                             const float *filter, int32_t y,
                                             int32_t x) {
  float sum = 0.0f;
  for (int32_t fy = w->filter_h - 1; fy >= 0; fy--) {
    const int32_t top = y + w->pad_top - fy;
    if (top < 0 || top % w->stride_h != 0 || top / w->stride_h >= w->in_h)
      continue;
    const float *const line = ash_rt_line(in, top / w->stride_h);
    for (int32_t fx = w->filter_w - 1; fx >= 0; fx--) {
      const int32_t left = x + w->pad_left - fx;
      if (left < 0 || left % w->stride_w != 0 || left / w->stride_w >= w->in_w)
        continue;
      const float *a = line + (ptrdiff_t)(left / w->stride_w) * w->in_c;
      const float *b = filter + ((ptrdiff_t)fy * w->filter_w + fx) * w->in_c;
      for (int32_t i = 0; i < w->in_c; i++)
        sum += a[i] * b[i];
    }
  }
  return sum;
}

/* Output lines [from, to). */
ASH_RT_INLINE void ash_rt_transpose_core_f32(const ash_rt_conv_2d_f32_params *p,
                                             const ash_rt_lines *in,
                                             const float *filter,
                                             const float *bias,
                                             const ash_rt_lines *out,
                                             int32_t from, int32_t to) {
  const ash_rt_window *w = &p->window;
  const ptrdiff_t taps = (ptrdiff_t)w->filter_h * w->filter_w * w->in_c;
  for (int32_t y = from; y < to; y++) {
    float *made = ash_rt_line_out(out, y);
    for (int32_t x = 0; x < w->out_w; x++)
      for (int32_t c = 0; c < w->out_c; c++)
        *made++ = ash_rt_clamp_f32(
            ash_rt_transpose_sum_f32(w, in, filter + c * taps, y, x) +
                (bias ? bias[c] : 0.0f),
            p->act_min, p->act_max);
  }
}

/* kernel transpose_conv_f32 */
void ash_rt_transpose_conv_f32(const ash_rt_conv_2d_f32_params *p,
                               const float *in, const float *filter,
                               const float *bias, float *out) {
  const ash_rt_window *w = &p->window;
  for (int32_t n = 0; n < w->batches; n++) {
    const ash_rt_lines i = ash_rt_image_in(w, in, n, sizeof *in);
    const ash_rt_lines o = ash_rt_image_out(w, out, n, sizeof *out);
    ash_rt_transpose_core_f32(p, &i, filter, bias, &o, 0, w->out_h);
  }
}

/* kernel transpose_conv_f32_lines */
void ash_rt_transpose_conv_f32_lines(const ash_rt_conv_2d_f32_params *p,
                                     const ash_rt_lines *in,
                                     const float *filter, const float *bias,
                                     const ash_rt_lines *out, int32_t from,
                                     int32_t to) {
  ash_rt_transpose_core_f32(p, in, filter, bias, out, from, to);
}
