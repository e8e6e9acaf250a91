/* ash_rt_pools_f32.c - average and maximum over windows, float32. */
#include "ash_rt_layers_f32.h"

/* kernels average_pool_2d_f32, average_pool_2d_f32_lines: padding does not
 * count. The output pixel holds the sums. */
ASH_RT_INLINE void ash_rt_average_sum_f32(const ash_rt_pane *b, int32_t count,
                                          float *out) {
  for (int32_t c = 0; c < count; c++)
    out[c] = 0.0f;
  for (int32_t y = 0; y < b->rows; y++) {
    const float *const row = ash_rt_line(&b->in, y);
    for (int32_t x = 0; x < b->columns; x++)
      for (int32_t c = 0; c < count; c++)
        out[c] += row[x * b->column + c];
  }
}

/* Output lines [from, to). */
ASH_RT_INLINE void ash_rt_average_core_f32(const ash_rt_window_f32_params *p,
                                           const ash_rt_lines *in,
                                           const ash_rt_lines *out,
                                           int32_t from, int32_t to) {
  const ash_rt_window *w = &p->window;
  for (int32_t y = from; y < to; y++) {
    float *pixel = ash_rt_line_out(out, y);
    for (int32_t x = 0; x < w->out_w; x++, pixel += w->in_c) {
      const ash_rt_pane b = ash_rt_pane_of(w, in, y, x, sizeof *pixel);
      const float count = (float)(b.rows ? b.rows * b.columns : 1);
      ash_rt_average_sum_f32(&b, w->in_c, pixel);
      for (int32_t c = 0; c < w->in_c; c++)
        pixel[c] = ash_rt_clamp_f32(pixel[c] / count, p->act_min, p->act_max);
    }
  }
}

/* kernel average_pool_2d_f32 */
void ash_rt_average_pool_2d_f32(const ash_rt_window_f32_params *p,
                                const float *in, float *out) {
  const ash_rt_window *w = &p->window;
  for (int32_t n = 0; n < w->batches; n++) {
    const ash_rt_lines i = ash_rt_image_in(w, in, n, sizeof *in);
    const ash_rt_lines o = ash_rt_image_out(w, out, n, sizeof *out);
    ash_rt_average_core_f32(p, &i, &o, 0, w->out_h);
  }
}

/* kernel average_pool_2d_f32_lines */
void ash_rt_average_pool_2d_f32_lines(const ash_rt_window_f32_params *p,
                                      const ash_rt_lines *in,
                                      const ash_rt_lines *out, int32_t from,
                                      int32_t to) {
  ash_rt_average_core_f32(p, in, out, from, to);
}

/* kernels max_pool_2d_f32, max_pool_2d_f32_lines: the output pixel holds the
 * maximum so far, from the activation's lower bound on. */
ASH_RT_INLINE void ash_rt_max_taps_f32(const ash_rt_pane *b, int32_t count,
                                       float *out) {
  for (int32_t y = 0; y < b->rows; y++) {
    const float *const row = ash_rt_line(&b->in, y);
    for (int32_t x = 0; x < b->columns; x++) {
      const float *from = row + x * b->column;
      for (int32_t c = 0; c < count; c++)
        out[c] = out[c] < from[c] ? from[c] : out[c];
    }
  }
}

/* Output lines [from, to). */
ASH_RT_INLINE void ash_rt_max_core_f32(const ash_rt_window_f32_params *p,
                                       const ash_rt_lines *in,
                                       const ash_rt_lines *out, int32_t from,
                                       int32_t to) {
  const ash_rt_window *w = &p->window;
  for (int32_t y = from; y < to; y++) {
    float *pixel = ash_rt_line_out(out, y);
    for (int32_t x = 0; x < w->out_w; x++, pixel += w->in_c) {
      const ash_rt_pane b = ash_rt_pane_of(w, in, y, x, sizeof *pixel);
      for (int32_t c = 0; c < w->in_c; c++)
        pixel[c] = p->act_min;
      ash_rt_max_taps_f32(&b, w->in_c, pixel);
      for (int32_t c = 0; c < w->in_c; c++)
        pixel[c] = pixel[c] > p->act_max ? p->act_max : pixel[c];
    }
  }
}

/* kernel max_pool_2d_f32 */
void ash_rt_max_pool_2d_f32(const ash_rt_window_f32_params *p, const float *in,
                            float *out) {
  const ash_rt_window *w = &p->window;
  for (int32_t n = 0; n < w->batches; n++) {
    const ash_rt_lines i = ash_rt_image_in(w, in, n, sizeof *in);
    const ash_rt_lines o = ash_rt_image_out(w, out, n, sizeof *out);
    ash_rt_max_core_f32(p, &i, &o, 0, w->out_h);
  }
}

/* kernel max_pool_2d_f32_lines */
void ash_rt_max_pool_2d_f32_lines(const ash_rt_window_f32_params *p,
                                  const ash_rt_lines *in,
                                  const ash_rt_lines *out, int32_t from,
                                  int32_t to) {
  ash_rt_max_core_f32(p, in, out, from, to);
}
