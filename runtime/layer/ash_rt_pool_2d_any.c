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

static int32_t ash_rt_pool_average(const ash_rt_pool_2d_any_params *p,
                                   const void *in, ptrdiff_t first,
                                   const ash_rt_pool_box *b) {
  const ash_rt_window *w = &p->window;
  const int32_t count = (b->bottom - b->top) * (b->right - b->left);
  int64_t sum = 0;
  for (int32_t y = b->top; y < b->bottom; y++)
    for (int32_t x = b->left; x < b->right; x++)
      sum += ash_rt_load(in, p->type,
                         first + ((ptrdiff_t)y * w->in_w + x) * w->in_c);
  if (count < 1)
    return 0;
  return (int32_t)(sum > 0 ? (sum + count / 2) / count
                           : (sum - count / 2) / count);
}

static int32_t ash_rt_pool_max(const ash_rt_pool_2d_any_params *p,
                               const void *in, ptrdiff_t first,
                               const ash_rt_pool_box *b) {
  const ash_rt_window *w = &p->window;
  int64_t most = INT32_MIN;
  for (int32_t y = b->top; y < b->bottom; y++)
    for (int32_t x = b->left; x < b->right; x++) {
      const int64_t v = ash_rt_load(
          in, p->type, first + ((ptrdiff_t)y * w->in_w + x) * w->in_c);
      most = v > most ? v : most;
    }
  return (int32_t)most;
}

static void ash_rt_pool_any(const ash_rt_pool_2d_any_params *p, const void *in,
                            void *out, int average) {
  const ash_rt_window *w = &p->window;
  ptrdiff_t to = 0;
  for (int32_t n = 0; n < w->batches; n++)
    for (int32_t y = 0; y < w->out_h; y++)
      for (int32_t x = 0; x < w->out_w; x++) {
        const ash_rt_pool_box b = ash_rt_pool_box_of(w, y, x);
        for (int32_t c = 0; c < w->in_c; c++) {
          const ptrdiff_t first =
              (ptrdiff_t)n * w->in_h * w->in_w * w->in_c + c;
          const int32_t v = average ? ash_rt_pool_average(p, in, first, &b)
                                    : ash_rt_pool_max(p, in, first, &b);
          ash_rt_store(out, p->type, to++,
                       ash_rt_clamp(v, p->act_min, p->act_max));
        }
      }
}

void ash_rt_average_pool_2d_any(const ash_rt_pool_2d_any_params *p,
                                const void *in, void *out) {
  ash_rt_pool_any(p, in, out, 1);
}

void ash_rt_max_pool_2d_any(const ash_rt_pool_2d_any_params *p, const void *in,
                            void *out) {
  ash_rt_pool_any(p, in, out, 0);
}
