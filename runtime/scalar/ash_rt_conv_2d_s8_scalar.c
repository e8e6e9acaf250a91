/* ash_rt_conv_2d_s8_scalar.c - convolution, int8: two pixels by four channels.
 *
 * The input of two pixels is spread out as a column, tap by tap side by side;
 * so are the weights of four channels. Each number that is loaded is a factor
 * of two or four products. */
#include "ash_rt_parts.h"
#include "ash_rt_scalar.h"

/* Taps in a round of the inner loop, out of four that weights are filled up to.
 * GCC begins with all loads of a round, for which RISC-V has no registers. */
#if defined(__riscv)
enum { ASH_RT_CONV_ROUND = 2 };
#else
enum { ASH_RT_CONV_ROUND = 4 };
#endif

typedef struct ash_rt_conv_scalar {
  const ash_rt_conv_2d_s8_params *p;
  const int32_t *multiplier;
  const int8_t *shift;
  const int32_t *bias;
  const int8_t *filter;
  int8_t *column;
  int32_t taps; /* in a column, a multiple of four */
  int32_t step; /* from an input pixel to the next */
} ash_rt_conv_scalar;

/* Where there is no tap, input and weight are 0. */
static inline ash_rt_conv_scalar
ash_rt_conv_begin_scalar(const ash_rt_conv_2d_s8_params *p,
                         const int32_t *multiplier, const int8_t *shift,
                         const int32_t *bias, const int8_t *filter,
                         void *scratch) {
  const ash_rt_window *w = &p->window;
  const int32_t taps = w->filter_h * w->filter_w * w->in_c;
  const ash_rt_conv_scalar k = {
      p, multiplier, shift, bias, filter, scratch, (taps + 3) / 4 * 4, w->in_c};
  for (int32_t i = 2 * taps; i < 2 * k.taps; i++)
    k.column[i] = 0;
  return k;
}

/* ---- columns ------------------------------------------------------------- */

/* One pixel at the border, tap by tap: the first of two, or the second. */
static ASH_RT_NOINLINE void
ash_rt_conv_column_scalar(const ash_rt_conv_scalar *k, const ash_rt_lines *in,
                          int32_t y, int32_t x, int second) {
  const ash_rt_window *w = &k->p->window;
  const int32_t in_c = w->in_c, zero = -k->p->in_offset;
  int32_t row = y * w->stride_h - w->pad_top;
  int8_t *to = k->column + second;
  for (int32_t i = 0; i < w->filter_h; i++, row += w->dilation_h) {
    const int8_t *const line =
        row >= 0 && row < w->in_h ? ash_rt_line(in, row) : NULL;
    int32_t column = x * w->stride_w - w->pad_left;
    for (int32_t j = 0; j < w->filter_w; j++, column += w->dilation_w) {
      const int8_t *const from = line && column >= 0 && column < w->in_w
                                     ? line + (ptrdiff_t)column * k->step
                                     : NULL;
      for (int32_t c = 0; c < in_c; c++, to += 2)
        *to = (int8_t)(from ? from[c] : zero);
    }
  }
}

/* `count` taps of two pixels without padding, the second `step` further. */
static inline int8_t *ash_rt_conv_taps_scalar(int8_t *to, const int8_t *from,
                                              ptrdiff_t step, int32_t count) {
  const int8_t *next = from + step;
  for (; count >= 2; count -= 2, from += 2, next += 2, to += 4) {
    to[0] = from[0];
    to[1] = next[0];
    to[2] = from[1];
    to[3] = next[1];
  }
  if (count) {
    *to++ = *from;
    *to++ = *next;
  }
  return to;
}

/* ---- two pixels ---------------------------------------------------------- */

#define ASH_RT_CONV_WEIGHT(i, sum, other)                                      \
  do {                                                                         \
    const int32_t v = w[i];                                                    \
    (sum) += first * v;                                                        \
    (other) += second * v;                                                     \
  } while (0)
#define ASH_RT_CONV_TAP(i)                                                     \
  do {                                                                         \
    const int32_t first = x[2 * (i)], second = x[2 * (i) + 1];                 \
    ASH_RT_CONV_WEIGHT(4 * (i), a1, a2);                                       \
    ASH_RT_CONV_WEIGHT(4 * (i) + 1, b1, b2);                                   \
    ASH_RT_CONV_WEIGHT(4 * (i) + 2, c1, c2);                                   \
    ASH_RT_CONV_WEIGHT(4 * (i) + 3, d1, d2);                                   \
  } while (0)

/* Four channels: s[0] to s[3] of the first pixel, the others of the second.
 * Returns where the next channels' weights are. Not inlined: alone, the loop
 * fits the registers of small processors. */
