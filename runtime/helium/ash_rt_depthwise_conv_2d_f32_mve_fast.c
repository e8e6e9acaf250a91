/* ash_rt_depthwise_conv_2d_f32_mve_fast.c - depthwise convolution, float32,
 * with Helium and fused multiply-add, one output channel an input channel: four
 * neighbouring pixels of a line by four channels at once. */
#include "ash_rt_mve_fast.h"

/* One pixel; four; four whose windows, three columns wide, overlap. */
typedef enum ash_rt_depthwise_way_fast {
  ASH_RT_FAST_ONE,
  ASH_RT_FAST_FOUR,
  ASH_RT_FAST_THREE_BY_FOUR
} ash_rt_depthwise_way_fast;

/* The taps of pixels side by side that all have the same inside the input, in
 * every `in_step`th line of `in`; distances in elements. */
typedef struct ash_rt_depthwise_box_fast {
  ash_rt_lines in;
  const float *filter;
  int32_t rows, columns;
  int32_t in_step;
  ptrdiff_t pixel, in_column, filter_row, filter_column;
} ash_rt_depthwise_box_fast;

ASH_RT_INLINE ash_rt_depthwise_box_fast
ash_rt_depthwise_box_of_fast(const ash_rt_window *w, const ash_rt_lines *in,
                             const float *filter, int32_t y, int32_t x) {
  const ash_rt_pixel_taps t = ash_rt_pixel_taps_of(w, y, x);
  ash_rt_depthwise_box_fast b;
  b.columns = t.h.hi - t.h.lo;
  b.rows = b.columns ? t.v.hi - t.v.lo : 0;
  b.in = ash_rt_lines_from(in, b.rows ? t.top + t.v.lo * w->dilation_h : 0,
                           (ptrdiff_t)(t.left + t.h.lo * w->dilation_w) *
                               w->in_c * (ptrdiff_t)sizeof *filter);
  b.in_step = w->dilation_h;
  b.pixel = (ptrdiff_t)w->stride_w * w->in_c;
  b.in_column = (ptrdiff_t)w->dilation_w * w->in_c;
  b.filter = filter + ((ptrdiff_t)t.v.lo * w->filter_w + t.h.lo) * w->in_c;
  b.filter_row = (ptrdiff_t)w->filter_w * w->in_c;
  b.filter_column = w->in_c;
  return b;
}

#if ASH_RT_HAS_MVE_F32
/* Sums of neighbouring pixels, four channels each. */
typedef struct ash_rt_quad_fast {
  float32x4_t a, b, c, d;
} ash_rt_quad_fast;

/* What lies behind the last channel is read as nothing. */
ASH_RT_INLINE float32x4_t ash_rt_channels_fast(const float *x, int32_t rest) {
  return rest >= 4 ? vldrwq_f32(x) : vldrwq_z_f32(x, vctp32q((uint32_t)rest));
}

/* One row of taps of one pixel. */
ASH_RT_INLINE void
ash_rt_depthwise_row_1_fast(ash_rt_quad_fast *s,
                            const ash_rt_depthwise_box_fast *b, const float *x,
                            const float *w, int32_t rest) {
  for (int32_t k = b->columns; k > 0; k--) {
    s->a = vfmaq_f32(s->a, ash_rt_channels_fast(w, rest),
                     ash_rt_channels_fast(x, rest));
    x += b->in_column;
    w += b->filter_column;
  }
}

/* Of four pixels, .. */
ASH_RT_INLINE void
ash_rt_depthwise_row_4_fast(ash_rt_quad_fast *s,
                            const ash_rt_depthwise_box_fast *b, const float *x,
                            const float *w, int32_t rest) {
  const float *x1 = x + b->pixel, *x2 = x1 + b->pixel, *x3 = x2 + b->pixel;
  for (int32_t k = b->columns; k > 0; k--) {
    const float32x4_t t = ash_rt_channels_fast(w, rest);
    s->a = vfmaq_f32(s->a, t, ash_rt_channels_fast(x, rest));
    s->b = vfmaq_f32(s->b, t, ash_rt_channels_fast(x1, rest));
    s->c = vfmaq_f32(s->c, t, ash_rt_channels_fast(x2, rest));
    s->d = vfmaq_f32(s->d, t, ash_rt_channels_fast(x3, rest));
    x += b->in_column;
    x1 += b->in_column;
    x2 += b->in_column;
    x3 += b->in_column;
    w += b->filter_column;
  }
}

