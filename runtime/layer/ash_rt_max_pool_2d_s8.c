/* ash_rt_max_pool_2d_s8.c - maximum over windows, int8. The output pixel
 * itself holds the maximum so far: the inner loop runs over channels. */
#include "ash_rt_lanes.h"
#include "ash_rt_layers_s8.h"

#if ASH_RT_LANES > 1
/* Sixteen channels; `from` is the first pixel. */
static void ash_rt_max_lanes(const ash_rt_pool_2d_s8_params *p,
                             const ash_rt_pane *b, const int8_t *from,
                             int8_t *out) {
  const int8_t high = (int8_t)p->act_max;
  int8_t most[ASH_RT_LANES], v[ASH_RT_LANES];
  ASH_RT_FILL(most, (unsigned char)p->act_min, ASH_RT_LANES);
  for (int32_t y = 0; y < b->rows; y++)
    for (int32_t x = 0; x < b->columns; x++) {
      ASH_RT_COPY(v, from + y * b->row + x * b->column, ASH_RT_LANES);
      for (int32_t i = 0; i < ASH_RT_LANES; i++)
        most[i] = most[i] < v[i] ? v[i] : most[i];
    }
  for (int32_t i = 0; i < ASH_RT_LANES; i++)
    most[i] = most[i] > high ? high : most[i];
  ASH_RT_COPY(out, most, ASH_RT_LANES);
}
#endif

/* Channels [c, channels). */
static void ash_rt_max_taps_s8(const ash_rt_pool_2d_s8_params *p,
                               const ash_rt_pane *b, const int8_t *in,
                               int32_t c, int8_t *out) {
  const int32_t channels = p->window.in_c, first = c;
  for (; c < channels; c++)
    out[c] = (int8_t)p->act_min;
  for (int32_t y = 0; y < b->rows; y++)
    for (int32_t x = 0; x < b->columns; x++) {
      const int8_t *from = in + b->first + y * b->row + x * b->column;
      for (c = first; c < channels; c++)
        out[c] = out[c] < from[c] ? from[c] : out[c];
    }
  for (c = first; c < channels; c++)
    out[c] = (int8_t)(out[c] > p->act_max ? p->act_max : out[c]);
}

void ash_rt_max_pool_2d_s8(const ash_rt_pool_2d_s8_params *p, const int8_t *in,
                           int8_t *out) {
  const ash_rt_window *w = &p->window;
  for (int32_t n = 0; n < w->batches; n++) {
    for (int32_t y = 0; y < w->out_h; y++)
      for (int32_t x = 0; x < w->out_w; x++, out += w->in_c) {
        const ash_rt_pane b = ash_rt_pane_of(w, y, x);
        int32_t c = 0;
#if ASH_RT_LANES > 1
        for (; c + ASH_RT_LANES <= w->in_c; c += ASH_RT_LANES)
          ash_rt_max_lanes(p, &b, in + b.first + c, out + c);
#endif
        ash_rt_max_taps_s8(p, &b, in, c, out);
      }
    in += (ptrdiff_t)w->in_h * w->in_w * w->in_c;
  }
}
