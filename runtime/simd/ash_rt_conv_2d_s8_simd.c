/* ash_rt_conv_2d_s8_simd.c - convolution, int8, with vectors of x86-64 and
 * AArch64.
 *
 * The input of eight pixels becomes columns (im2col); then sixteen or 32
 * channels are summed up for all of them at once. */
#include "ash_rt_simd.h"

typedef struct ash_rt_conv_simd {
  const ash_rt_conv_2d_s8_params *p;
  const int32_t *multiplier;
  const int8_t *shift;
  const int32_t *bias;
  const int8_t *filter;
  int32_t blocks;  /* of four taps, in a column */
  int8_t *columns; /* of eight pixels */
} ash_rt_conv_simd;

static inline ash_rt_conv_simd
ash_rt_conv_begin_simd(const ash_rt_conv_2d_s8_params *p,
                       const int32_t *multiplier, const int8_t *shift,
                       const int32_t *bias, const int8_t *filter,
                       void *scratch) {
  const ash_rt_window *w = &p->window;
  const int32_t blocks = (w->filter_h * w->filter_w * w->in_c + 3) / 4;
  const ash_rt_conv_simd k = {p,      multiplier, shift,  bias,
                              filter, blocks,     scratch};
  return k;
}

/* A group whose outputs never change. */
static void ash_rt_conv_fill_simd(const ash_rt_conv_simd *k, int32_t c,
                                  int32_t pixels, int8_t *const *out) {
  const int32_t rest = k->p->window.out_c - c;
  for (int32_t i = 0; i < pixels; i++)
    for (int32_t j = 0; j < ASH_RT_SIMD_GROUP && j < rest; j++)
      out[i][c + j] = (int8_t)k->bias[c + j];
}

static inline void ash_rt_conv_scale_simd(const ash_rt_conv_simd *k, int32_t c,
                                          const int32_t *sums, int32_t pixels,
                                          int8_t *const *out) {
  const ash_rt_range_simd r = {k->p->out_offset, k->p->act_min, k->p->act_max};
  const ash_rt_sixteen_simd s =
      ash_rt_sixteen_of_simd(k->multiplier + c, k->shift + c);
  for (int32_t i = 0; i < pixels; i++, sums += ASH_RT_SIMD_SUMS)
    ash_rt_put_simd(&s, sums, &r, k->p->window.out_c - c, out[i] + c);
}

/* All channels of up to eight pixels, whose columns are made. */
static void ash_rt_conv_pixels_simd(const ash_rt_conv_simd *k, int32_t pixels,
                                    int8_t *const *out) {
  const int32_t channels = k->p->window.out_c;
  const ptrdiff_t group = (ptrdiff_t)64 * k->blocks;
  int32_t sums[ASH_RT_SIMD_PIXELS * ASH_RT_SIMD_SUMS];
  ash_rt_block_simd b = {
      k->columns, (ptrdiff_t)4 * k->blocks, k->filter, group, NULL, k->blocks};
  for (int32_t c = 0; c < channels;) {
    const int32_t next = c + ASH_RT_SIMD_GROUP;
    if (k->shift[c] > 0) {
      ash_rt_conv_fill_simd(k, c, pixels, out);
      c = next;
      continue;
    }
    const int32_t groups = next < channels && k->shift[next] <= 0 ? 2 : 1;
    b.bias = ash_rt_bias_simd(k->bias, channels) + c;
    ash_rt_dot_simd(&b, pixels, groups, sums);
    for (int32_t g = 0; g < groups; g++, c += ASH_RT_SIMD_GROUP)
      ash_rt_conv_scale_simd(k, c, sums + ASH_RT_SIMD_GROUP * g, pixels, out);
    b.w += groups * group;
  }
}

/* Output lines [from, to): pixels are made when their columns are complete, so
 * that nothing is written before what is read. */
ASH_RT_INLINE void ash_rt_conv_core_simd(const ash_rt_conv_simd *k,
                                         const ash_rt_lines *in,
                                         const ash_rt_lines *out, int32_t from,
                                         int32_t to) {
  const ash_rt_window *w = &k->p->window;
  const ptrdiff_t pitch = (ptrdiff_t)4 * k->blocks;
  const ash_rt_taps inside = ash_rt_inside_simd(w);
  int8_t *made[ASH_RT_SIMD_PIXELS];
  int32_t pixels = 0;
  for (int32_t y = from; y < to; y++) {
    int8_t *pixel = ash_rt_line_out(out, y);
    for (int32_t x = 0; x < w->out_w; x++, pixel += w->out_c) {
      ash_rt_column_simd(k->p, in, inside, y, x, k->columns + pixels * pitch);
      made[pixels++] = pixel;
      if (pixels == ASH_RT_SIMD_PIXELS) {
        ash_rt_conv_pixels_simd(k, pixels, made);
        pixels = 0;
      }
    }
  }
  if (pixels > 0)
    ash_rt_conv_pixels_simd(k, pixels, made);
}

/* kernel conv_2d_s8_simd */
void ash_rt_conv_2d_s8_simd(const ash_rt_conv_2d_s8_params *p, const int8_t *in,
                            const int32_t *multiplier, const int8_t *shift,
                            const int32_t *bias, const int8_t *filter,
                            int8_t *out, void *scratch) {
  const ash_rt_window *w = &p->window;
  const ash_rt_conv_simd k =
      ash_rt_conv_begin_simd(p, multiplier, shift, bias, filter, scratch);
  for (int32_t n = 0; n < w->batches; n++) {
    const ash_rt_lines i = ash_rt_image_in(w, in, n, sizeof *in);
    const ash_rt_lines o = ash_rt_image_out(w, out, n, sizeof *out);
    ash_rt_conv_core_simd(&k, &i, &o, 0, w->out_h);
  }
}

/* kernel conv_2d_s8_simd_lines */
void ash_rt_conv_2d_s8_simd_lines(const ash_rt_conv_2d_s8_params *p,
                                  const ash_rt_lines *in,
                                  const int32_t *multiplier,
                                  const int8_t *shift, const int32_t *bias,
                                  const int8_t *filter, const ash_rt_lines *out,
                                  int32_t from, int32_t to, void *scratch) {
  const ash_rt_conv_simd k =
      ash_rt_conv_begin_simd(p, multiplier, shift, bias, filter, scratch);
  ash_rt_conv_core_simd(&k, in, out, from, to);
}