/* .. three taps of which overlap: each input is read once. */
ASH_RT_INLINE void
ash_rt_depthwise_row_3x4_fast(ash_rt_quad_fast *s,
                              const ash_rt_depthwise_box_fast *b,
                              const float *x, const float *w, int32_t rest) {
  const ptrdiff_t next = b->filter_column;
  const float32x4_t u = ash_rt_channels_fast(w, rest);
  const float32x4_t v = ash_rt_channels_fast(w += next, rest);
  const float32x4_t t = ash_rt_channels_fast(w + next, rest);
  float32x4_t y = ash_rt_channels_fast(x, rest);
  s->a = vfmaq_f32(s->a, u, y);
  y = ash_rt_channels_fast(x += next, rest);
  s->a = vfmaq_f32(s->a, v, y);
  s->b = vfmaq_f32(s->b, u, y);
  y = ash_rt_channels_fast(x += next, rest);
  s->a = vfmaq_f32(s->a, t, y);
  s->b = vfmaq_f32(s->b, v, y);
  s->c = vfmaq_f32(s->c, u, y);
  y = ash_rt_channels_fast(x += next, rest);
  s->b = vfmaq_f32(s->b, t, y);
  s->c = vfmaq_f32(s->c, v, y);
  s->d = vfmaq_f32(s->d, u, y);
  y = ash_rt_channels_fast(x += next, rest);
  s->c = vfmaq_f32(s->c, t, y);
  s->d = vfmaq_f32(s->d, v, y);
  y = ash_rt_channels_fast(x + next, rest);
  s->d = vfmaq_f32(s->d, t, y);
}

ASH_RT_INLINE void ash_rt_depthwise_put_fast(float32x4_t s, float low,
                                             float high, int32_t rest,
                                             float *out) {
  s = ash_rt_clamp_mve_fast(s, low, high);
  if (rest >= 4)
    vstrwq_f32(out, s);
  else
    vstrwq_p_f32(out, s, vctp32q((uint32_t)rest));
}

/* Channels c to c + 3, of which `rest` exist, of one pixel or four. */
ASH_RT_INLINE void
ash_rt_depthwise_four_fast(const ash_rt_window_f32_params *p,
                           const ash_rt_depthwise_box_fast *b,
                           ash_rt_depthwise_way_fast way, const float *bias,
                           int32_t c, int32_t rest, float *out) {
  const float low = p->act_min, high = p->act_max;
  const ptrdiff_t next = p->window.out_c;
  const float *w = b->filter + c;
  const float32x4_t first =
      bias ? ash_rt_channels_fast(bias + c, rest) : vdupq_n_f32(0.0f);
  ash_rt_quad_fast s = {first, first, first, first};
  for (int32_t y = 0; y < b->rows; y++, w += b->filter_row) {
    const float *x = (const float *)ash_rt_line(&b->in, y * b->in_step) + c;
    if (way == ASH_RT_FAST_ONE)
      ash_rt_depthwise_row_1_fast(&s, b, x, w, rest);
    else if (way == ASH_RT_FAST_FOUR)
      ash_rt_depthwise_row_4_fast(&s, b, x, w, rest);
    else
      ash_rt_depthwise_row_3x4_fast(&s, b, x, w, rest);
  }
  out += c;
  ash_rt_depthwise_put_fast(s.a, low, high, rest, out);
  if (way == ASH_RT_FAST_ONE)
    return;
  ash_rt_depthwise_put_fast(s.b, low, high, rest, out += next);
  ash_rt_depthwise_put_fast(s.c, low, high, rest, out += next);
  ash_rt_depthwise_put_fast(s.d, low, high, rest, out + next);
}
#else
/* Channels c to c + 3, of which `rest` exist, of one pixel or four. */
ASH_RT_INLINE void
ash_rt_depthwise_four_fast(const ash_rt_window_f32_params *p,
                           const ash_rt_depthwise_box_fast *b,
                           ash_rt_depthwise_way_fast way, const float *bias,
                           int32_t c, int32_t rest, float *out) {
  for (int32_t i = 0; i < (way == ASH_RT_FAST_ONE ? 1 : 4); i++)
    for (int32_t k = c; k < c + 4 && k < c + rest; k++) {
      float s = bias ? bias[k] : 0.0f;
      for (int32_t y = 0; y < b->rows; y++) {
        const float *x = ash_rt_line(&b->in, y * b->in_step);
        for (int32_t t = 0; t < b->columns; t++)
          s += x[i * b->pixel + t * b->in_column + k] *
               b->filter[y * b->filter_row + t * b->filter_column + k];
      }
      out[i * p->window.out_c + k] =
          ash_rt_clamp_f32(s, p->act_min, p->act_max);
    }
}
#endif

