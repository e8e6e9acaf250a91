/* ash_rt_depthwise_conv_2d_s8.c - depthwise convolution, int8.
 *
 * Pixel by pixel, in memory order; with one output channel an input channel,
 * four neighbouring channels at once. */
#include "ash_rt_layers_s8.h"
#include "ash_rt_sums.h"

/* The taps of one pixel inside the input: `columns` pixels in every `in_step`th
 * line of `in`. */
typedef struct ash_rt_depthwise_box {
  ash_rt_lines in;
  const int8_t *filter;
  int32_t rows, columns;
  int32_t in_step;
  ptrdiff_t in_column;
  ptrdiff_t filter_row;
} ash_rt_depthwise_box;

ASH_RT_INLINE ash_rt_depthwise_box
ash_rt_depthwise_box_of(const ash_rt_window *w, const ash_rt_lines *in,
                        const int8_t *filter, int32_t y, int32_t x) {
  const ash_rt_pixel_taps t = ash_rt_pixel_taps_of(w, y, x);
  ash_rt_depthwise_box b;
  b.filter = filter + ((ptrdiff_t)t.v.lo * w->filter_w + t.h.lo) * w->out_c;
  b.columns = t.h.hi - t.h.lo;
  b.rows = b.columns ? t.v.hi - t.v.lo : 0;
  b.in =
      ash_rt_lines_from(in, b.rows ? t.top + t.v.lo * w->dilation_h : 0,
                        (ptrdiff_t)(t.left + t.h.lo * w->dilation_w) * w->in_c);
  b.in_step = w->dilation_h;
  b.in_column = (ptrdiff_t)w->dilation_w * w->in_c;
  b.filter_row = (ptrdiff_t)w->filter_w * w->out_c;
  return b;
}

/* The lines of the taps, from a channel on. `plain`: they are at equal
 * distances. */
ASH_RT_INLINE ash_rt_lines ash_rt_depthwise_lines(const ash_rt_depthwise_box *b,
                                                  int plain, int32_t c) {
  ash_rt_lines in = b->in;
  if (plain)
    in.at = NULL;
  return ash_rt_lines_from(&in, 0, c);
}

#if ASH_RT_LANES > 1
/* Sixteen neighbouring channels. */
ASH_RT_INLINE void ash_rt_depthwise_lanes(uint32_t *sums,
                                          const ash_rt_depthwise_box *b,
                                          int plain, int32_t c, ptrdiff_t pitch,
                                          int32_t offset) {
  uint32_t s[ASH_RT_LANES] = {0};
  const ash_rt_lines in = ash_rt_depthwise_lines(b, plain, c);
  for (int32_t y = 0; y < b->rows; y++) {
    const int8_t *const row = ash_rt_line(&in, y * b->in_step);
    for (int32_t k = 0; k < b->columns; k++) {
      const int8_t *x = row + k * b->in_column;
      const int8_t *w = b->filter + y * b->filter_row + k * pitch + c;
      for (int32_t i = 0; i < ASH_RT_LANES; i++)
        s[i] += (uint32_t)((ash_rt_factor)(x[i] + offset) * w[i]);
    }
  }
  ASH_RT_COPY(sums, s, sizeof s);
}
#endif

/* Four neighbouring channels. */
typedef void ash_rt_depthwise_four(uint32_t sums[4],
                                   const ash_rt_depthwise_box *b, int32_t c,
                                   ptrdiff_t pitch, int32_t offset);

ASH_RT_INLINE void ash_rt_depthwise_sum_4(uint32_t sums[4],
                                          const ash_rt_depthwise_box *b,
                                          int plain, int32_t c, ptrdiff_t pitch,
                                          int32_t offset) {
  uint32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  const ptrdiff_t step = b->in_column;
  const int32_t in_step = b->in_step;
  const int8_t *filter_row = b->filter + c;
  ash_rt_lines in = ash_rt_depthwise_lines(b, plain, c);
  for (int32_t y = b->rows; y > 0; y--) {
    const int8_t *x = ash_rt_line(&in, 0);
    const int8_t *w = filter_row;
    for (int32_t k = b->columns; k > 0; k--) {
      s0 += (uint32_t)((x[0] + offset) * w[0]);
      s1 += (uint32_t)((x[1] + offset) * w[1]);
      s2 += (uint32_t)((x[2] + offset) * w[2]);
      s3 += (uint32_t)((x[3] + offset) * w[3]);
      x += step;
      w += pitch;
    }
    in = ash_rt_lines_from(&in, in_step, 0);
    filter_row += b->filter_row;
  }
  sums[0] = s0;
  sums[1] = s1;
  sums[2] = s2;
  sums[3] = s3;
}

static uint32_t ash_rt_depthwise_sum(const ash_rt_depthwise_box *b,
                                     int32_t in_c, int32_t c, ptrdiff_t pitch,
                                     int32_t offset) {
  uint32_t s = 0;
  const int8_t *filter_row = b->filter + c;
  const ash_rt_lines in = ash_rt_lines_from(&b->in, 0, in_c);
  for (int32_t y = 0; y < b->rows; y++) {
    const int8_t *const in_row = ash_rt_line(&in, y * b->in_step);
    for (int32_t k = 0; k < b->columns; k++)
      s += (uint32_t)((in_row[k * b->in_column] + offset) *
                      filter_row[k * pitch]);
    filter_row += b->filter_row;
  }
  return s;
}

