/* ash_rt_conv_2d_f32.c - convolution, float32. Pixel by pixel in memory order;
 * four output channels at once, each summed over rows, columns and channels in
 * this order, the bias last. */
#include "ash_rt_layers_f32.h"

/* The taps of one pixel inside the input: in every `in_step`th line of `in`. */
typedef struct ash_rt_conv_box_f32 {
  ash_rt_lines in;
  ptrdiff_t filter_at; /* of the first tap, inside one channel's weights */
  int32_t rows, columns, count;
  int32_t in_step;
  ptrdiff_t in_column, filter_row;
} ash_rt_conv_box_f32;

ASH_RT_INLINE ash_rt_conv_box_f32
ash_rt_conv_box_of_f32(const ash_rt_conv_2d_f32_params *p,
                       const ash_rt_lines *in, int32_t y, int32_t x) {
  const ash_rt_window *w = &p->window;
  const ash_rt_pixel_taps t = ash_rt_pixel_taps_of(w, y, x);
  const ptrdiff_t column = t.left + t.h.lo * w->dilation_w;
  ash_rt_conv_box_f32 b;
  b.count = w->in_c / p->groups;
  b.columns = t.h.hi - t.h.lo;
  b.rows = b.columns ? t.v.hi - t.v.lo : 0;
  b.in = ash_rt_lines_from(in, b.rows ? t.top + t.v.lo * w->dilation_h : 0,
                           column * w->in_c * (ptrdiff_t)sizeof(float));
  b.in_step = w->dilation_h;
  b.filter_at = ((ptrdiff_t)t.v.lo * w->filter_w + t.h.lo) * b.count;
  b.in_column = (ptrdiff_t)w->dilation_w * w->in_c;
  b.filter_row = (ptrdiff_t)w->filter_w * b.count;
  return b;
}

typedef struct ash_rt_quad_f32 {
  float a, b, c, d;
} ash_rt_quad_f32;

ASH_RT_INLINE ash_rt_quad_f32
ash_rt_conv_sum_4_f32(const ash_rt_conv_box_f32 *b, int32_t channel,
                      const float *filter, ptrdiff_t pitch) {
  ash_rt_quad_f32 s = {0.0f, 0.0f, 0.0f, 0.0f};
  for (int32_t y = 0; y < b->rows; y++) {
    const float *const line = ash_rt_line(&b->in, y * b->in_step);
    const float *w = filter + y * b->filter_row;
    for (int32_t k = 0; k < b->columns; k++, w += b->count) {
      const float *x = line + channel + k * b->in_column;
      for (int32_t i = 0; i < b->count; i++) {
        s.a += x[i] * w[i];
        s.b += x[i] * w[i + pitch];
        s.c += x[i] * w[i + 2 * pitch];
        s.d += x[i] * w[i + 3 * pitch];
      }
    }
  }
  return s;
}

ASH_RT_INLINE float ash_rt_conv_sum_f32(const ash_rt_conv_box_f32 *b,
                                        int32_t channel, const float *filter) {
  float s = 0.0f;
  for (int32_t y = 0; y < b->rows; y++) {
    const float *const line = ash_rt_line(&b->in, y * b->in_step);
    const float *w = filter + y * b->filter_row;
    for (int32_t k = 0; k < b->columns; k++, w += b->count) {
      const float *x = line + channel + k * b->in_column;
      for (int32_t i = 0; i < b->count; i++)
        s += x[i] * w[i];
    }
  }
  return s;
}

static float ash_rt_conv_finish_f32(const ash_rt_conv_2d_f32_params *p,
                                    float sum, const float *bias, int32_t c) {
  return ash_rt_clamp_f32(bias ? sum + bias[c] : sum, p->act_min, p->act_max);
}

/* The output channels of group g of one pixel; they share their input channels.
 */
ASH_RT_INLINE void ash_rt_conv_group_f32(const ash_rt_conv_2d_f32_params *p,
                                         const ash_rt_conv_box_f32 *b,
                                         const float *filter, const float *bias,
                                         int32_t g, float *out) {
  const int32_t out_c = p->window.out_c / p->groups;
  const int32_t lo = g * out_c, hi = lo + out_c, channel = g * b->count;
  const ptrdiff_t pitch = p->window.filter_h * b->filter_row;
  const float *w = filter + lo * pitch + b->filter_at;
  int32_t c = lo;
  for (; c + 4 <= hi; c += 4, w += 4 * pitch) {
    const ash_rt_quad_f32 s = ash_rt_conv_sum_4_f32(b, channel, w, pitch);
    out[c] = ash_rt_conv_finish_f32(p, s.a, bias, c);
    out[c + 1] = ash_rt_conv_finish_f32(p, s.b, bias, c + 1);
    out[c + 2] = ash_rt_conv_finish_f32(p, s.c, bias, c + 2);
    out[c + 3] = ash_rt_conv_finish_f32(p, s.d, bias, c + 3);
  }
  for (; c < hi; c++, w += pitch)
    out[c] =
        ash_rt_conv_finish_f32(p, ash_rt_conv_sum_f32(b, channel, w), bias, c);
}

/* Output lines [from, to). */
ASH_RT_INLINE void ash_rt_conv_core_f32(const ash_rt_conv_2d_f32_params *p,
                                        const ash_rt_lines *in,
                                        const float *filter, const float *bias,
                                        const ash_rt_lines *out, int32_t from,
                                        int32_t to) {
  const ash_rt_window *w = &p->window;
  for (int32_t y = from; y < to; y++) {
    float *pixel = ash_rt_line_out(out, y);
    for (int32_t x = 0; x < w->out_w; x++, pixel += w->out_c) {
      const ash_rt_conv_box_f32 b = ash_rt_conv_box_of_f32(p, in, y, x);
      for (int32_t g = 0; g < p->groups; g++)
        ash_rt_conv_group_f32(p, &b, filter, bias, g, pixel);
    }
  }
}

/* kernel conv_2d_f32 */
void ash_rt_conv_2d_f32(const ash_rt_conv_2d_f32_params *p, const float *in,
                        const float *filter, const float *bias, float *out) {
  const ash_rt_window *w = &p->window;
  for (int32_t n = 0; n < w->batches; n++) {
    const ash_rt_lines i = ash_rt_image_in(w, in, n, sizeof *in);
    const ash_rt_lines o = ash_rt_image_out(w, out, n, sizeof *out);
    ash_rt_conv_core_f32(p, &i, filter, bias, &o, 0, w->out_h);
  }
}

/* kernel conv_2d_f32_lines */
void ash_rt_conv_2d_f32_lines(const ash_rt_conv_2d_f32_params *p,
                              const ash_rt_lines *in, const float *filter,
                              const float *bias, const ash_rt_lines *out,
                              int32_t from, int32_t to) {
  ash_rt_conv_core_f32(p, in, filter, bias, out, from, to);
}
