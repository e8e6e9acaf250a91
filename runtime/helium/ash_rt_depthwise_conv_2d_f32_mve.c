/* ash_rt_depthwise_conv_2d_f32_mve.c - depthwise convolution, float32, with
 * Helium, one output channel an input channel: four neighbouring channels at
 * once, each summed over rows, then columns, the bias last. */
#include "ash_rt_mve_f32.h"

/* The taps of one pixel inside the input: in every `in_step`th line of `in`. */
typedef struct ash_rt_depthwise_box_mve_f32 {
  ash_rt_lines in;
  const float *filter;
  int32_t rows, columns;
  int32_t in_step;
  ptrdiff_t in_column, filter_row, filter_column;
} ash_rt_depthwise_box_mve_f32;

ASH_RT_INLINE ash_rt_depthwise_box_mve_f32
ash_rt_depthwise_box_of_mve_f32(const ash_rt_window *w, const ash_rt_lines *in,
                                const float *filter, int32_t y, int32_t x) {
  const ash_rt_pixel_taps t = ash_rt_pixel_taps_of(w, y, x);
  ash_rt_depthwise_box_mve_f32 b;
  b.columns = t.h.hi - t.h.lo;
  b.rows = b.columns ? t.v.hi - t.v.lo : 0;
  b.in = ash_rt_lines_from(in, b.rows ? t.top + t.v.lo * w->dilation_h : 0,
                           (ptrdiff_t)(t.left + t.h.lo * w->dilation_w) *
                               w->in_c * (ptrdiff_t)sizeof *filter);
  b.in_step = w->dilation_h;
  b.in_column = (ptrdiff_t)w->dilation_w * w->in_c;
  b.filter = filter + ((ptrdiff_t)t.v.lo * w->filter_w + t.h.lo) * w->in_c;
  b.filter_row = (ptrdiff_t)w->filter_w * w->in_c;
  b.filter_column = w->in_c;
  return b;
}

/* Channels c to c + 3, of which `rest` exist. */
ASH_RT_INLINE void ash_rt_depthwise_four_mve_f32(
    const ash_rt_window_f32_params *p, const ash_rt_depthwise_box_mve_f32 *b,
    const float *bias, int32_t c, int32_t rest, float *out) {
  const float *filter = b->filter + c;
#if ASH_RT_HAS_MVE_F32
  const mve_pred16_t some = vctp32q((uint32_t)rest);
  float32x4_t s = vdupq_n_f32(0.0f);
  for (int32_t y = 0; y < b->rows; y++) {
    const float *x = (const float *)ash_rt_line(&b->in, y * b->in_step) + c;
    const float *w = filter;
    for (int32_t k = b->columns; k > 0; k--) {
      s = vaddq_f32(s, vmulq_f32(vldrwq_z_f32(x, some), vldrwq_z_f32(w, some)));
      x += b->in_column;
      w += b->filter_column;
    }
    filter += b->filter_row;
  }
  ash_rt_put_mve_f32(s, bias ? bias + c : 0, rest, p->act_min, p->act_max,
                     out + c);
#else
  for (int32_t i = 0; i < 4 && i < rest; i++) {
    float s = 0.0f;
    for (int32_t y = 0; y < b->rows; y++) {
      const float *x = (const float *)ash_rt_line(&b->in, y * b->in_step) + c;
      for (int32_t k = 0; k < b->columns; k++)
        s += x[k * b->in_column + i] *
             filter[y * b->filter_row + k * b->filter_column + i];
    }
    out[c + i] =
        ash_rt_clamp_f32(bias ? s + bias[c + i] : s, p->act_min, p->act_max);
  }
#endif
}

/* Output lines [from, to). */
ASH_RT_INLINE void
ash_rt_depthwise_core_mve_f32(const ash_rt_window_f32_params *p,
                              const ash_rt_lines *in, const float *filter,
                              const float *bias, const ash_rt_lines *out,
                              int32_t from, int32_t to) {
  const ash_rt_window *w = &p->window;
  for (int32_t y = from; y < to; y++) {
    float *pixel = ash_rt_line_out(out, y);
    for (int32_t x = 0; x < w->out_w; x++, pixel += w->out_c) {
      const ash_rt_depthwise_box_mve_f32 b =
          ash_rt_depthwise_box_of_mve_f32(w, in, filter, y, x);
      for (int32_t c = 0; c < w->out_c; c += 4)
        ash_rt_depthwise_four_mve_f32(p, &b, bias, c, w->out_c - c, pixel);
    }
  }
}

/* kernel depthwise_conv_2d_f32_mve */
void ash_rt_depthwise_conv_2d_f32_mve(const ash_rt_window_f32_params *p,
                                      const float *in, const float *filter,
                                      const float *bias, float *out) {
  const ash_rt_window *w = &p->window;
  for (int32_t n = 0; n < w->batches; n++) {
    const ash_rt_lines i = ash_rt_image_in(w, in, n, sizeof *in);
    const ash_rt_lines o = ash_rt_image_out(w, out, n, sizeof *out);
    ash_rt_depthwise_core_mve_f32(p, &i, filter, bias, &o, 0, w->out_h);
  }
}

/* kernel depthwise_conv_2d_f32_mve_lines */
void ash_rt_depthwise_conv_2d_f32_mve_lines(const ash_rt_window_f32_params *p,
                                            const ash_rt_lines *in,
                                            const float *filter,
                                            const float *bias,
                                            const ash_rt_lines *out,
                                            int32_t from, int32_t to) {
  ash_rt_depthwise_core_mve_f32(p, in, filter, bias, out, from, to);
}