/* Output channels [c, c + n) of one pixel, one for each input channel. */
ASH_RT_INLINE void
ash_rt_depthwise_plain(const ash_rt_depthwise_conv_2d_s8_params *p,
                       const ash_rt_depthwise_box *b, int plain,
                       ash_rt_depthwise_four *four, int32_t c, int32_t n,
                       uint32_t *sums) {
  const int32_t end = c + n;
  (void)plain;
#if ASH_RT_LANES > 1
  for (; c + ASH_RT_LANES <= end; c += ASH_RT_LANES, sums += ASH_RT_LANES)
    ash_rt_depthwise_lanes(sums, b, plain, c, p->window.out_c, p->in_offset);
#endif
  for (; c + 4 <= end; c += 4, sums += 4)
    four(sums, b, c, p->window.out_c, p->in_offset);
  for (; c < end; c++)
    *sums++ = ash_rt_depthwise_sum(b, c, c, p->window.out_c, p->in_offset);
}

/* The same where several output channels share an input channel. */
static void ash_rt_depthwise_deep(const ash_rt_depthwise_conv_2d_s8_params *p,
                                  const ash_rt_depthwise_box *b, int32_t c,
                                  int32_t n, uint32_t *sums) {
  const int32_t depth = p->window.out_c / p->window.in_c;
  for (int32_t i = 0; i < n; i++)
    sums[i] = ash_rt_depthwise_sum(b, (c + i) / depth, c + i, p->window.out_c,
                                   p->in_offset);
}

ASH_RT_INLINE void
ash_rt_depthwise_pixel(const ash_rt_depthwise_conv_2d_s8_params *p,
                       const ash_rt_scale *s, const ash_rt_depthwise_box *b,
                       int plain, ash_rt_depthwise_four *four, int8_t *out) {
  const int32_t out_c = p->window.out_c;
  uint32_t sums[ASH_RT_CHUNK];
  for (int32_t c = 0; c < out_c; c += ASH_RT_CHUNK) {
    const int32_t n = out_c - c < ASH_RT_CHUNK ? out_c - c : ASH_RT_CHUNK;
    if (p->window.in_c == out_c)
      ash_rt_depthwise_plain(p, b, plain, four, c, n, sums);
    else
      ash_rt_depthwise_deep(p, b, c, n, sums);
    ash_rt_scale_s8(s, c, sums, n, out + c);
  }
}

/* Output lines [from, to). */
ASH_RT_INLINE void
ash_rt_depthwise_core_s8(const ash_rt_depthwise_conv_2d_s8_params *p,
                         const ash_rt_lines *in, const int8_t *filter,
                         const ash_rt_scale *s, int plain,
                         ash_rt_depthwise_four *four, const ash_rt_lines *out,
                         int32_t from, int32_t to) {
  const ash_rt_window *w = &p->window;
  for (int32_t y = from; y < to; y++) {
    int8_t *pixel = ash_rt_line_out(out, y);
    for (int32_t x = 0; x < w->out_w; x++, pixel += w->out_c) {
      const ash_rt_depthwise_box b =
          ash_rt_depthwise_box_of(w, in, filter, y, x);
      ash_rt_depthwise_pixel(p, s, &b, plain, four, pixel);
    }
  }
}

/* kernel depthwise_conv_2d_s8 */
/* Not inlined: alone, the loop fits the registers of small processors. */
static ASH_RT_NOINLINE void
ash_rt_depthwise_four_s8(uint32_t sums[4], const ash_rt_depthwise_box *b,
                         int32_t c, ptrdiff_t pitch, int32_t offset) {
  ash_rt_depthwise_sum_4(sums, b, 1, c, pitch, offset);
}

void ash_rt_depthwise_conv_2d_s8(const ash_rt_depthwise_conv_2d_s8_params *p,
                                 const int8_t *in, const int8_t *filter,
                                 const int32_t *bias, const int32_t *multiplier,
                                 const int8_t *shift, int8_t *out) {
  const ash_rt_window *w = &p->window;
  const ash_rt_scale s = {bias,          multiplier, shift,     p->per_channel,
                          p->out_offset, p->act_min, p->act_max};
  for (int32_t n = 0; n < w->batches; n++) {
    const ash_rt_lines i = ash_rt_image_in(w, in, n, sizeof *in);
    const ash_rt_lines o = ash_rt_image_out(w, out, n, sizeof *out);
    ash_rt_depthwise_core_s8(p, &i, filter, &s, 1, ash_rt_depthwise_four_s8, &o,
                             0, w->out_h);
  }
}

/* kernel depthwise_conv_2d_s8_lines */
static ASH_RT_NOINLINE void
ash_rt_depthwise_four_s8_lines(uint32_t sums[4], const ash_rt_depthwise_box *b,
                               int32_t c, ptrdiff_t pitch, int32_t offset) {
  ash_rt_depthwise_sum_4(sums, b, 0, c, pitch, offset);
}

void ash_rt_depthwise_conv_2d_s8_lines(
    const ash_rt_depthwise_conv_2d_s8_params *p, const ash_rt_lines *in,
    const int8_t *filter, const int32_t *bias, const int32_t *multiplier,
    const int8_t *shift, const ash_rt_lines *out, int32_t from, int32_t to) {
  const ash_rt_scale s = {bias,          multiplier, shift,     p->per_channel,
                          p->out_offset, p->act_min, p->act_max};
  ash_rt_depthwise_core_s8(p, in, filter, &s, 0, ash_rt_depthwise_four_s8_lines,
                           out, from, to);
}
