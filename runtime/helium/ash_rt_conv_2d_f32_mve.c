/* ash_rt_conv_2d_f32_mve.c - convolution, float32, with Helium: eight output
 * channels at once, from weights packed for that; each is summed over rows,
 * columns and channels in this order, the bias last. */
#include "ash_rt_mve_f32.h"

/* The taps of one pixel inside the input: rows of runs. */
typedef struct ash_rt_conv_box_mve_f32 {
  const float *in;
  ptrdiff_t filter_at; /* of the first tap, in taps */
  int32_t rows, runs, count;
  ptrdiff_t in_row, in_run, filter_row;
} ash_rt_conv_box_mve_f32;

static ash_rt_conv_box_mve_f32
ash_rt_conv_box_of_mve_f32(const ash_rt_window *w, const float *in, int32_t y,
                           int32_t x) {
  const ash_rt_pixel_taps t = ash_rt_pixel_taps_of(w, y, x);
  const int32_t columns = t.h.hi - t.h.lo;
  const int joined = w->dilation_w == 1;
  ash_rt_conv_box_mve_f32 b;
  b.rows = columns ? t.v.hi - t.v.lo : 0;
  b.runs = joined ? 1 : columns;
  b.count = joined ? columns * w->in_c : w->in_c;
  b.in = in;
  if (b.rows)
    b.in += ((ptrdiff_t)(t.top + t.v.lo * w->dilation_h) * w->in_w + t.left +
             t.h.lo * w->dilation_w) *
            w->in_c;
  b.filter_at = ((ptrdiff_t)t.v.lo * w->filter_w + t.h.lo) * w->in_c;
  b.in_row = (ptrdiff_t)w->dilation_h * w->in_w * w->in_c;
  b.in_run = (ptrdiff_t)w->dilation_w * w->in_c;
  b.filter_row = (ptrdiff_t)w->filter_w * w->in_c;
  return b;
}

static ash_rt_eight_f32
ash_rt_conv_sum_mve_f32(const ash_rt_conv_box_mve_f32 *b, const float *filter) {
  ash_rt_eight_f32 s = ash_rt_zero_mve_f32();
  const float *row = b->in;
  const float *w = filter + b->filter_at * ASH_RT_MVE_F32_GROUP;
  for (int32_t y = 0; y < b->rows; y++) {
    for (int32_t k = 0; k < b->runs; k++)
      s = ash_rt_dot_mve_f32(s, row + k * b->in_run,
                             w + (ptrdiff_t)k * b->count * ASH_RT_MVE_F32_GROUP,
                             b->count);
    row += b->in_row;
    w += b->filter_row * ASH_RT_MVE_F32_GROUP;
  }
  return s;
}

void ash_rt_conv_2d_f32_mve(const ash_rt_conv_2d_f32_params *p, const float *in,
                            const float *bias, const float *filter,
                            float *out) {
  const ash_rt_window *w = &p->window;
  const ptrdiff_t step =
      (ptrdiff_t)w->filter_h * w->filter_w * w->in_c * ASH_RT_MVE_F32_GROUP;
  for (int32_t n = 0; n < w->batches; n++) {
    for (int32_t y = 0; y < w->out_h; y++)
      for (int32_t x = 0; x < w->out_w; x++, out += w->out_c) {
        const ash_rt_conv_box_mve_f32 b =
            ash_rt_conv_box_of_mve_f32(w, in, y, x);
        const float *weights = filter;
        for (int32_t c = 0; c < w->out_c; c += ASH_RT_MVE_F32_GROUP) {
          const ash_rt_eight_f32 s = ash_rt_conv_sum_mve_f32(&b, weights);
          ash_rt_finish_mve_f32(&s, bias ? bias + c : 0, w->out_c - c,
                                p->act_min, p->act_max, out + c);
          weights += step;
        }
      }
    in += (ptrdiff_t)w->in_h * w->in_w * w->in_c;
  }
}
