/* ash_rt_max_pool_2d_s8_mve.c - maximum over windows, int8, with Helium:
 * sixteen channels at once. */
#include "ash_rt_mve.h"

/* Up to sixteen channels; `low` is the activation's, and what a window without
 * elements gives. */
static void ash_rt_max_some_mve(const ash_rt_pane *b, const int8_t *row,
                                int32_t rest, int32_t low, int32_t high,
                                int8_t *out) {
#if ASH_RT_HAS_MVE
  const mve_pred16_t some = vctp8q((uint32_t)rest);
  int8x16_t m = vdupq_n_s8((int8_t)low);
  for (int32_t y = b->rows; y > 0; y--, row += b->row) {
    const int8_t *x = row;
    for (int32_t k = b->columns; k > 0; k--, x += b->column)
      m = vmaxq_s8(m, vldrbq_z_s8(x, some));
  }
  vstrbq_p_s8(out, vminq_s8(m, vdupq_n_s8((int8_t)high)), some);
#else
  ash_rt_max_plain(b, row, rest < 16 ? rest : 16, low, high, out);
#endif
}

void ash_rt_max_pool_2d_s8_mve(const ash_rt_pool_2d_s8_params *p,
                               const int8_t *in, int8_t *out) {
  const ash_rt_window *w = &p->window;
  for (int32_t n = 0; n < w->batches; n++) {
    for (int32_t y = 0; y < w->out_h; y++)
      for (int32_t x = 0; x < w->out_w; x++, out += w->in_c) {
        const ash_rt_pane b = ash_rt_pane_of(w, y, x);
        const int8_t *from = in + b.first;
        for (int32_t c = 0; c < w->in_c; c += 16)
          ash_rt_max_some_mve(&b, from + c, w->in_c - c, p->act_min, p->act_max,
                              out + c);
      }
    in += (ptrdiff_t)w->in_h * w->in_w * w->in_c;
  }
}