static ASH_RT_NOINLINE const int8_t *
ash_rt_conv_four_scalar(int32_t s[8], const int32_t *bias, const int8_t *x,
                        const int8_t *end, const int8_t *w) {
  int32_t a1 = bias[0], b1 = bias[1], c1 = bias[2], d1 = bias[3];
  int32_t a2 = a1, b2 = b1, c2 = c1, d2 = d1;
  ASH_RT_NO_UNROLL
  do {
    ASH_RT_CONV_TAP(0);
    ASH_RT_CONV_TAP(1);
    if (ASH_RT_CONV_ROUND == 4) {
      ASH_RT_CONV_TAP(2);
      ASH_RT_CONV_TAP(3);
    }
    x += 2 * ASH_RT_CONV_ROUND;
    w += 4 * ASH_RT_CONV_ROUND;
  } while (x != end);
  s[0] = a1;
  s[1] = b1;
  s[2] = c1;
  s[3] = d1;
  s[4] = a2;
  s[5] = b2;
  s[6] = c2;
  s[7] = d2;
  return w;
}

/* All channels of the pixels of the column, two of them, or one twice. */
static ASH_RT_NOINLINE void
ash_rt_conv_pixels_scalar(const ash_rt_conv_scalar *k, int8_t *first,
                          int8_t *second) {
  const int32_t *bias = k->bias, *multiplier = k->multiplier;
  const int8_t *shift = k->shift, *filter = k->filter;
  const int32_t twice = 2 * k->p->out_offset + 1;
  const int32_t low = k->p->act_min, high = k->p->act_max;
  for (int32_t rest = k->p->window.out_c; rest > 0; rest -= 4, bias += 4) {
    const int32_t *const end = multiplier + (rest < 4 ? rest : 4);
    int32_t sums[8], *s = sums;
    if (*shift < 0) { /* four constants */
      for (int32_t i = 0; i < 4 && i < rest; i++)
        *first++ = *second++ = (int8_t)bias[i];
      multiplier += 4;
      shift += 4;
      continue;
    }
    filter = ash_rt_conv_four_scalar(sums, bias, k->column,
                                     k->column + 2 * k->taps, filter);
    ASH_RT_NO_UNROLL
    do {
      const int32_t m = *multiplier++, e = *shift++;
      *second++ = ash_rt_rescale_scalar(s[4], m, e, twice, low, high);
      *first++ = ash_rt_rescale_scalar(*s++, m, e, twice, low, high);
    } while (multiplier != end);
  }
}

/* Output lines [from, to), in pairs of pixels, the last of a line with the
 * first of the next. */
ASH_RT_INLINE ASH_RT_MAYBE_UNUSED void
ash_rt_conv_core_scalar(const ash_rt_conv_scalar *k, const ash_rt_lines *in,
                        const ash_rt_lines *out, int32_t from, int32_t to) {
  const ash_rt_window *w = &k->p->window;
  const ash_rt_taps inner = ash_rt_inner_columns(w);
  const ptrdiff_t step = (ptrdiff_t)w->stride_w * w->in_c;
  int8_t *waiting = NULL; /* the first of a pair */
  for (int32_t y = from; y < to; y++) {
    const int32_t top = y * w->stride_h - w->pad_top;
    const int whole = w->dilation_w == 1 && ash_rt_is_inner_line(w, y);
    int8_t *pixel = ash_rt_line_out(out, y);
    for (int32_t x = 0; x < w->out_w; x++, pixel += w->out_c) {
      if (whole && !waiting && x >= inner.lo && x + 1 < inner.hi) {
        const ptrdiff_t at = (ptrdiff_t)x * step - w->pad_left * w->in_c;
        int8_t *column = k->column;
        for (int32_t i = 0; i < w->filter_h; i++) {
          const int8_t *const line = ash_rt_line(in, top + i * w->dilation_h);
          column = ash_rt_conv_taps_scalar(column, line + at, step,
                                           w->filter_w * w->in_c);
        }
        ash_rt_conv_pixels_scalar(k, pixel, pixel + w->out_c);
        x++;
        pixel += w->out_c;
        continue;
      }
      ash_rt_conv_column_scalar(k, in, y, x, waiting != NULL);
      if (waiting)
        ash_rt_conv_pixels_scalar(k, waiting, pixel);
      waiting = waiting ? NULL : pixel;
    }
  }
  if (waiting)
    ash_rt_conv_pixels_scalar(k, waiting, waiting);
}

/* ---- parts --------------------------------------------------------------- */

