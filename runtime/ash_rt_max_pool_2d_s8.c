/* ash_rt_max_pool_2d_s8.c - maximum over windows, int8. The output pixel
 * itself holds the maximum so far: the inner loop runs over channels. */
#include "ash_rt_layers_s8.h"

static void ash_rt_max_taps_s8(const ash_rt_window *w, const int8_t *in,
                               int32_t y, int32_t x, int8_t *out) {
  const int32_t top = y * w->stride_h - w->pad_top;
  const int32_t left = x * w->stride_w - w->pad_left;
  const ash_rt_taps v = ash_rt_taps_of(top, w->filter_h, 1, w->in_h);
  const ash_rt_taps h = ash_rt_taps_of(left, w->filter_w, 1, w->in_w);
  for (int32_t i = v.lo; i < v.hi; i++)
    for (int32_t k = h.lo; k < h.hi; k++) {
      const int8_t *from =
          in + ((ptrdiff_t)(top + i) * w->in_w + left + k) * w->in_c;
      for (int32_t c = 0; c < w->in_c; c++)
        out[c] = out[c] < from[c] ? from[c] : out[c];
    }
}

void ash_rt_max_pool_2d_s8(const ash_rt_pool_2d_s8_params *p, const int8_t *in,
                           int8_t *out) {
  const ash_rt_window *w = &p->window;
  for (int32_t n = 0; n < w->batches; n++) {
    for (int32_t y = 0; y < w->out_h; y++)
      for (int32_t x = 0; x < w->out_w; x++, out += w->in_c) {
        ASH_RT_FILL(out, (unsigned char)p->act_min, (size_t)w->in_c);
        ash_rt_max_taps_s8(w, in, y, x, out);
        for (int32_t c = 0; c < w->in_c; c++)
          out[c] = (int8_t)(out[c] > p->act_max ? p->act_max : out[c]);
      }
    in += (ptrdiff_t)w->in_h * w->in_w * w->in_c;
  }
}
