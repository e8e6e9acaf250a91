/* ash_rt_conv_2d_f32_mve.c - convolution, float32, with Helium: eight output
 * channels at once, from weights packed for that; each is summed over rows,
 * columns and channels in this order, the bias last. */
#include "ash_rt_mve_f32.h"

/* The taps of one pixel inside the input: rows of runs, in every `in_step`th
 * line of `in`. */
typedef struct ash_rt_conv_box_mve_f32 {
  ash_rt_lines in;
  ptrdiff_t filter_at; /* of the first tap, in taps */
  int32_t rows, runs, count;
  int32_t in_step;
  ptrdiff_t in_run, filter_row;
} ash_rt_conv_box_mve_f32;

ASH_RT_INLINE ash_rt_conv_box_mve_f32 ash_rt_conv_box_of_mve_f32(
    const ash_rt_window *w, const ash_rt_lines *in, int32_t y, int32_t x) {
  const ash_rt_pixel_taps t = ash_rt_pixel_taps_of(w, y, x);
  const int32_t columns = t.h.hi - t.h.lo;
  const int joined = w->dilation_w == 1;
  ash_rt_conv_box_mve_f32 b;
  b.rows = columns ? t.v.hi - t.v.lo : 0;
  b.runs = joined ? 1 : columns;
  b.count = joined ? columns * w->in_c : w->in_c;
  b.in = ash_rt_lines_from(in, b.rows ? t.top + t.v.lo * w->dilation_h : 0,
                           (ptrdiff_t)(t.left + t.h.lo * w->dilation_w) *
                               w->in_c * (ptrdiff_t)sizeof(float));
  b.in_step = w->dilation_h;
  b.filter_at = ((ptrdiff_t)t.v.lo * w->filter_w + t.h.lo) * w->in_c;
  b.in_run = (ptrdiff_t)w->dilation_w * w->in_c;
  b.filter_row = (ptrdiff_t)w->filter_w * w->in_c;
  return b;
}

ASH_RT_INLINE ash_rt_eight_f32
ash_rt_conv_sum_mve_f32(const ash_rt_conv_box_mve_f32 *b, const float *filter) {
  ash_rt_eight_f32 s = ash_rt_zero_mve_f32();
  const float *w = filter + b->filter_at * ASH_RT_MVE_F32_GROUP;
  for (int32_t y = 0; y < b->rows; y++) {
    const float *const row = ash_rt_line(&b->in, y * b->in_step);
    for (int32_t k = 0; k < b->runs; k++)
      s = ash_rt_dot_mve_f32(s, row + k * b->in_run,
                             w + (ptrdiff_t)k * b->count * ASH_RT_MVE_F32_GROUP,
                             b->count);
    w += b->filter_row * ASH_RT_MVE_F32_GROUP;
  }
  return s;
}

/* Output lines [from, to). */
ASH_RT_INLINE void ash_rt_conv_core_mve_f32(const ash_rt_conv_2d_f32_params *p,
                                            const ash_rt_lines *in,
                                            const float *bias,
                                            const float *filter,
                                            const ash_rt_lines *out,
                                            int32_t from, int32_t to) {
  const ash_rt_window *w = &p->window;
  const ptrdiff_t step =
      (ptrdiff_t)w->filter_h * w->filter_w * w->in_c * ASH_RT_MVE_F32_GROUP;
  for (int32_t y = from; y < to; y++) {
    float *pixel = ash_rt_line_out(out, y);
    for (int32_t x = 0; x < w->out_w; x++, pixel += w->out_c) {
      const ash_rt_conv_box_mve_f32 b = ash_rt_conv_box_of_mve_f32(w, in, y, x);
      const float *weights = filter;
      for (int32_t c = 0; c < w->out_c; c += ASH_RT_MVE_F32_GROUP) {
        const ash_rt_eight_f32 s = ash_rt_conv_sum_mve_f32(&b, weights);
        ash_rt_finish_mve_f32(&s, bias ? bias + c : 0, w->out_c - c, p->act_min,
                              p->act_max, pixel + c);
        weights += step;
      }
    }
  }
}

/* kernel conv_2d_f32_mve */
void ash_rt_conv_2d_f32_mve(const ash_rt_conv_2d_f32_params *p, const float *in,
                            const float *bias, const float *filter,
                            float *out) {
  const ash_rt_window *w = &p->window;
  for (int32_t n = 0; n < w->batches; n++) {
    const ash_rt_lines i = ash_rt_image_in(w, in, n, sizeof *in);
    const ash_rt_lines o = ash_rt_image_out(w, out, n, sizeof *out);
    ash_rt_conv_core_mve_f32(p, &i, bias, filter, &o, 0, w->out_h);
  }
}

/* kernel conv_2d_f32_mve_lines */
void ash_rt_conv_2d_f32_mve_lines(const ash_rt_conv_2d_f32_params *p,
                                  const ash_rt_lines *in, const float *bias,
                                  const float *filter, const ash_rt_lines *out,
                                  int32_t from, int32_t to) {
  ash_rt_conv_core_mve_f32(p, in, bias, filter, out, from, to);
}
