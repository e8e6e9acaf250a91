/* ash_rt_layers_s16_dsp.c - convolutions and fully connected layers of int16 by
 * int8, with Arm's DSP instructions: two products at once, summed up in 64
 * bits. Weights are read in the model's order. */
#include "ash_rt_dsp_s16.h"

/* kernels conv_2d_s16_dsp, conv_2d_s16_dsp_lines */
static inline int16_t *ash_rt_copy_s16_dsp(int16_t *to, const int16_t *from,
                                           int32_t count) {
  for (int32_t i = 0; i < count; i++)
    to[i] = (int16_t)(from ? from[i] : 0);
  return to + count;
}

/* Where blocks of four do not begin with a pixel, the column is made in one
 * piece first, behind the two columns. */
static void ash_rt_conv_column_s16_dsp(const ash_rt_layer *k,
                                       const ash_rt_lines *in, int32_t y,
                                       int32_t x, int32_t taps, int16_t *to,
                                       int16_t *piece) {
  const ash_rt_window *w = &k->p->window;
  if (w->in_c % 4 == 0) {
    (void)ash_rt_column_s16(w, in, y, x, to, ash_rt_spread_s16_dsp);
    return;
  }
  (void)ash_rt_column_s16(w, in, y, x, piece, ash_rt_copy_s16_dsp);
  (void)ash_rt_spread_s16_dsp(to, piece, taps);
}

/* Output lines [from, to), by pairs of pixels. */
ASH_RT_INLINE void ash_rt_conv_lines_s16_dsp(const ash_rt_layer *k,
                                             const ash_rt_lines *in,
                                             const ash_rt_lines *out,
                                             int32_t from, int32_t to,
                                             void *scratch) {
  const ash_rt_window *w = &k->p->window;
  int16_t *const columns = ash_rt_channels_s16(k, scratch);
  const ash_rt_channel_s16 *const channels = scratch;
  const int32_t taps = w->filter_h * w->filter_w * w->in_c;
  int16_t *const piece = columns + ASH_RT_COLUMN_STEP * ((taps + 3) / 4);
  for (int32_t y = from; y < to; y++) {
    int16_t *pixel = ash_rt_line_out(out, y);
    for (int32_t x = 0; x < w->out_w; x += 2, pixel += 2 * w->out_c) {
      const int both = x + 1 < w->out_w;
      const int8_t *f = k->filter;
      ash_rt_conv_column_s16_dsp(k, in, y, x, taps, columns, piece);
      if (both)
        ash_rt_conv_column_s16_dsp(k, in, y, x + 1, taps, columns + 4, piece);
      for (int32_t c = 0; c < w->out_c; c++, f += taps) {
        int64_t sums[2];
        if (both)
          ash_rt_dot_both_dsp(sums, columns, f, taps);
        else
          sums[0] = ash_rt_dot_alone_dsp(columns, f, taps);
        pixel[c] = ash_rt_channel_out_s16(k->p, &channels[c], sums[0]);
        if (both)
          pixel[w->out_c + c] =
              ash_rt_channel_out_s16(k->p, &channels[c], sums[1]);
      }
    }
  }
}

/* kernel conv_2d_s16_dsp */
void ash_rt_conv_2d_s16_dsp(const ash_rt_layer_params *p, const int16_t *in,
                            const int8_t *filter, const void *bias,
                            const int32_t *multiplier, const int8_t *shift,
                            int16_t *out, void *scratch) {
  const ash_rt_layer k = {p, filter, bias, multiplier, shift};
  const ash_rt_window *w = &p->window;
  for (int32_t n = 0; n < w->batches; n++) {
    const ash_rt_lines i = ash_rt_image_in(w, in, n, sizeof *in);
    const ash_rt_lines o = ash_rt_image_out(w, out, n, sizeof *out);
    ash_rt_conv_lines_s16_dsp(&k, &i, &o, 0, w->out_h, scratch);
  }
}

/* kernel conv_2d_s16_dsp_lines */
void ash_rt_conv_2d_s16_dsp_lines(const ash_rt_layer_params *p,
                                  const ash_rt_lines *in, const int8_t *filter,
                                  const void *bias, const int32_t *multiplier,
                                  const int8_t *shift, const ash_rt_lines *out,
                                  int32_t from, int32_t to, void *scratch) {
  const ash_rt_layer k = {p, filter, bias, multiplier, shift};
  ash_rt_conv_lines_s16_dsp(&k, in, out, from, to, scratch);
}

/* kernels depthwise_conv_2d_s16_dsp, depthwise_conv_2d_s16_dsp_lines */
#if ASH_RT_HAS_DSP
static inline int32_t ash_rt_mla_high_low(int32_t s, uint32_t a, uint32_t b) {
  __asm__("smlatb %0, %1, %2, %0" : "+r"(s) : "r"(a), "r"(b));
  return s;
}