/* One pixel or four from (y, x) on. */
ASH_RT_INLINE void
ash_rt_depthwise_pixels_fast(const ash_rt_window_f32_params *p,
                             const ash_rt_lines *in, const float *filter,
                             const float *bias, int32_t y, int32_t x,
                             ash_rt_depthwise_way_fast way, float *out) {
  const ash_rt_window *w = &p->window;
  const ash_rt_depthwise_box_fast b =
      ash_rt_depthwise_box_of_fast(w, in, filter, y, x);
  int32_t c = 0;
  ASH_RT_NO_UNROLL
  for (; c + 4 <= w->out_c; c += 4)
    ash_rt_depthwise_four_fast(p, &b, way, bias, c, 4, out);
  if (c < w->out_c)
    ash_rt_depthwise_four_fast(p, &b, way, bias, c, w->out_c - c, out);
}

/* Output lines [from, to). */
ASH_RT_INLINE void ash_rt_depthwise_core_fast(const ash_rt_window_f32_params *p,
                                              const ash_rt_lines *in,
                                              const float *filter,
                                              const float *bias,
                                              const ash_rt_lines *out,
                                              int32_t from, int32_t to) {
  const ash_rt_window *w = &p->window;
  const ash_rt_taps inner = ash_rt_inner_columns(w);
  const int overlap =
      w->filter_w == 3 && w->stride_w == 1 && w->dilation_w == 1;
  for (int32_t y = from; y < to; y++) {
    float *pixel = ash_rt_line_out(out, y);
    for (int32_t x = 0; x < w->out_w;) {
      const int full = x >= inner.lo && x + 4 <= inner.hi;
      if (full && overlap)
        ash_rt_depthwise_pixels_fast(p, in, filter, bias, y, x,
                                     ASH_RT_FAST_THREE_BY_FOUR, pixel);
      else if (full)
        ash_rt_depthwise_pixels_fast(p, in, filter, bias, y, x,
                                     ASH_RT_FAST_FOUR, pixel);
      else
        ash_rt_depthwise_pixels_fast(p, in, filter, bias, y, x, ASH_RT_FAST_ONE,
                                     pixel);
      x += full ? 4 : 1;
      pixel += (ptrdiff_t)(full ? 4 : 1) * w->out_c;
    }
  }
}

/* kernel depthwise_conv_2d_f32_mve_fast */
void ash_rt_depthwise_conv_2d_f32_mve_fast(const ash_rt_window_f32_params *p,
                                           const float *in, const float *filter,
                                           const float *bias, float *out) {
  const ash_rt_window *w = &p->window;
  for (int32_t n = 0; n < w->batches; n++) {
    const ash_rt_lines i = ash_rt_image_in(w, in, n, sizeof *in);
    const ash_rt_lines o = ash_rt_image_out(w, out, n, sizeof *out);
    ash_rt_depthwise_core_fast(p, &i, filter, bias, &o, 0, w->out_h);
  }
}

/* kernel depthwise_conv_2d_f32_mve_fast_lines */
void ash_rt_depthwise_conv_2d_f32_mve_fast_lines(
    const ash_rt_window_f32_params *p, const ash_rt_lines *in,
    const float *filter, const float *bias, const ash_rt_lines *out,
    int32_t from, int32_t to) {
  ash_rt_depthwise_core_fast(p, in, filter, bias, out, from, to);
}
