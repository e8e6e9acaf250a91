/* ash_rt_pools_f32.c - average and maximum over windows, float32. */
#include "ash_rt_layers_f32.h"

/* kernel average_pool_2d_f32: padding does not count. The output pixel holds
 * the sums. */
static void ash_rt_average_sum_f32(const ash_rt_pane *b, const float *in,
                                   int32_t count, float *out) {
  for (int32_t c = 0; c < count; c++)
    out[c] = 0.0f;
  for (int32_t y = 0; y < b->rows; y++)
    for (int32_t x = 0; x < b->columns; x++) {
      const float *from = in + b->first + y * b->row + x * b->column;
      for (int32_t c = 0; c < count; c++)
        out[c] += from[c];
    }
}

void ash_rt_average_pool_2d_f32(const ash_rt_window_f32_params *p,
                                const float *in, float *out) {
  const ash_rt_window *w = &p->window;
  ASH_RT_POOL_PIXELS(w, in, out, {
    const ash_rt_pane b = ash_rt_pane_of(w, y, x);
    const float count = (float)(b.rows ? b.rows * b.columns : 1);
    ash_rt_average_sum_f32(&b, in, w->in_c, out);
    for (int32_t c = 0; c < w->in_c; c++)
      out[c] = ash_rt_clamp_f32(out[c] / count, p->act_min, p->act_max);
  })
}

/* kernel max_pool_2d_f32: the output pixel holds the maximum so far, from the
 * activation's lower bound on. */
static void ash_rt_max_taps_f32(const ash_rt_pane *b, const float *in,
                                int32_t count, float *out) {
  for (int32_t y = 0; y < b->rows; y++)
    for (int32_t x = 0; x < b->columns; x++) {
      const float *from = in + b->first + y * b->row + x * b->column;
      for (int32_t c = 0; c < count; c++)
        out[c] = out[c] < from[c] ? from[c] : out[c];
    }
}

void ash_rt_max_pool_2d_f32(const ash_rt_window_f32_params *p, const float *in,
                            float *out) {
  const ash_rt_window *w = &p->window;
  ASH_RT_POOL_PIXELS(w, in, out, {
    const ash_rt_pane b = ash_rt_pane_of(w, y, x);
    for (int32_t c = 0; c < w->in_c; c++)
      out[c] = p->act_min;
    ash_rt_max_taps_f32(&b, in, w->in_c, out);
    for (int32_t c = 0; c < w->in_c; c++)
      out[c] = out[c] > p->act_max ? p->act_max : out[c];
  })
}