static ASH_RT_MAYBE_UNUSED void
ash_rt_conv_make_scalar(const ash_rt_part *part, const ash_rt_part_data *data,
                        const ash_rt_lines *in, const ash_rt_lines *out,
                        int32_t from, int32_t to) {
  ash_rt_conv_scalar k =
      ash_rt_conv_begin_scalar(&part->p, data->multiplier, data->shift,
                               data->bias, data->filter, data->scratch);
  int8_t *waiting = NULL; /* the first of a pair */
  k.step = part->in_step;
  for (int32_t y = from; y < to; y++) {
    int8_t *pixel = ash_rt_line_out(out, part->line + y * part->line_step);
    pixel += part->out_at;
    for (int32_t x = 0; x < part->p.window.out_w; x++) {
      ash_rt_conv_column_scalar(&k, in, y, x, waiting != NULL);
      if (waiting)
        ash_rt_conv_pixels_scalar(&k, waiting, pixel);
      waiting = waiting ? NULL : pixel;
      pixel += part->out_step;
    }
  }
  if (waiting)
    ash_rt_conv_pixels_scalar(&k, waiting, waiting);
}

/* kernel conv_2d_s8_scalar */
void ash_rt_conv_2d_s8_scalar(const ash_rt_conv_2d_s8_params *p,
                              const int8_t *in, const int32_t *multiplier,
                              const int8_t *shift, const int32_t *bias,
                              const int8_t *filter, int8_t *out,
                              void *scratch) {
  const ash_rt_window *w = &p->window;
  const ash_rt_conv_scalar k =
      ash_rt_conv_begin_scalar(p, multiplier, shift, bias, filter, scratch);
  for (int32_t n = 0; n < w->batches; n++) {
    const ash_rt_lines i = ash_rt_image_in(w, in, n, sizeof *in);
    const ash_rt_lines o = ash_rt_image_out(w, out, n, sizeof *out);
    ash_rt_conv_core_scalar(&k, &i, &o, 0, w->out_h);
  }
}

/* kernel conv_2d_s8_scalar_lines */
void ash_rt_conv_2d_s8_scalar_lines(const ash_rt_conv_2d_s8_params *p,
                                    const ash_rt_lines *in,
                                    const int32_t *multiplier,
                                    const int8_t *shift, const int32_t *bias,
                                    const int8_t *filter,
                                    const ash_rt_lines *out, int32_t from,
                                    int32_t to, void *scratch) {
  const ash_rt_conv_scalar k =
      ash_rt_conv_begin_scalar(p, multiplier, shift, bias, filter, scratch);
  ash_rt_conv_core_scalar(&k, in, out, from, to);
}

/* kernel conv_2d_s8_groups_scalar */
void ash_rt_conv_2d_s8_groups_scalar(const ash_rt_conv_2d_s8_params *p,
                                     const int8_t *in,
                                     const int32_t *multiplier,
                                     const int8_t *shift, const int32_t *bias,
                                     const int8_t *filter, int8_t *out,
                                     void *scratch) {
  const ash_rt_part_data data = {multiplier, shift, bias, filter, scratch};
  const ash_rt_part_blocks up = {4, 4};
  ash_rt_parts_of_images(p, 0, &data, up, in, out, ash_rt_conv_make_scalar);
}

/* kernel conv_2d_s8_groups_scalar_lines */
void ash_rt_conv_2d_s8_groups_scalar_lines(
    const ash_rt_conv_2d_s8_params *p, const ash_rt_lines *in,
    const int32_t *multiplier, const int8_t *shift, const int32_t *bias,
    const int8_t *filter, const ash_rt_lines *out, int32_t from, int32_t to,
    void *scratch) {
  const ash_rt_part_data data = {multiplier, shift, bias, filter, scratch};
  const ash_rt_part_blocks up = {4, 4};
  ash_rt_parts_of_lines(p, 0, &data, up, in, out, from, to,
                        ash_rt_conv_make_scalar);
}

/* kernel transpose_conv_s8_scalar */
void ash_rt_transpose_conv_s8_scalar(const ash_rt_conv_2d_s8_params *p,
                                     const int8_t *in,
                                     const int32_t *multiplier,
                                     const int8_t *shift, const int32_t *bias,
                                     const int8_t *filter, int8_t *out,
                                     void *scratch) {
  const ash_rt_part_data data = {multiplier, shift, bias, filter, scratch};
  const ash_rt_part_blocks up = {4, 4};
  ash_rt_parts_of_images(p, 1, &data, up, in, out, ash_rt_conv_make_scalar);
}

/* kernel transpose_conv_s8_scalar_lines */
void ash_rt_transpose_conv_s8_scalar_lines(
    const ash_rt_conv_2d_s8_params *p, const ash_rt_lines *in,
    const int32_t *multiplier, const int8_t *shift, const int32_t *bias,
    const int8_t *filter, const ash_rt_lines *out, int32_t from, int32_t to,
    void *scratch) {
  const ash_rt_part_data data = {multiplier, shift, bias, filter, scratch};
  const ash_rt_part_blocks up = {4, 4};
  ash_rt_parts_of_lines(p, 1, &data, up, in, out, from, to,
                        ash_rt_conv_make_scalar);
}
