/* ash_rt_pool_2d_any.c - pools of uint8 and int16; padding does not count. */
#include "ash_rt_layers_any.h"

typedef struct ash_rt_pool_box {
  int32_t top, bottom, left, right;
} ash_rt_pool_box;

static ash_rt_pool_box ash_rt_pool_box_of(const ash_rt_window *w, int32_t y,
                                          int32_t x) {
  const int32_t top = y * w->stride_h - w->pad_top;
  const int32_t left = x * w->stride_w - w->pad_left;
  ash_rt_pool_box b;
  b.top = top < 0 ? 0 : top;
  b.left = left < 0 ? 0 : left;
  b.bottom = top + w->filter_h < w->in_h ? top + w->filter_h : w->in_h;
  b.right = left + w->filter_w < w->in_w ? left + w->filter_w : w->in_w;
  return b;
}

ASH_RT_INLINE int32_t ash_rt_pool_average(const ash_rt_pool_2d_any_params *p,
                                          const ash_rt_lines *in, int32_t c,
                                          const ash_rt_pool_box *b) {
  const int32_t count = (b->bottom - b->top) * (b->right - b->left);
  int64_t sum = 0;
  for (int32_t y = b->top; y < b->bottom; y++) {
    const void *const line = ash_rt_line(in, y);
    for (int32_t x = b->left; x < b->right; x++)
      sum += ash_rt_load(line, p->type, (ptrdiff_t)x * p->window.in_c + c);
  }
  if (count < 1)
    return 0;
  return (int32_t)(sum > 0 ? (sum + count / 2) / count
                           : (sum - count / 2) / count);
}

ASH_RT_INLINE int32_t ash_rt_pool_max(const ash_rt_pool_2d_any_params *p,
                                      const ash_rt_lines *in, int32_t c,
                                      const ash_rt_pool_box *b) {
  int64_t most = INT32_MIN;
  for (int32_t y = b->top; y < b->bottom; y++) {
    const void *const line = ash_rt_line(in, y);
    for (int32_t x = b->left; x < b->right; x++) {
      const int64_t v =
          ash_rt_load(line, p->type, (ptrdiff_t)x * p->window.in_c + c);
      most = v > most ? v : most;
    }
  }
  return (int32_t)most;
}

/* Output lines [from, to). */
ASH_RT_INLINE void ash_rt_pool_lines(const ash_rt_pool_2d_any_params *p,
                                     int average, const ash_rt_lines *in,
                                     const ash_rt_lines *out, int32_t from,
                                     int32_t to) {
  const ash_rt_window *w = &p->window;
  for (int32_t y = from; y < to; y++) {
    void *const line = ash_rt_line_out(out, y);
    ptrdiff_t at = 0;
    for (int32_t x = 0; x < w->out_w; x++) {
      const ash_rt_pool_box b = ash_rt_pool_box_of(w, y, x);
      for (int32_t c = 0; c < w->in_c; c++) {
        const int32_t v = average ? ash_rt_pool_average(p, in, c, &b)
                                  : ash_rt_pool_max(p, in, c, &b);
        ash_rt_store(line, p->type, at++,
                     ash_rt_clamp(v, p->act_min, p->act_max));
      }
    }
  }
}

/* kernels average_pool_2d_any, max_pool_2d_any: the whole operator. */
ASH_RT_INLINE void ash_rt_pool_run(const ash_rt_pool_2d_any_params *p,
                                   int average, const void *in, void *out) {
  const ash_rt_window *w = &p->window;
  const size_t size = p->type == ASH_RT_S16 ? 2 : 1;
  for (int32_t n = 0; n < w->batches; n++) {
    const ash_rt_lines i = ash_rt_image_in(w, in, n, size);
    const ash_rt_lines o = ash_rt_image_out(w, out, n, size);
    ash_rt_pool_lines(p, average, &i, &o, 0, w->out_h);
  }
}

/* kernel average_pool_2d_any */
void ash_rt_average_pool_2d_any(const ash_rt_pool_2d_any_params *p,
                                const void *in, void *out) {
  ash_rt_pool_run(p, 1, in, out);
}

/* kernel average_pool_2d_any_lines */
void ash_rt_average_pool_2d_any_lines(const ash_rt_pool_2d_any_params *p,
                                      const ash_rt_lines *in,
                                      const ash_rt_lines *out, int32_t from,
                                      int32_t to) {
  ash_rt_pool_lines(p, 1, in, out, from, to);
}

/* kernel max_pool_2d_any */
void ash_rt_max_pool_2d_any(const ash_rt_pool_2d_any_params *p, const void *in,
                            void *out) {
  ash_rt_pool_run(p, 0, in, out);
}

/* kernel max_pool_2d_any_lines */
void ash_rt_max_pool_2d_any_lines(const ash_rt_pool_2d_any_params *p,
                                  const ash_rt_lines *in,
                                  const ash_rt_lines *out, int32_t from,
                                  int32_t to) {
  ash_rt_pool_lines(p, 0, in, out, from, to);
}
