/* ash_rt_max_pool_2d_s8.c - maximum over windows, int8. The output pixel
 * itself holds the maximum so far: the inner loop runs over channels. */
#include "ash_rt_layers_s8.h"

static void ash_rt_max_taps_s8(const ash_rt_pane *b, const int8_t *in,
                               int32_t count, int8_t *out) {
  for (int32_t y = 0; y < b->rows; y++)
    for (int32_t x = 0; x < b->columns; x++) {
      const int8_t *from = in + b->first + y * b->row + x * b->column;
      for (int32_t c = 0; c < count; c++)
        out[c] = out[c] < from[c] ? from[c] : out[c];
    }
}

void ash_rt_max_pool_2d_s8(const ash_rt_pool_2d_s8_params *p, const int8_t *in,
                           int8_t *out) {
  const ash_rt_window *w = &p->window;
  for (int32_t n = 0; n < w->batches; n++) {
    for (int32_t y = 0; y < w->out_h; y++)
      for (int32_t x = 0; x < w->out_w; x++, out += w->in_c) {
        const ash_rt_pane b = ash_rt_pane_of(w, y, x);
        ASH_RT_FILL(out, (unsigned char)p->act_min, (size_t)w->in_c);
        ash_rt_max_taps_s8(&b, in, w->in_c, out);
        for (int32_t c = 0; c < w->in_c; c++)
          out[c] = (int8_t)(out[c] > p->act_max ? p->act_max : out[c]);
      }
    in += (ptrdiff_t)w->in_h * w->in_w * w->in_c;
  }
}
