/* ash_rt_conv_2d_s8.c - convolution, int8, one scale a channel or a tensor.
 *
 * Pixel by pixel, in memory order. What a pixel reads is worked out once, as
 * a few contiguous runs; the inner loop multiplies a run with the weights of
 * four output channels, so that each input byte is loaded once for four
 * products. A 1x1 filter is one run. */
#include "ash_rt_layers_s8.h"
#include "ash_rt_sums.h"

/* The input of one pixel: `rows` times `runs` runs of `count` elements; the
 * rows are every `in_step`th line of `in`. */
typedef struct ash_rt_conv_runs {
  ash_rt_lines in;
  size_t filter_at; /* of the first tap, inside one channel's weights */
  int32_t rows, runs, count;
  int32_t in_step;
  ptrdiff_t in_run;
  size_t filter_row, filter_run;
} ash_rt_conv_runs;

ASH_RT_INLINE ash_rt_conv_runs
ash_rt_conv_runs_of(const ash_rt_conv_2d_s8_params *p, const ash_rt_lines *in,
                    int32_t y, int32_t x) {
  const ash_rt_window *w = &p->window;
  const ash_rt_pixel_taps t = ash_rt_pixel_taps_of(w, y, x);
  const int32_t c = p->groups == 1 ? w->in_c : w->in_c / p->groups;
  const int joined = p->groups == 1 && w->dilation_w == 1;
  ash_rt_conv_runs r;
  r.rows = t.h.lo == t.h.hi ? 0 : t.v.hi - t.v.lo; /* 0: only padding */
  r.runs = joined ? 1 : t.h.hi - t.h.lo;
  r.count = joined ? (t.h.hi - t.h.lo) * c : c;
  r.in =
      ash_rt_lines_from(in, r.rows ? t.top + t.v.lo * w->dilation_h : 0,
                        (ptrdiff_t)(t.left + t.h.lo * w->dilation_w) * w->in_c);
  r.in_step = w->dilation_h;
  r.in_run = (ptrdiff_t)w->dilation_w * w->in_c;
  r.filter_at =
      ((size_t)t.v.lo * (size_t)w->filter_w + (size_t)t.h.lo) * (size_t)c;
  r.filter_row = (size_t)w->filter_w * (size_t)c;
  r.filter_run = (size_t)c;
  return r;
}

/* Not inlined: alone, the loop fits the registers of small processors. */
static ASH_RT_NOINLINE void ash_rt_conv_run_4(uint32_t sums[4], const int8_t *x,
                                              const int8_t *w, size_t pitch,
                                              int32_t count, int32_t offset) {
  const ash_rt_quad q = ash_rt_dot_4_s8(x, w, pitch, count, offset);
  sums[0] += q.a;
  sums[1] += q.b;
  sums[2] += q.c;
  sums[3] += q.d;
}

ASH_RT_INLINE void ash_rt_conv_sum_4(uint32_t sums[4],
                                     const ash_rt_conv_runs *r,
                                     const ash_rt_lines *in,
                                     const int8_t *filter, size_t pitch,
                                     int32_t offset) {
  sums[0] = sums[1] = sums[2] = sums[3] = 0;
  for (int32_t y = 0; y < r->rows; y++) {
    const int8_t *const row = ash_rt_line(in, y * r->in_step);
    for (int32_t x = 0; x < r->runs; x++)
      ash_rt_conv_run_4(sums, row + x * r->in_run,
                        filter + (size_t)x * r->filter_run, pitch, r->count,
                        offset);
    filter += r->filter_row;
  }
}

ASH_RT_INLINE uint32_t ash_rt_conv_sum(const ash_rt_conv_runs *r,
                                       const ash_rt_lines *in,
                                       const int8_t *filter, int32_t offset) {
  uint32_t s = 0;
  for (int32_t y = 0; y < r->rows; y++) {
    const int8_t *const row = ash_rt_line(in, y * r->in_step);
    for (int32_t x = 0; x < r->runs; x++)
      s += ash_rt_dot_s8(row + x * r->in_run,
                         filter + (size_t)x * r->filter_run, r->count, offset);
    filter += r->filter_row;
  }
  return s;
}

