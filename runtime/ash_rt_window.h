/* ash_rt_window.h - windows of convolution and pooling. */
#ifndef ASH_RT_WINDOW_H
#define ASH_RT_WINDOW_H

#include "ash_rt_lines.h"

/* Output pixel (y, x) reads input rows y * stride_h - pad_top + k * dilation_h
 * for k in [0, filter_h), and columns likewise; taps outside the input are
 * left out. */
typedef struct ash_rt_window {
  int32_t batches;
  int32_t in_h, in_w, in_c;
  int32_t out_h, out_w, out_c;
  int32_t filter_h, filter_w;
  int32_t stride_h, stride_w;
  int32_t dilation_h, dilation_w;
  int32_t pad_top, pad_left;
} ash_rt_window;

/* The taps [lo, hi) of a filter that fall into [0, size), for a window that
 * starts at `start`. */
typedef struct ash_rt_taps {
  int32_t lo, hi;
} ash_rt_taps;

static inline ash_rt_taps ash_rt_taps_of(int32_t start, int32_t filter,
                                         int32_t dilation, int32_t size) {
  ash_rt_taps t = {0, filter};
  while (t.lo < filter && start + t.lo * dilation < 0)
    t.lo++;
  while (t.hi > t.lo && start + (t.hi - 1) * dilation >= size)
    t.hi--;
  return t;
}

/* Of one output pixel: where its window starts, and the taps of rows and
 * columns that fall into the input. */
typedef struct ash_rt_pixel_taps {
  int32_t top, left;
  ash_rt_taps v, h;
} ash_rt_pixel_taps;

static inline ash_rt_pixel_taps ash_rt_pixel_taps_of(const ash_rt_window *w,
                                                     int32_t y, int32_t x) {
  ash_rt_pixel_taps t;
  t.top = y * w->stride_h - w->pad_top;
  t.left = x * w->stride_w - w->pad_left;
  t.v = ash_rt_taps_of(t.top, w->filter_h, w->dilation_h, w->in_h);
  t.h = ash_rt_taps_of(t.left, w->filter_w, w->dilation_w, w->in_w);
  return t;
}

/* The output columns [lo, hi) whose taps are all inside the input, as far as
 * columns go. */
static inline ash_rt_taps ash_rt_inner_columns(const ash_rt_window *w) {
  const int32_t reach = (w->filter_w - 1) * w->dilation_w + 1;
  ash_rt_taps t = {0, w->out_w};
  while (t.lo < w->out_w && t.lo * w->stride_w < w->pad_left)
    t.lo++;
  while (t.hi > t.lo &&
         (t.hi - 1) * w->stride_w - w->pad_left + reach > w->in_w)
    t.hi--;
  return t;
}

/* Are all rows of the windows of output line y inside the input? */
static inline int ash_rt_is_inner_line(const ash_rt_window *w, int32_t y) {
  const int32_t top = y * w->stride_h - w->pad_top;
  return top >= 0 && top + (w->filter_h - 1) * w->dilation_h < w->in_h;
}

/* The part of a pool's window that lies inside the input: none, or `rows` by
 * `columns` pixels; each of its rows is a line of `in`. */
typedef struct ash_rt_pane {
  ash_rt_lines in;
  int32_t rows, columns;
  ptrdiff_t column; /* elements from one pixel to the next */
} ash_rt_pane;

/* Of output pixel (y, x); elements have `size` bytes. */
ASH_RT_INLINE ash_rt_pane ash_rt_pane_of(const ash_rt_window *w,
                                         const ash_rt_lines *in, int32_t y,
                                         int32_t x, size_t size) {
  const int32_t top = y * w->stride_h - w->pad_top;
  const int32_t left = x * w->stride_w - w->pad_left;
  const ash_rt_taps v = ash_rt_taps_of(top, w->filter_h, 1, w->in_h);
  const ash_rt_taps h = ash_rt_taps_of(left, w->filter_w, 1, w->in_w);
  ash_rt_pane b;
  b.columns = h.hi - h.lo;
  b.rows = b.columns ? v.hi - v.lo : 0;
  b.column = w->in_c;
  b.in = ash_rt_lines_from(in, b.rows ? top + v.lo : 0,
                           (left + h.lo) * b.column * (ptrdiff_t)size);
  return b;
}

/* From a pixel whose window is inside, as far as columns go, to the next one,
 * `bytes` further, if that is so there too. */
static inline void ash_rt_pane_next(ash_rt_pane *b, ptrdiff_t bytes) {
  b->in.base = (const unsigned char *)b->in.base + bytes;
}

/* Image n of the input and of the output of a whole operator, whose elements
 * have `size` bytes. */
ASH_RT_INLINE ash_rt_lines ash_rt_image_in(const ash_rt_window *w,
                                           const void *in, int32_t n,
                                           size_t size) {
  const ptrdiff_t pitch = (ptrdiff_t)w->in_w * w->in_c * (ptrdiff_t)size;
  return ash_rt_image(in, n, w->in_h, pitch);
}

ASH_RT_INLINE ash_rt_lines ash_rt_image_out(const ash_rt_window *w,
                                            const void *out, int32_t n,
                                            size_t size) {
  const ptrdiff_t pitch = (ptrdiff_t)w->out_w * w->out_c * (ptrdiff_t)size;
  return ash_rt_image(out, n, w->out_h, pitch);
}

#endif
