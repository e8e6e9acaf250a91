/* ash_rt_conv_2d_f32.c - convolution, float32. Pixel by pixel in memory order;
 * four output channels at once, each summed over rows, columns and channels in
 * this order, the bias last. */
#include "ash_rt_layers_f32.h"

/* The taps of one pixel inside the input. */
typedef struct ash_rt_conv_box_f32 {
  const float *in;
  ptrdiff_t filter_at; /* of the first tap, inside one channel's weights */
  int32_t rows, columns, count;
  ptrdiff_t in_row, in_column, filter_row;
} ash_rt_conv_box_f32;

static ash_rt_conv_box_f32
ash_rt_conv_box_of_f32(const ash_rt_conv_2d_f32_params *p, const float *in,
                       int32_t y, int32_t x) {
  const ash_rt_window *w = &p->window;
  const ash_rt_pixel_taps t = ash_rt_pixel_taps_of(w, y, x);
  const int32_t row = t.top + t.v.lo * w->dilation_h;
  const int32_t column = t.left + t.h.lo * w->dilation_w;
  ash_rt_conv_box_f32 b;
  b.in = in;
  b.count = w->in_c / p->groups;
  b.columns = t.h.hi - t.h.lo;
  b.rows = b.columns ? t.v.hi - t.v.lo : 0;
  if (b.rows)
    b.in += ((ptrdiff_t)row * w->in_w + column) * w->in_c;
  b.filter_at = ((ptrdiff_t)t.v.lo * w->filter_w + t.h.lo) * b.count;
  b.in_row = (ptrdiff_t)w->dilation_h * w->in_w * w->in_c;
  b.in_column = (ptrdiff_t)w->dilation_w * w->in_c;
  b.filter_row = (ptrdiff_t)w->filter_w * b.count;
  return b;
}

typedef struct ash_rt_quad_f32 {
  float a, b, c, d;
} ash_rt_quad_f32;

static ash_rt_quad_f32 ash_rt_conv_sum_4_f32(const ash_rt_conv_box_f32 *b,
                                             const float *in,
                                             const float *filter,
                                             ptrdiff_t pitch) {
  ash_rt_quad_f32 s = {0.0f, 0.0f, 0.0f, 0.0f};
  for (int32_t y = 0; y < b->rows; y++) {
    const float *w = filter + y * b->filter_row;
    for (int32_t k = 0; k < b->columns; k++, w += b->count) {
      const float *x = in + y * b->in_row + k * b->in_column;
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

static float ash_rt_conv_sum_f32(const ash_rt_conv_box_f32 *b, const float *in,
                                 const float *filter) {
  float s = 0.0f;
  for (int32_t y = 0; y < b->rows; y++) {
    const float *w = filter + y * b->filter_row;
    for (int32_t k = 0; k < b->columns; k++, w += b->count) {
      const float *x = in + y * b->in_row + k * b->in_column;
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

/* Output channels [lo, hi) of one pixel; they share their input channels. */
static void ash_rt_conv_group_f32(const ash_rt_conv_2d_f32_params *p,
                                  const ash_rt_conv_box_f32 *b, const float *in,
                                  const float *filter, const float *bias,
                                  int32_t lo, int32_t hi, float *out) {
  const ptrdiff_t pitch = p->window.filter_h * b->filter_row;
  const float *w = filter + lo * pitch + b->filter_at;
  int32_t c = lo;
  for (; c + 4 <= hi; c += 4, w += 4 * pitch) {
    const ash_rt_quad_f32 s = ash_rt_conv_sum_4_f32(b, in, w, pitch);
    out[c] = ash_rt_conv_finish_f32(p, s.a, bias, c);
    out[c + 1] = ash_rt_conv_finish_f32(p, s.b, bias, c + 1);
    out[c + 2] = ash_rt_conv_finish_f32(p, s.c, bias, c + 2);
    out[c + 3] = ash_rt_conv_finish_f32(p, s.d, bias, c + 3);
  }
  for (; c < hi; c++, w += pitch)
    out[c] = ash_rt_conv_finish_f32(p, ash_rt_conv_sum_f32(b, in, w), bias, c);
}

void ash_rt_conv_2d_f32(const ash_rt_conv_2d_f32_params *p, const float *in,
                        const float *filter, const float *bias, float *out) {
  const ash_rt_window *w = &p->window;
  const int32_t out_c = w->out_c / p->groups;
  for (int32_t n = 0; n < w->batches; n++) {
    for (int32_t y = 0; y < w->out_h; y++)
      for (int32_t x = 0; x < w->out_w; x++, out += w->out_c) {
        const ash_rt_conv_box_f32 b = ash_rt_conv_box_of_f32(p, in, y, x);
        for (int32_t g = 0; g < p->groups; g++)
          ash_rt_conv_group_f32(p, &b, b.in + (ptrdiff_t)g * b.count, filter,
                                bias, g * out_c, (g + 1) * out_c, out);
      }
    in += (ptrdiff_t)w->in_h * w->in_w * w->in_c;
  }
}