/* The output channels of group g of one pixel; they share their input channels.
 */
ASH_RT_INLINE void ash_rt_conv_group(const ash_rt_conv_2d_s8_params *p,
                                     const ash_rt_scale *s,
                                     const ash_rt_conv_runs *r,
                                     const int8_t *filter, int32_t g,
                                     int8_t *out) {
  const ash_rt_lines in =
      ash_rt_lines_from(&r->in, 0, g * (p->window.in_c / p->groups));
  const int32_t out_c = p->window.out_c / p->groups;
  const int32_t lo = g * out_c, hi = lo + out_c;
  const size_t pitch = (size_t)p->window.filter_h * r->filter_row;
  const int8_t *weights = filter + (size_t)lo * pitch + r->filter_at;
  uint32_t sums[ASH_RT_CHUNK];
  for (int32_t c = lo; c < hi; c += ASH_RT_CHUNK) {
    const int32_t n = hi - c < ASH_RT_CHUNK ? hi - c : ASH_RT_CHUNK;
    int32_t k = 0;
    for (; k + 4 <= n; k += 4, weights += 4 * pitch)
      ash_rt_conv_sum_4(sums + k, r, &in, weights, pitch, p->in_offset);
    for (; k < n; k++, weights += pitch)
      sums[k] = ash_rt_conv_sum(r, &in, weights, p->in_offset);
    ash_rt_scale_s8(s, c, sums, n, out + c);
  }
}

/* Output lines [from, to). */
ASH_RT_INLINE void
ash_rt_conv_core_s8(const ash_rt_conv_2d_s8_params *p, const ash_rt_lines *in,
                    const int8_t *filter, const ash_rt_scale *s,
                    const ash_rt_lines *out, int32_t from, int32_t to) {
  const ash_rt_window *w = &p->window;
  for (int32_t y = from; y < to; y++) {
    int8_t *pixel = ash_rt_line_out(out, y);
    for (int32_t x = 0; x < w->out_w; x++, pixel += w->out_c) {
      const ash_rt_conv_runs r = ash_rt_conv_runs_of(p, in, y, x);
      for (int32_t g = 0; g < p->groups; g++)
        ash_rt_conv_group(p, s, &r, filter, g, pixel);
    }
  }
}

/* kernel conv_2d_s8 */
void ash_rt_conv_2d_s8(const ash_rt_conv_2d_s8_params *p, const int8_t *in,
                       const int8_t *filter, const int32_t *bias,
                       const int32_t *multiplier, const int8_t *shift,
                       int8_t *out) {
  const ash_rt_window *w = &p->window;
  const ash_rt_scale s = {bias,          multiplier, shift,     p->per_channel,
                          p->out_offset, p->act_min, p->act_max};
  for (int32_t n = 0; n < w->batches; n++) {
    const ash_rt_lines i = ash_rt_image_in(w, in, n, sizeof *in);
    const ash_rt_lines o = ash_rt_image_out(w, out, n, sizeof *out);
    ash_rt_conv_core_s8(p, &i, filter, &s, &o, 0, w->out_h);
  }
}

/* kernel conv_2d_s8_lines */
void ash_rt_conv_2d_s8_lines(const ash_rt_conv_2d_s8_params *p,
                             const ash_rt_lines *in, const int8_t *filter,
                             const int32_t *bias, const int32_t *multiplier,
                             const int8_t *shift, const ash_rt_lines *out,
                             int32_t from, int32_t to) {
  const ash_rt_scale s = {bias,          multiplier, shift,     p->per_channel,
                          p->out_offset, p->act_min, p->act_max};
  ash_rt_conv_core_s8(p, in, filter, &s, out, from, to);
}
