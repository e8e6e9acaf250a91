/* random_window.h - random windows for tests of device kernels. */
#ifndef ASH_TESTS_RANDOM_WINDOW_H
#define ASH_TESTS_RANDOM_WINDOW_H

#include "ash_rt_window.h"
#include "kernel_data.h"

static inline int32_t window_count(int32_t in, int32_t reach, int32_t stride,
                                   int32_t before) {
  const int32_t total = in + before + random_below(reach + 1);
  return total < reach ? 0 : (total - reach) / stride + 1;
}

/* Sometimes whole windows lie in the padding. */
static inline ash_rt_window random_window(int32_t dilation_max) {
  for (;;) {
    ash_rt_window w;
    w.batches = random_between(1, 2);
    w.in_h = random_between(1, 7);
    w.in_w = random_between(1, 7);
    w.in_c = random_between(1, 9);
    w.filter_h = random_between(1, 4);
    w.filter_w = random_between(1, 4);
    w.stride_h = random_between(1, 3);
    w.stride_w = random_between(1, 3);
    w.dilation_h = random_between(1, dilation_max);
    w.dilation_w = random_between(1, dilation_max);
    const int32_t reach_h = (w.filter_h - 1) * w.dilation_h + 1;
    const int32_t reach_w = (w.filter_w - 1) * w.dilation_w + 1;
    w.pad_top = random_below(reach_h + 1);
    w.pad_left = random_below(reach_w + 1);
    w.out_h = window_count(w.in_h, reach_h, w.stride_h, w.pad_top);
    w.out_w = window_count(w.in_w, reach_w, w.stride_w, w.pad_left);
    w.out_c = w.in_c;
    if (w.out_h > 0 && w.out_w > 0 && w.out_h < 12 && w.out_w < 12)
      return w;
  }
}

/* Does an output pixel read padding? */
static inline int window_is_padded(const ash_rt_window *w) {
  const int32_t bottom = (w->out_h - 1) * w->stride_h - w->pad_top +
                         (w->filter_h - 1) * w->dilation_h;
  const int32_t right = (w->out_w - 1) * w->stride_w - w->pad_left +
                        (w->filter_w - 1) * w->dilation_w;
  return w->pad_top > 0 || w->pad_left > 0 || bottom >= w->in_h ||
         right >= w->in_w;
}

#endif
