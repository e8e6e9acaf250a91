/* ash_rt_depthwise_conv_2d_f32_mve.c - depthwise convolution, float32, with
 * Helium, one output channel an input channel: four neighbouring channels at
 * once, each summed over rows, then columns, the bias last. */
#include "ash_rt_mve_f32.h"

/* The taps of one pixel inside the input. */
typedef struct ash_rt_depthwise_box_mve_f32 {
  const float *in, *filter;
  int32_t rows, columns;
  ptrdiff_t in_row, in_column, filter_row, filter_column;
} ash_rt_depthwise_box_mve_f32;

static ash_rt_depthwise_box_mve_f32
ash_rt_depthwise_box_of_mve_f32(const ash_rt_window *w, const float *in,
                                const float *filter, int32_t y, int32_t x) {
  const ash_rt_pixel_taps t = ash_rt_pixel_taps_of(w, y, x);
  ash_rt_depthwise_box_mve_f32 b = {in, filter, 0, t.h.hi - t.h.lo, 0, 0, 0, 0};
  b.rows = b.columns ? t.v.hi - t.v.lo : 0;
  if (b.rows) {
    b.in += ((ptrdiff_t)(t.top + t.v.lo * w->dilation_h) * w->in_w + t.left +
             t.h.lo * w->dilation_w) *
            w->in_c;
    b.filter += ((ptrdiff_t)t.v.lo * w->filter_w + t.h.lo) * w->in_c;
  }
  b.in_row = (ptrdiff_t)w->dilation_h * w->in_w * w->in_c;
  b.in_column = (ptrdiff_t)w->dilation_w * w->in_c;
  b.filter_row = (ptrdiff_t)w->filter_w * w->in_c;
  b.filter_column = w->in_c;
  return b;
}

/* Channels c to c + 3, of which `rest` exist. */
static void ash_rt_depthwise_four_mve_f32(const ash_rt_window_f32_params *p,
                                          const ash_rt_depthwise_box_mve_f32 *b,
                                          const float *bias, int32_t c,
                                          int32_t rest, float *out) {
  const float *row = b->in + c, *filter = b->filter + c;
#if ASH_RT_HAS_MVE_F32
  const mve_pred16_t some = vctp32q((uint32_t)rest);
  float32x4_t s = vdupq_n_f32(0.0f);
  for (int32_t y = b->rows; y > 0; y--) {
    const float *x = row, *w = filter;
    for (int32_t k = b->columns; k > 0; k--) {
      s = vaddq_f32(s, vmulq_f32(vldrwq_z_f32(x, some), vldrwq_z_f32(w, some)));
      x += b->in_column;
      w += b->filter_column;
    }
    row += b->in_row;
    filter += b->filter_row;
  }
  ash_rt_put_mve_f32(s, bias ? bias + c : 0, rest, p->act_min, p->act_max,
                     out + c);
#else
  for (int32_t i = 0; i < 4 && i < rest; i++) {
    float s = 0.0f;
    for (int32_t y = 0; y < b->rows; y++)
      for (int32_t k = 0; k < b->columns; k++)
        s += row[y * b->in_row + k * b->in_column + i] *
             filter[y * b->filter_row + k * b->filter_column + i];
    out[c + i] =
        ash_rt_clamp_f32(bias ? s + bias[c + i] : s, p->act_min, p->act_max);
  }
#endif
}

void ash_rt_depthwise_conv_2d_f32_mve(const ash_rt_window_f32_params *p,
                                      const float *in, const float *filter,
                                      const float *bias, float *out) {
  const ash_rt_window *w = &p->window;
  for (int32_t n = 0; n < w->batches; n++) {
    for (int32_t y = 0; y < w->out_h; y++)
      for (int32_t x = 0; x < w->out_w; x++, out += w->out_c) {
        const ash_rt_depthwise_box_mve_f32 b =
            ash_rt_depthwise_box_of_mve_f32(w, in, filter, y, x);
        for (int32_t c = 0; c < w->out_c; c += 4)
          ash_rt_depthwise_four_mve_f32(p, &b, bias, c, w->out_c - c, out);
      }
    in += (ptrdiff_t)w->in_h * w->in_w * w->in_c;
  }
}
