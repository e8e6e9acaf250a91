/* ash_rt_depthwise_conv_2d_s8.c - depthwise convolution, int8.
 *
 * Pixel by pixel, in memory order; with one output channel an input channel,
 * four neighbouring channels at once. */
#include "ash_rt.h"

/* The taps of one pixel inside the input. */
typedef struct ash_rt_depthwise_box {
  const int8_t *in;
  const int8_t *filter;
  int32_t rows, columns;
  ptrdiff_t in_row, in_column;
  ptrdiff_t filter_row;
} ash_rt_depthwise_box;

static ash_rt_depthwise_box ash_rt_depthwise_box_of(const ash_rt_window *w,
                                                    const int8_t *in,
                                                    const int8_t *filter,
                                                    int32_t y, int32_t x) {
  const int32_t top = y * w->stride_h - w->pad_top;
  const int32_t left = x * w->stride_w - w->pad_left;
  const ash_rt_taps v =
      ash_rt_taps_of(top, w->filter_h, w->dilation_h, w->in_h);
  const ash_rt_taps h =
      ash_rt_taps_of(left, w->filter_w, w->dilation_w, w->in_w);
  const int32_t row = top + v.lo * w->dilation_h;
  const int32_t column = left + h.lo * w->dilation_w;
  ash_rt_depthwise_box b = {in, filter, v.hi - v.lo, h.hi - h.lo, 0, 0, 0};
  if (b.rows == 0 || b.columns == 0) {
    b.rows = 0;
    return b;
  }
  b.in += ((ptrdiff_t)row * w->in_w + column) * w->in_c;
  b.filter += ((ptrdiff_t)v.lo * w->filter_w + h.lo) * w->out_c;
  b.in_row = (ptrdiff_t)w->dilation_h * w->in_w * w->in_c;
  b.in_column = (ptrdiff_t)w->dilation_w * w->in_c;
  b.filter_row = (ptrdiff_t)w->filter_w * w->out_c;
  return b;
}

static ash_rt_quad ash_rt_depthwise_sum_4(const ash_rt_depthwise_box *b,
                                          int32_t c, ptrdiff_t pitch,
                                          int32_t offset) {
  ash_rt_quad s = {0, 0, 0, 0};
  const int8_t *in_row = b->in + c;
  const int8_t *filter_row = b->filter + c;
  for (int32_t y = 0; y < b->rows; y++) {
    const int8_t *x = in_row;
    const int8_t *w = filter_row;
    for (int32_t k = 0; k < b->columns; k++) {
      s.a += (uint32_t)((x[0] + offset) * w[0]);
      s.b += (uint32_t)((x[1] + offset) * w[1]);
      s.c += (uint32_t)((x[2] + offset) * w[2]);
      s.d += (uint32_t)((x[3] + offset) * w[3]);
      x += b->in_column;
      w += pitch;
    }
    in_row += b->in_row;
    filter_row += b->filter_row;
  }
  return s;
}

static uint32_t ash_rt_depthwise_sum(const ash_rt_depthwise_box *b,
                                     int32_t in_c, int32_t c, ptrdiff_t pitch,
                                     int32_t offset) {
  uint32_t s = 0;
  const int8_t *in_row = b->in + in_c;
  const int8_t *filter_row = b->filter + c;
  for (int32_t y = 0; y < b->rows; y++) {
    for (int32_t k = 0; k < b->columns; k++)
      s += (uint32_t)((in_row[k * b->in_column] + offset) *
                      filter_row[k * pitch]);
    in_row += b->in_row;
    filter_row += b->filter_row;
  }
  return s;
}

typedef struct ash_rt_depthwise_scale {
  const int32_t *bias;
  const int32_t *multiplier;
  const int8_t *shift;
} ash_rt_depthwise_scale;

static int8_t
ash_rt_depthwise_finish(const ash_rt_depthwise_conv_2d_s8_params *p,
                        const ash_rt_depthwise_scale *s, int32_t channel,
                        uint32_t sum) {
  const int32_t k = p->per_channel ? channel : 0;
  if (s->bias)
    sum += (uint32_t)s->bias[channel];
  const int32_t y = ash_rt_rescale((int32_t)sum, s->multiplier[k], s->shift[k]);
  return (int8_t)ash_rt_finish(y, p->out_offset, p->act_min, p->act_max);
}

static void ash_rt_depthwise_pixel(const ash_rt_depthwise_conv_2d_s8_params *p,
                                   const ash_rt_depthwise_scale *s,
                                   const ash_rt_depthwise_box *b, int8_t *out) {
  const ash_rt_window *w = &p->window;
  int32_t c = 0;
  if (w->in_c == w->out_c)
    for (; c + 4 <= w->out_c; c += 4) {
      const ash_rt_quad q =
          ash_rt_depthwise_sum_4(b, c, w->out_c, p->in_offset);
      out[c] = ash_rt_depthwise_finish(p, s, c, q.a);
      out[c + 1] = ash_rt_depthwise_finish(p, s, c + 1, q.b);
      out[c + 2] = ash_rt_depthwise_finish(p, s, c + 2, q.c);
      out[c + 3] = ash_rt_depthwise_finish(p, s, c + 3, q.d);
    }
  const int32_t depth = w->out_c / w->in_c;
  int32_t in_c = c; /* depth is 1 if c is not 0 */
  for (int32_t copy = 0; c < w->out_c; c++) {
    out[c] = ash_rt_depthwise_finish(
        p, s, c, ash_rt_depthwise_sum(b, in_c, c, w->out_c, p->in_offset));
    if (++copy == depth) {
      copy = 0;
      in_c++;
    }
  }
}

void ash_rt_depthwise_conv_2d_s8(const ash_rt_depthwise_conv_2d_s8_params *p,
                                 const int8_t *in, const int8_t *filter,
                                 const int32_t *bias, const int32_t *multiplier,
                                 const int8_t *shift, int8_t *out) {
  const ash_rt_window *w = &p->window;
  const ash_rt_depthwise_scale s = {bias, multiplier, shift};
  for (int32_t n = 0; n < w->batches; n++) {
    for (int32_t y = 0; y < w->out_h; y++)
      for (int32_t x = 0; x < w->out_w; x++, out += w->out_c) {
        const ash_rt_depthwise_box b =
            ash_rt_depthwise_box_of(w, in, filter, y, x);
        ash_rt_depthwise_pixel(p, &s, &b, out);
      }
    in += (ptrdiff_t)w->in_h * w->in_w * w->in_c;
  }
}