/* Channels c to c + 3. */
ASH_RT_INLINE void ash_rt_depthwise_quad_s16_dsp(const ash_rt_layer *k,
                                                 const ash_rt_lines *in,
                                                 const ash_rt_pixel_taps *t,
                                                 int32_t c, int32_t *sums) {
  const ash_rt_window *w = &k->p->window;
  const ptrdiff_t step = (ptrdiff_t)w->dilation_w * w->in_c;
  int32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  for (int32_t v = t->v.lo; v < t->v.hi; v++) {
    const int16_t *x =
        (const int16_t *)ash_rt_line(in, t->top + v * w->dilation_h) +
        (ptrdiff_t)(t->left + t->h.lo * w->dilation_w) * w->in_c + c;
    const int8_t *f = (const int8_t *)k->filter +
                      (ptrdiff_t)(v * w->filter_w + t->h.lo) * w->in_c + c;
    for (int32_t h = t->h.hi - t->h.lo; h > 0; h--, x += step, f += w->in_c) {
      const uint32_t a = ash_rt_load_halves(x), b = ash_rt_load_halves(x + 2);
      const uint32_t both = ash_rt_load_4(f);
      const uint32_t even = ash_rt_even(both), odd = ash_rt_odd(both);
      s0 = ash_rt_mla_low(s0, a, even);
      s1 = ash_rt_mla_high_low(s1, a, odd);
      s2 = ash_rt_mla_high_low(s2, even, b);
      s3 = ash_rt_mla_high(s3, b, odd);
    }
  }
  sums[0] = s0;
  sums[1] = s1;
  sums[2] = s2;
  sums[3] = s3;
}
#endif

ASH_RT_INLINE void ash_rt_depthwise_four_s16_dsp(const ash_rt_layer *k,
                                                 const ash_rt_lines *in,
                                                 const ash_rt_pixel_taps *t,
                                                 int32_t c, int32_t *sums) {
  const int32_t left = k->p->window.in_c - c;
#if ASH_RT_HAS_DSP
  if (left >= 4) {
    ash_rt_depthwise_quad_s16_dsp(k, in, t, c, sums);
    return;
  }
#endif
  ash_rt_depthwise_plain_s16(k, in, t, c, left < 4 ? left : 4, sums);
}

/* kernel depthwise_conv_2d_s16_dsp */
void ash_rt_depthwise_conv_2d_s16_dsp(const ash_rt_layer_params *p,
                                      const int16_t *in, const int8_t *filter,
                                      const void *bias,
                                      const int32_t *multiplier,
                                      const int8_t *shift, int16_t *out) {
  const ash_rt_layer k = {p, filter, bias, multiplier, shift};
  const ash_rt_window *w = &p->window;
  for (int32_t n = 0; n < w->batches; n++) {
    const ash_rt_lines i = ash_rt_image_in(w, in, n, sizeof *in);
    const ash_rt_lines o = ash_rt_image_out(w, out, n, sizeof *out);
    ash_rt_depthwise_lines_s16(&k, &i, &o, 0, w->out_h, 4,
                               ash_rt_depthwise_four_s16_dsp);
  }
}

/* kernel depthwise_conv_2d_s16_dsp_lines */
void ash_rt_depthwise_conv_2d_s16_dsp_lines(
    const ash_rt_layer_params *p, const ash_rt_lines *in, const int8_t *filter,
    const void *bias, const int32_t *multiplier, const int8_t *shift,
    const ash_rt_lines *out, int32_t from, int32_t to) {
  const ash_rt_layer k = {p, filter, bias, multiplier, shift};
  ash_rt_depthwise_lines_s16(&k, in, out, from, to, 4,
                             ash_rt_depthwise_four_s16_dsp);
}

/* kernel fully_connected_s16_dsp */
void ash_rt_fully_connected_s16_dsp(const ash_rt_dense_params *p,
                                    const int16_t *in, const int8_t *filter,
                                    const void *bias, const double *ratio,
                                    int16_t *out, void *scratch) {
  ash_rt_ratio r = ash_rt_ratio_of(ratio[0]);
  int16_t *const columns = scratch;
  for (int32_t b = 0; b < p->batches; b += 2, in += 2 * (ptrdiff_t)p->in_c) {
    const int both = b + 1 < p->batches;
    const int8_t *w = filter;
    (void)ash_rt_spread_s16_dsp(columns, in, p->in_c);
    if (both)
      (void)ash_rt_spread_s16_dsp(columns + 4, in + p->in_c, p->in_c);
    for (int32_t c = 0; c < p->out_c; c++, w += p->in_c) {
      int64_t sums[2];
      if (p->per_channel)
        r = ash_rt_ratio_of(ratio[c]);
      if (both)
        ash_rt_dot_both_dsp(sums, columns, w, p->in_c);
      else
        sums[0] = ash_rt_dot_alone_dsp(columns, w, p->in_c);
      out[c] = ash_rt_fc_out_s16(p, sums[0], bias, c, &r);
      if (both)
        out[p->out_c + c] = ash_rt_fc_out_s16(p, sums[1], bias, c, &r);
    }
    out += 2 * (ptrdiff_t)p->out_c;
  }
}
