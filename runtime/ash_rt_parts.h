/* ash_rt_parts.h - convolutions that are several plain ones, their parts: those
 * of groups, and transposed ones.
 *
 * Of a transposed convolution the output lines that are a stride apart see the
 * same taps of the filter, every stride-th one from the last to the first; so
 * do columns. A part is such lines and columns: a plain convolution of stride 1
 * with these taps. Where a filter has none of them, a part has one tap of
 * weight 0, which is never inside the input. */
#ifndef ASH_RT_PARTS_H
#define ASH_RT_PARTS_H

#include "ash_rt_packed.h"

typedef struct ash_rt_part {
  ash_rt_conv_2d_s8_params p; /* of the plain convolution */
  int32_t in_at, in_step; /* bytes to its first pixel, and to the next one */
  int32_t out_at, out_step;
  int32_t line, line_step; /* its line y is line + y * line_step */
} ash_rt_part;

/* What pass/pack.c prepared, from the first channel of a part on. Each part has
 * a multiple of four biases, multipliers and shifts. */
typedef struct ash_rt_part_data {
  const int32_t *multiplier;
  const int8_t *shift;
  const int32_t *bias;
  const int8_t *filter;
  void *scratch;
} ash_rt_part_data;

/* Makes the lines [from, to) of a part; `in` begins with its first channel. */
typedef void ash_rt_part_maker(const ash_rt_part *part,
                               const ash_rt_part_data *data,
                               const ash_rt_lines *in, const ash_rt_lines *out,
                               int32_t from, int32_t to);

static inline ash_rt_part ash_rt_part_whole(const ash_rt_conv_2d_s8_params *p) {
  const ash_rt_part t = {*p, 0, p->window.in_c, 0, p->window.out_c, 0, 1};
  return t;
}

static inline ash_rt_part ash_rt_part_group(const ash_rt_conv_2d_s8_params *p,
                                            int32_t group) {
  ash_rt_part t = ash_rt_part_whole(p);
  t.p.window.in_c = p->window.in_c / p->groups;
  t.p.window.out_c = p->window.out_c / p->groups;
  t.in_at = group * t.p.window.in_c;
  t.out_at = group * t.p.window.out_c;
  return t;
}

/* Along an axis: outputs first, first + stride, .. read `taps` inputs each, the
 * first of them `pad` before the input. */
typedef struct ash_rt_phase {
  int32_t first, count, taps, pad;
} ash_rt_phase;

/* Further than any tensor is long. */
enum { ASH_RT_PHASE_AWAY = 1 << 24 };

static inline ash_rt_phase ash_rt_phase_of(int32_t phase, int32_t stride,
                                           int32_t pad, int32_t filter,
                                           int32_t out) {
  const int32_t before = pad > phase ? (pad - phase + stride - 1) / stride : 0;
  ash_rt_phase f;
  f.first = phase - pad + before * stride;
  f.count = out > f.first ? (out - f.first + stride - 1) / stride : 0;
  f.taps = filter > phase ? (filter - phase + stride - 1) / stride : 1;
  f.pad = filter > phase ? f.taps - 1 - before : ASH_RT_PHASE_AWAY;
  return f;
}

static inline ash_rt_part ash_rt_part_turned(const ash_rt_conv_2d_s8_params *p,
                                             int32_t index) {
  const ash_rt_window *w = &p->window;
  const ash_rt_phase v = ash_rt_phase_of(index / w->stride_w, w->stride_h,
                                         w->pad_top, w->filter_h, w->out_h);
  const ash_rt_phase h = ash_rt_phase_of(index % w->stride_w, w->stride_w,
                                         w->pad_left, w->filter_w, w->out_w);
  ash_rt_part t = ash_rt_part_whole(p);
  ash_rt_window *part = &t.p.window;
  part->out_h = v.count;
  part->out_w = h.count;
  part->filter_h = v.taps;
  part->filter_w = h.taps;
  part->pad_top = v.pad;
  part->pad_left = h.pad;
  part->stride_h = part->stride_w = 1;
  t.out_at = h.first * w->out_c;
  t.out_step = w->stride_w * w->out_c;
  t.line = v.first;
  t.line_step = w->stride_h;
  return t;
}

/* How channels and taps of a part are filled up in its weights. */
typedef struct ash_rt_part_blocks {
  int32_t channels, taps;
} ash_rt_part_blocks;

static inline int32_t ash_rt_part_up(int32_t count, int32_t to) {
  return (count + to - 1) / to * to;
}

/* Output lines [from, to) of one image, part after part. */
ASH_RT_INLINE void ash_rt_parts_of(const ash_rt_conv_2d_s8_params *p,
                                   int turned, ash_rt_part_data data,
                                   ash_rt_part_blocks up,
                                   const ash_rt_lines *in,
                                   const ash_rt_lines *out, int32_t from,
                                   int32_t to, ash_rt_part_maker *make) {
  const int32_t count =
      turned ? p->window.stride_h * p->window.stride_w : p->groups;
  for (int32_t i = 0; i < count; i++) {
    const ash_rt_part t =
        turned ? ash_rt_part_turned(p, i) : ash_rt_part_group(p, i);
    const ash_rt_window *w = &t.p.window;
    const ash_rt_lines first = ash_rt_lines_from(in, 0, t.in_at);
    const int32_t entries = ash_rt_part_up(w->out_c, 4);
    const int32_t low =
        from > t.line ? (from - t.line + t.line_step - 1) / t.line_step : 0;
    const int32_t high =
        to > t.line ? (to - t.line + t.line_step - 1) / t.line_step : 0;
    if (low < high && w->out_w > 0)
      make(&t, &data, &first, out, low, high);
    data.multiplier += entries;
    data.shift += entries;
    data.bias += entries;
    data.filter += (ptrdiff_t)ash_rt_part_up(w->out_c, up.channels) *
                   ash_rt_part_up(w->filter_h * w->filter_w * w->in_c, up.taps);
  }
}

ASH_RT_INLINE void
ash_rt_parts_of_images(const ash_rt_conv_2d_s8_params *p, int turned,
                       const ash_rt_part_data *data, ash_rt_part_blocks up,
                       const int8_t *in, int8_t *out, ash_rt_part_maker *make) {
  const ash_rt_window *w = &p->window;
  for (int32_t n = 0; n < w->batches; n++) {
    const ash_rt_lines i = ash_rt_image_in(w, in, n, sizeof *in);
    const ash_rt_lines o = ash_rt_image_out(w, out, n, sizeof *out);
    ash_rt_parts_of(p, turned, *data, up, &i, &o, 0, w->out_h, make);
  }
}

/* All parts of a line before the next. */
ASH_RT_INLINE void
ash_rt_parts_of_lines(const ash_rt_conv_2d_s8_params *p, int turned,
                      const ash_rt_part_data *data, ash_rt_part_blocks up,
                      const ash_rt_lines *in, const ash_rt_lines *out,
                      int32_t from, int32_t to, ash_rt_part_maker *make) {
  for (int32_t y = from; y < to; y++)
    ash_rt_parts_of(p, turned, *data, up, in, out, y, y + 1, make);
}

#endif
