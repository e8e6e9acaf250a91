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
ash_rt_conv_column_mve(const ash_rt_conv_2d_s8_params *p, const int8_t *in,
                       int32_t y, int32_t x, int8_t *to) {
  ash_rt_conv_column(p, in, y, x, to, ash_rt_fill_mve, ash_rt_copy_mve);
}

/* The same for a pixel without padding. */
static inline void ash_rt_conv_inner_mve(const ash_rt_window *w,
                                         const int8_t *from, int8_t *to) {
  const int32_t run = w->filter_w * w->in_c;
  const ptrdiff_t line = (ptrdiff_t)w->dilation_h * w->in_w * w->in_c;
  for (int32_t k = w->filter_h; k > 0; k--, from += line)
    to = ash_rt_copy_mve(to, from, run);
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

void ash_rt_conv_2d_s8_mve(const ash_rt_conv_2d_s8_params *p, const int8_t *in,
                           const int32_t *multiplier, const int8_t *shift,
                           const int32_t *bias, const int8_t *filter,
                           int8_t *out, void *scratch) {
  const ash_rt_window *w = &p->window;
  const int32_t taps = w->filter_h * w->filter_w * w->in_c;
  const ash_rt_conv_mve k = {multiplier, shift, bias, filter, (taps + 15) / 16};
  const ash_rt_taps inner = ash_rt_inner_columns(w);
  const int32_t reach = (w->filter_h - 1) * w->dilation_h;
  const ptrdiff_t step = (ptrdiff_t)w->stride_w * w->in_c;
  /* Taps in one piece are read where they are, and some bytes behind them,
   * for which there are no weights, as long as these belong to the input. */
  const int point = w->filter_h == 1 && w->filter_w == 1;
  const int8_t *const end =
      in + (ptrdiff_t)w->batches * w->in_h * w->in_w * w->in_c;
  for (int32_t b = 0; b < w->batches; b++) {
    ASH_RT_NO_UNROLL
    for (int32_t y = 0; y < w->out_h; y++) {
      const int32_t top = y * w->stride_h - w->pad_top;
      const int whole = top >= 0 && top + reach < w->in_h && w->dilation_w == 1;
      const int8_t *from =
          in + ((ptrdiff_t)top * w->in_w - w->pad_left) * w->in_c;
      ASH_RT_NO_UNROLL
      for (int32_t x = 0; x < w->out_w; x++, out += w->out_c, from += step) {
        const int8_t *column = scratch;
        const int inside = whole && x >= inner.lo && x < inner.hi;
        if (!scratch || (inside && point && end - from >= 16 * k.blocks))
          column = from;
        else if (inside)
          ash_rt_conv_inner_mve(w, from, scratch);
        else
          ash_rt_conv_column_mve(p, in, y, x, scratch);
        ash_rt_conv_pixel_mve(p, &k, column, out);
      }
    }
    in += (ptrdiff_t)w->in_h * w->in_w * w->in_c;
  }
}
