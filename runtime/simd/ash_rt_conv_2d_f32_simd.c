/* ash_rt_conv_2d_f32_simd.c - convolution, float32, with vectors of x86-64 and
 * AArch64: the input of eight pixels becomes columns (im2col), zeros where
 * there is padding; then sixteen or 32 channels are summed up for all of them
 * at once, each over rows, columns and channels in this order, the bias last.
 */
#include "ash_rt_simd_f32.h"

static float *ash_rt_conv_zeros_f32(float *to, int32_t count) {
  for (int32_t i = 0; i < count; i++)
    to[i] = 0.0f;
  return to + count;
}

/* A row of taps; `left` is the column of the first. */
static inline float *ash_rt_conv_row_f32(const ash_rt_window *w,
                                         const float *line, int32_t left,
                                         float *to) {
  const ash_rt_taps h =
      ash_rt_taps_of(left, w->filter_w, w->dilation_w, w->in_w);
  const int32_t joined = w->dilation_w == 1 ? h.hi - h.lo : 1;
  to = ash_rt_conv_zeros_f32(to, h.lo * w->in_c);
  for (int32_t k = h.lo; k < h.hi; k += joined, to += joined * w->in_c)
    ASH_RT_COPY(to, line + (ptrdiff_t)(left + k * w->dilation_w) * w->in_c,
                (size_t)joined * (size_t)w->in_c * sizeof *to);
  return ash_rt_conv_zeros_f32(to, (w->filter_w - h.hi) * w->in_c);
}

static ASH_RT_NOINLINE void ash_rt_conv_column_f32(const ash_rt_window *w,
                                                   const ash_rt_lines *in,
                                                   int32_t y, int32_t x,
                                                   float *to) {
  const int32_t left = x * w->stride_w - w->pad_left;
  int32_t row = y * w->stride_h - w->pad_top;
  for (int32_t k = 0; k < w->filter_h; k++, row += w->dilation_h)
    to = row >= 0 && row < w->in_h
             ? ash_rt_conv_row_f32(w, ash_rt_line(in, row), left, to)
             : ash_rt_conv_zeros_f32(to, w->filter_w * w->in_c);
}

/* The column of a pixel without padding, whose rows of taps are runs. */
ASH_RT_INLINE void ash_rt_conv_inner_simd_f32(const ash_rt_window *w,
                                              const ash_rt_lines *in, int32_t y,
                                              int32_t x, float *to) {
  const int32_t run = w->filter_w * w->in_c;
  const ptrdiff_t left = (ptrdiff_t)(x * w->stride_w - w->pad_left) * w->in_c;
  int32_t row = y * w->stride_h - w->pad_top;
  for (int32_t k = 0; k < w->filter_h; k++, row += w->dilation_h, to += run) {
    const float *const line = (const float *)ash_rt_line(in, row) + left;
    for (int32_t i = 0; i < run; i += 16)
      ash_rt_store_simd(to + i, ash_rt_some_simd(line + i, run - i), run - i);
  }
}

/* Output lines [from, to): pixels are made when their columns are complete, so
 * that nothing is written before what is read. */
ASH_RT_INLINE void
ash_rt_conv_core_simd_f32(const ash_rt_conv_2d_f32_params *p,
                          const ash_rt_lines *in, const float *bias,
                          const float *filter, const ash_rt_lines *out,
                          int32_t from, int32_t to, float *columns) {
  const ash_rt_window *w = &p->window;
  const int32_t taps = w->filter_h * w->filter_w * w->in_c;
  const ash_rt_block_f32 k = {
      columns,   taps, filter,   (ptrdiff_t)taps * ASH_RT_SIMD_F32_GROUP,
      bias,      taps, w->out_c, p->act_min,
      p->act_max};
  const ash_rt_taps inside = ash_rt_inner_columns(w);
  float *made[ASH_RT_SIMD_F32_PIXELS];
  int32_t pixels = 0;
  for (int32_t y = from; y < to; y++) {
    const int inner = w->dilation_w == 1 && ash_rt_is_inner_line(w, y);
    float *pixel = ash_rt_line_out(out, y);
    for (int32_t x = 0; x < w->out_w; x++, pixel += w->out_c) {
      float *const column = columns + (ptrdiff_t)pixels * taps;
      if (inner && x >= inside.lo && x < inside.hi)
        ash_rt_conv_inner_simd_f32(w, in, y, x, column);
      else
        ash_rt_conv_column_f32(w, in, y, x, column);
      made[pixels++] = pixel;
      if (pixels == ASH_RT_SIMD_F32_PIXELS) {
        ash_rt_dot_simd_f32(&k, pixels, made);
        pixels = 0;
      }
    }
  }
  ash_rt_dot_simd_f32(&k, pixels, made);
}

/* kernel conv_2d_f32_simd */
void ash_rt_conv_2d_f32_simd(const ash_rt_conv_2d_f32_params *p,
                             const float *in, const float *bias,
                             const float *filter, float *out, void *scratch) {
  const ash_rt_window *w = &p->window;
  for (int32_t n = 0; n < w->batches; n++) {
    const ash_rt_lines i = ash_rt_image_in(w, in, n, sizeof *in);
    const ash_rt_lines o = ash_rt_image_out(w, out, n, sizeof *out);
    ash_rt_conv_core_simd_f32(p, &i, bias, filter, &o, 0, w->out_h, scratch);
  }
}

/* kernel conv_2d_f32_simd_lines */
void ash_rt_conv_2d_f32_simd_lines(const ash_rt_conv_2d_f32_params *p,
                                   const ash_rt_lines *in, const float *bias,
                                   const float *filter, const ash_rt_lines *out,
                                   int32_t from, int32_t to, void *scratch) {
  ash_rt_conv_core_simd_f32(p, in, bias, filter, out, from, to, scratch);
}
