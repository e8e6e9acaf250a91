/* ash_rt_conv_2d_s8.c - convolution, int8, one scale a channel or a tensor.
 *
 * Pixel by pixel, in memory order. What a pixel reads is worked out once, as
 * a few contiguous runs; the inner loop multiplies a run with the weights of
 * four output channels, so that each input byte is loaded once for four
 * products. A 1x1 filter is one run. */
#include "ash_rt.h"

/* The input of one pixel: `rows` times `runs` runs of `count` elements. */
typedef struct ash_rt_conv_runs {
  const int8_t *in;
  size_t filter_at; /* of the first tap, inside one channel's weights */
  int32_t rows, runs, count;
  ptrdiff_t in_row, in_run;
  size_t filter_row, filter_run;
} ash_rt_conv_runs;

static ash_rt_conv_runs ash_rt_conv_runs_of(const ash_rt_conv_2d_s8_params *p,
                                            const int8_t *in, int32_t y,
                                            int32_t x) {
  const ash_rt_window *w = &p->window;
  const int32_t top = y * w->stride_h - w->pad_top;
  const int32_t left = x * w->stride_w - w->pad_left;
  const ash_rt_taps v =
      ash_rt_taps_of(top, w->filter_h, w->dilation_h, w->in_h);
  const ash_rt_taps h =
      ash_rt_taps_of(left, w->filter_w, w->dilation_w, w->in_w);
  const int32_t c = p->groups == 1 ? w->in_c : w->in_c / p->groups;
  const int joined = p->groups == 1 && w->dilation_w == 1;
  const int32_t row = top + v.lo * w->dilation_h;
  const int32_t column = left + h.lo * w->dilation_w;
  ash_rt_conv_runs r;
  r.rows = v.hi - v.lo;
  r.runs = joined ? 1 : h.hi - h.lo;
  r.count = joined ? (h.hi - h.lo) * c : c;
  if (r.rows == 0 || h.lo == h.hi) { /* nothing but padding */
    r.rows = 0;
    r.in = in;
    r.filter_at = 0;
  } else {
    r.in = in + ((ptrdiff_t)row * w->in_w + column) * w->in_c;
    r.filter_at =
        ((size_t)v.lo * (size_t)w->filter_w + (size_t)h.lo) * (size_t)c;
  }
  r.in_row = (ptrdiff_t)w->dilation_h * w->in_w * w->in_c;
  r.in_run = (ptrdiff_t)w->dilation_w * w->in_c;
  r.filter_row = (size_t)w->filter_w * (size_t)c;
  r.filter_run = (size_t)c;
  return r;
}

static ash_rt_quad ash_rt_conv_sum_4(const ash_rt_conv_runs *r,
                                     const int8_t *in, const int8_t *filter,
                                     size_t pitch, int32_t offset) {
  ash_rt_quad s = {0, 0, 0, 0};
  for (int32_t y = 0; y < r->rows; y++) {
    const int8_t *from = in;
    const int8_t *weights = filter;
    for (int32_t x = 0; x < r->runs; x++) {
      s = ash_rt_dot_4_s8(s, from, weights, pitch, r->count, offset);
      from += r->in_run;
      weights += r->filter_run;
    }
    in += r->in_row;
    filter += r->filter_row;
  }
  return s;
}

static uint32_t ash_rt_conv_sum(const ash_rt_conv_runs *r, const int8_t *in,
                                const int8_t *filter, int32_t offset) {
  uint32_t s = 0;
  for (int32_t y = 0; y < r->rows; y++) {
    for (int32_t x = 0; x < r->runs; x++)
      s = ash_rt_dot_s8(s, in + x * r->in_run,
                        filter + (size_t)x * r->filter_run, r->count, offset);
    in += r->in_row;
    filter += r->filter_row;
  }
  return s;
}

/* Everything a channel needs to become an output byte. */
typedef struct ash_rt_conv_scale {
  const int32_t *bias;
  const int32_t *multiplier;
  const int8_t *shift;
} ash_rt_conv_scale;

static int8_t ash_rt_conv_finish(const ash_rt_conv_2d_s8_params *p,
                                 const ash_rt_conv_scale *s, int32_t channel,
                                 uint32_t sum) {
  const int32_t k = p->per_channel ? channel : 0;
  if (s->bias)
    sum += (uint32_t)s->bias[channel];
  const int32_t y = ash_rt_rescale((int32_t)sum, s->multiplier[k], s->shift[k]);
  return (int8_t)ash_rt_finish(y, p->out_offset, p->act_min, p->act_max);
}

/* Output channels [lo, hi) of one pixel; they share their input channels. */
static void ash_rt_conv_group(const ash_rt_conv_2d_s8_params *p,
                              const ash_rt_conv_scale *s,
                              const ash_rt_conv_runs *r, const int8_t *in,
                              const int8_t *filter, int32_t lo, int32_t hi,
                              int8_t *out) {
  const size_t pitch = (size_t)p->window.filter_h * r->filter_row;
  const int8_t *weights = filter + (size_t)lo * pitch + r->filter_at;
  int32_t c = lo;
  for (; c + 4 <= hi; c += 4, weights += 4 * pitch) {
    const ash_rt_quad q =
        ash_rt_conv_sum_4(r, in, weights, pitch, p->in_offset);
    out[c] = ash_rt_conv_finish(p, s, c, q.a);
    out[c + 1] = ash_rt_conv_finish(p, s, c + 1, q.b);
    out[c + 2] = ash_rt_conv_finish(p, s, c + 2, q.c);
    out[c + 3] = ash_rt_conv_finish(p, s, c + 3, q.d);
  }
  for (; c < hi; c++, weights += pitch)
    out[c] = ash_rt_conv_finish(p, s, c,
                                ash_rt_conv_sum(r, in, weights, p->in_offset));
}

void ash_rt_conv_2d_s8(const ash_rt_conv_2d_s8_params *p, const int8_t *in,
                       const int8_t *filter, const int32_t *bias,
                       const int32_t *multiplier, const int8_t *shift,
                       int8_t *out) {
  const ash_rt_window *w = &p->window;
  const ash_rt_conv_scale s = {bias, multiplier, shift};
  const int32_t in_c = w->in_c / p->groups;
  const int32_t out_c = w->out_c / p->groups;
  for (int32_t b = 0; b < w->batches; b++) {
    for (int32_t y = 0; y < w->out_h; y++)
      for (int32_t x = 0; x < w->out_w; x++, out += w->out_c) {
        const ash_rt_conv_runs r = ash_rt_conv_runs_of(p, in, y, x);
        for (int32_t g = 0; g < p->groups; g++)
          ash_rt_conv_group(p, &s, &r, r.in + g * in_c, filter, g * out_c,
                            (g + 1) * out_c, out);
      }
    in += (ptrdiff_t)w->in_h * w->in_w * w->in_c;
  }
}
