/* ash_rt_conv_2d_s8_mve.c - convolution, int8, with Helium.
 *
 * The input of a pixel is one column of bytes (a copy, unless it lies in one
 * piece already); four channels are summed up at once. */
#include "ash_rt_mve.h"

typedef struct ash_rt_conv_mve {
  const int32_t *multiplier;
  const int8_t *shift;
  const int32_t *bias;
  const int8_t *filter;
  int32_t blocks; /* of sixteen taps, in a column */
} ash_rt_conv_mve;

/* Not inlined: borders are rare, and the loop over pixels wants registers. */
static ASH_RT_NOINLINE void
ash_rt_conv_column_mve(const ash_rt_conv_2d_s8_params *p,
                       const ash_rt_lines *in, int32_t y, int32_t x,
                       int8_t *to) {
  ash_rt_conv_column(p, in, y, x, to, ash_rt_fill_mve, ash_rt_copy_mve);
}

/* The same for a pixel without padding, from the start of the lines on. */
ASH_RT_INLINE void ash_rt_conv_inner_mve(const ash_rt_window *w,
                                         const ash_rt_lines *in, int8_t *to) {
  const int32_t run = w->filter_w * w->in_c, step = w->dilation_h;
  const int8_t *line = in->base;
  if (in->at)
    for (int32_t k = 0; k < w->filter_h; k++)
      to = ash_rt_copy_mve(to, line + in->at[k * step] * in->unit, run);
  else
    for (int32_t k = w->filter_h; k > 0; k--, line += step * in->pitch)
      to = ash_rt_copy_mve(to, line, run);
}

ASH_RT_INLINE void ash_rt_conv_pixel_mve(const ash_rt_conv_2d_s8_params *p,
                                         const ash_rt_conv_mve *k,
                                         const int8_t *in, int8_t *out) {
  const int32_t *bias = k->bias, *multiplier = k->multiplier;
  const int8_t *filter = k->filter, *shift = k->shift;
  const int32_t blocks = k->blocks, offset = p->out_offset;
  const ash_rt_four low = ash_rt_four_of(p->act_min);
  const ash_rt_four high = ash_rt_four_of(p->act_max);
  ASH_RT_NO_UNROLL
  for (int32_t rest = p->window.out_c; rest > 0; rest -= 4) {
    ash_rt_four s;
    if (*shift > 0) {
      s = ash_rt_four_load(bias);
    } else {
      s = ash_rt_dot_mve(bias, in, filter, blocks);
      s = ash_rt_rescale_mve(s, multiplier, shift, offset);
      filter += 64 * blocks;
    }
    ash_rt_store_mve(s, low, high, out, rest);
    bias += 4;
    multiplier += 4;
    shift += 4;
    out += 4;
  }
}

/* Output lines [from, to). Taps in one piece are read where they are, and some
 * bytes after them, for which there are no weights, as long as these belong to
 * the line or, if it is `plain`, to the image. */
ASH_RT_INLINE void ash_rt_conv_core_mve(const ash_rt_conv_2d_s8_params *p,
                                        const ash_rt_conv_mve *k,
                                        const ash_rt_lines *in, int plain,
                                        const ash_rt_lines *out, int32_t from,
                                        int32_t to, void *scratch) {
  const ash_rt_window *w = &p->window;
  const ash_rt_taps inner = ash_rt_inner_columns(w);
  const int32_t reach = (w->filter_h - 1) * w->dilation_h;
  const ptrdiff_t step = (ptrdiff_t)w->stride_w * w->in_c;
  const int point = w->filter_h == 1 && w->filter_w == 1;
  const ash_rt_lines known = *in; /* so that nobody else changes `in` */
  ASH_RT_NO_UNROLL
  for (int32_t y = from; y < to; y++) {
    const int32_t top = y * w->stride_h - w->pad_top;
    const int inside_v = top >= 0 && top + reach < w->in_h;
    const int whole = inside_v && w->dilation_w == 1;
    ash_rt_lines under =
        ash_rt_lines_from(in, inside_v ? top : 0, -w->pad_left * w->in_c);
    const int8_t *const stop =
        plain ? (const int8_t *)in->base + w->in_h * in->pitch
              : (const int8_t *)ash_rt_line(&under, 0) +
                    (ptrdiff_t)(w->pad_left + w->in_w) * w->in_c;
    int8_t *pixel = ash_rt_line_out(out, y);
    ASH_RT_NO_UNROLL
    for (int32_t x = 0; x < w->out_w; x++, pixel += w->out_c) {
      const int8_t *column = scratch;
      const int inside = whole && x >= inner.lo && x < inner.hi;
      const int8_t *const first = ash_rt_line(&under, 0);
      if (!scratch || (inside && point && stop - first >= 16 * k->blocks))
        column = first;
      else if (inside)
        ash_rt_conv_inner_mve(w, &under, scratch);
      else
        ash_rt_conv_column_mve(p, &known, y, x, scratch);
      ash_rt_conv_pixel_mve(p, k, column, pixel);
      under = ash_rt_lines_from(&under, 0, step);
    }
  }
}

/* kernel conv_2d_s8_mve */
void ash_rt_conv_2d_s8_mve(const ash_rt_conv_2d_s8_params *p, const int8_t *in,
                           const int32_t *multiplier, const int8_t *shift,
                           const int32_t *bias, const int8_t *filter,
                           int8_t *out, void *scratch) {
  const ash_rt_window *w = &p->window;
  const int32_t taps = w->filter_h * w->filter_w * w->in_c;
  const ash_rt_conv_mve k = {multiplier, shift, bias, filter, (taps + 15) / 16};
  for (int32_t n = 0; n < w->batches; n++) {
    const ash_rt_lines i = ash_rt_image_in(w, in, n, sizeof *in);
    const ash_rt_lines o = ash_rt_image_out(w, out, n, sizeof *out);
    ash_rt_conv_core_mve(p, &k, &i, 1, &o, 0, w->out_h, scratch);
  }
}

/* kernel conv_2d_s8_mve_lines */
void ash_rt_conv_2d_s8_mve_lines(const ash_rt_conv_2d_s8_params *p,
                                 const ash_rt_lines *in,
                                 const int32_t *multiplier, const int8_t *shift,
                                 const int32_t *bias, const int8_t *filter,
                                 const ash_rt_lines *out, int32_t from,
                                 int32_t to, void *scratch) {
  const ash_rt_window *w = &p->window;
  const int32_t taps = w->filter_h * w->filter_w * w->in_c;
  const ash_rt_conv_mve k = {multiplier, shift, bias, filter, (taps + 15) / 16};
  ash_rt_conv_core_mve(p, &k, in, 0, out, from, to, scratch);
}
