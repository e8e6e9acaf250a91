/* ash_rt_depthwise_conv_2d_f32_simd.c - depthwise convolution, float32, with
 * vectors of x86-64 and AArch64, one output channel an input channel: sixteen
 * neighbouring channels at once, each summed over rows, then columns, the bias
 * last. */
#include "ash_rt_simd_f32.h"

/* The taps of one pixel inside the input: in every `in_step`th line of `in`. */
typedef struct ash_rt_depthwise_box_simd {
  ash_rt_lines in;
  const float *filter;
  int32_t rows, columns;
  int32_t in_step;
  ptrdiff_t in_column, filter_row;
} ash_rt_depthwise_box_simd;

ASH_RT_INLINE ash_rt_depthwise_box_simd
ash_rt_depthwise_box_of_simd(const ash_rt_window *w, const ash_rt_lines *in,
                             const float *filter, ash_rt_pixel_taps t) {
  ash_rt_depthwise_box_simd b;
  b.columns = t.h.hi - t.h.lo;
  b.rows = b.columns ? t.v.hi - t.v.lo : 0;
  b.in = ash_rt_lines_from(in, b.rows ? t.top + t.v.lo * w->dilation_h : 0,
                           (ptrdiff_t)(t.left + t.h.lo * w->dilation_w) *
                               w->in_c * (ptrdiff_t)sizeof *filter);
  b.in_step = w->dilation_h;
  b.in_column = (ptrdiff_t)w->dilation_w * w->in_c;
  b.filter = filter + ((ptrdiff_t)t.v.lo * w->filter_w + t.h.lo) * w->in_c;
  b.filter_row = (ptrdiff_t)w->filter_w * w->in_c;
  return b;
}

#define ASH_RT_DEPTHWISE_TAP(x, w)                                             \
  s = ash_rt_plus_simd(s, ash_rt_times_simd(ash_rt_some_simd(x, rest),         \
                                            ash_rt_some_simd(w, rest)));

/* Channels c to c + 15, of which `rest` exist; most windows are 3 x 3. */
ASH_RT_INLINE ash_rt_floats
ash_rt_depthwise_sum_simd_f32(const ash_rt_depthwise_box_simd *b,
                              int32_t channels, int32_t c, int32_t rest) {
  const float *filter = b->filter + c;
  ash_rt_floats s = ash_rt_same_simd(0.0f);
  if (b->rows == 3 && b->columns == 3) {
    for (int32_t y = 0; y < 3; y++, filter += b->filter_row) {
      const float *x = (const float *)ash_rt_line(&b->in, y * b->in_step) + c;
      ASH_RT_DEPTHWISE_TAP(x, filter)
      ASH_RT_DEPTHWISE_TAP(x + b->in_column, filter + channels)
      ASH_RT_DEPTHWISE_TAP(x + 2 * b->in_column, filter + 2 * channels)
    }
    return s;
  }
  for (int32_t y = 0; y < b->rows; y++, filter += b->filter_row) {
    const float *x = (const float *)ash_rt_line(&b->in, y * b->in_step) + c;
    const float *w = filter;
    for (int32_t k = 0; k < b->columns; k++, w += channels) {
      ASH_RT_DEPTHWISE_TAP(x, w)
      x += b->in_column;
    }
  }
  return s;
}

/* Output lines [from, to). */
ASH_RT_INLINE void
ash_rt_depthwise_core_simd_f32(const ash_rt_window_f32_params *p,
                               const ash_rt_lines *in, const float *filter,
                               const float *bias, const ash_rt_lines *out,
                               int32_t from, int32_t to) {
  const ash_rt_window *w = &p->window;
  const ash_rt_block_f32 k = {NULL, 0,        NULL,       0,         bias,
                              0,    w->out_c, p->act_min, p->act_max};
  const ash_rt_taps inside = ash_rt_inner_columns(w);
  for (int32_t y = from; y < to; y++) {
    const ash_rt_taps all = {0, w->filter_w};
    ash_rt_pixel_taps t = ash_rt_pixel_taps_of(w, y, 0);
    float *pixel = ash_rt_line_out(out, y);
    for (int32_t x = 0; x < w->out_w; x++, pixel += w->out_c) {
      t.left = x * w->stride_w - w->pad_left;
      t.h = x >= inside.lo && x < inside.hi
                ? all
                : ash_rt_taps_of(t.left, w->filter_w, w->dilation_w, w->in_w);
      const ash_rt_depthwise_box_simd b =
          ash_rt_depthwise_box_of_simd(w, in, filter, t);
      for (int32_t c = 0; c < w->out_c; c += 16)
        ash_rt_put_simd_f32(
            &k, c, ash_rt_depthwise_sum_simd_f32(&b, w->out_c, c, w->out_c - c),
            pixel);
    }
  }
}

/* kernel depthwise_conv_2d_f32_simd */
void ash_rt_depthwise_conv_2d_f32_simd(const ash_rt_window_f32_params *p,
                                       const float *in, const float *filter,
                                       const float *bias, float *out) {
  const ash_rt_window *w = &p->window;
  for (int32_t n = 0; n < w->batches; n++) {
    const ash_rt_lines i = ash_rt_image_in(w, in, n, sizeof *in);
    const ash_rt_lines o = ash_rt_image_out(w, out, n, sizeof *out);
    ash_rt_depthwise_core_simd_f32(p, &i, filter, bias, &o, 0, w->out_h);
  }
}

/* kernel depthwise_conv_2d_f32_simd_lines */
void ash_rt_depthwise_conv_2d_f32_simd_lines(const ash_rt_window_f32_params *p,
                                             const ash_rt_lines *in,
                                             const float *filter,
                                             const float *bias,
                                             const ash_rt_lines *out,
                                             int32_t from, int32_t to) {
  ash_rt_depthwise_core_simd_f32(p, in, filter, bias, out, from, to);
}
