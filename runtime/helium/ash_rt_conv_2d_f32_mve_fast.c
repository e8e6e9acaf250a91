/* ash_rt_conv_2d_f32_mve_fast.c - convolution, float32, with Helium and fused
 * multiply-add: three neighbouring pixels of a line by eight output channels at
 * once, from weights packed for that. */
#include "ash_rt_mve_fast.h"

/* The taps of pixels side by side that all have the same inside the input: rows
 * of runs, in every `in_step`th line of `in`. */
typedef struct ash_rt_conv_box_fast {
  ash_rt_lines in;
  ptrdiff_t filter_at; /* of the first tap, in taps */
  int32_t rows, runs, count;
  int32_t in_step;
  ptrdiff_t in_run, filter_row, pixel; /* elements to the next of each */
} ash_rt_conv_box_fast;

ASH_RT_INLINE ash_rt_conv_box_fast ash_rt_conv_box_of_fast(
    const ash_rt_window *w, const ash_rt_lines *in, int32_t y, int32_t x) {
  const ash_rt_pixel_taps t = ash_rt_pixel_taps_of(w, y, x);
  const int32_t columns = t.h.hi - t.h.lo;
  const int joined = w->dilation_w == 1;
  ash_rt_conv_box_fast b;
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
  b.pixel = (ptrdiff_t)w->stride_w * w->in_c;
  return b;
}

/* Channels from c on, as many as a group has, of one or three pixels. */
ASH_RT_INLINE void ash_rt_conv_group_fast(const ash_rt_conv_2d_f32_params *p,
                                          const ash_rt_conv_box_fast *b,
                                          int pixels, const float *bias,
                                          const float *filter, int32_t c,
                                          float *out) {
  const int32_t rest = p->window.out_c - c;
  const float *w = filter + b->filter_at * ASH_RT_MVE_F32_GROUP;
  ash_rt_block_fast s;
  ash_rt_begin_mve_fast(&s, bias ? bias + c : 0, rest);
  for (int32_t y = 0; y < b->rows; y++) {
    const float *const row = ash_rt_line(&b->in, y * b->in_step);
    for (int32_t k = 0; k < b->runs; k++)
      ash_rt_run_mve_fast(&s, pixels, row + k * b->in_run, b->pixel,
                          w + (ptrdiff_t)k * b->count * ASH_RT_MVE_F32_GROUP,
                          b->count);
    w += b->filter_row * ASH_RT_MVE_F32_GROUP;
  }
  for (int i = 0; i < pixels; i++)
    ash_rt_finish_mve_fast(&s, i, rest, p->act_min, p->act_max,
                           out + i * p->window.out_c + c);
}

/* One or three pixels from (y, x) on. */
ASH_RT_INLINE void ash_rt_conv_pixels_fast(const ash_rt_conv_2d_f32_params *p,
                                           const ash_rt_lines *in,
                                           const float *bias,
                                           const float *filter, int32_t y,
                                           int32_t x, int pixels, float *out) {
  const ash_rt_window *w = &p->window;
  const ash_rt_conv_box_fast b = ash_rt_conv_box_of_fast(w, in, y, x);
  const ptrdiff_t step =
      (ptrdiff_t)w->filter_h * w->filter_w * w->in_c * ASH_RT_MVE_F32_GROUP;
  for (int32_t c = 0; c < w->out_c; c += ASH_RT_MVE_F32_GROUP, filter += step)
    ash_rt_conv_group_fast(p, &b, pixels, bias, filter, c, out);
}

/* Output lines [from, to). */
ASH_RT_INLINE void ash_rt_conv_core_fast(const ash_rt_conv_2d_f32_params *p,
                                         const ash_rt_lines *in,
                                         const float *bias, const float *filter,
                                         const ash_rt_lines *out, int32_t from,
                                         int32_t to) {
  const ash_rt_window *w = &p->window;
  const ash_rt_taps inner = ash_rt_inner_columns(w);
  for (int32_t y = from; y < to; y++) {
    float *pixel = ash_rt_line_out(out, y);
    for (int32_t x = 0; x < w->out_w;) {
      const int full = x >= inner.lo && x + ASH_RT_MVE_FAST_PIXELS <= inner.hi;
      const int32_t pixels = full ? ASH_RT_MVE_FAST_PIXELS : 1;
      if (full)
        ash_rt_conv_pixels_fast(p, in, bias, filter, y, x,
                                ASH_RT_MVE_FAST_PIXELS, pixel);
      else
        ash_rt_conv_pixels_fast(p, in, bias, filter, y, x, 1, pixel);
      x += pixels;
      pixel += (ptrdiff_t)pixels * w->out_c;
    }
  }
}

/* kernel conv_2d_f32_mve_fast */
/* Is an image one long line: pixels of 1 x 1, one output for each input? */
ASH_RT_INLINE int ash_rt_is_one_line_fast(const ash_rt_window *w) {
  return w->filter_h == 1 && w->filter_w == 1 && w->in_h == w->out_h &&
         w->in_w == w->out_w && w->stride_h == 1 && w->stride_w == 1 &&
         w->pad_top == 0 && w->pad_left == 0;
}

void ash_rt_conv_2d_f32_mve_fast(const ash_rt_conv_2d_f32_params *p,
                                 const float *in, const float *bias,
                                 const float *filter, float *out) {
  ash_rt_conv_2d_f32_params layer = *p;
  ash_rt_window *w = &layer.window;
  if (ash_rt_is_one_line_fast(w)) {
    w->out_w = w->in_w = w->in_w * w->in_h;
    w->out_h = w->in_h = 1;
  }
  for (int32_t n = 0; n < w->batches; n++) {
    const ash_rt_lines i = ash_rt_image_in(w, in, n, sizeof *in);
    const ash_rt_lines o = ash_rt_image_out(w, out, n, sizeof *out);
    ash_rt_conv_core_fast(&layer, &i, bias, filter, &o, 0, w->out_h);
  }
}

/* kernel conv_2d_f32_mve_fast_lines */
void ash_rt_conv_2d_f32_mve_fast_lines(const ash_rt_conv_2d_f32_params *p,
                                       const ash_rt_lines *in,
                                       const float *bias, const float *filter,
                                       const ash_rt_lines *out, int32_t from,
                                       int32_t to) {
  ash_rt_conv_core_fast(p, in, bias, filter, out, from, to);
}
