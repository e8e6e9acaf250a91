/* ash_rt_max_pool_2d_s8_dsp.c - maximum over windows, int8, with Arm's DSP
 * instructions: the output pixel itself holds the maximum so far, four channels
 * at once. */
#include "ash_rt_dsp.h"

static inline void ash_rt_max_4_dsp(int8_t *to, const int8_t *from) {
#if ASH_RT_HAS_DSP
  uint32_t a = ash_rt_load_4(to), b = ash_rt_load_4(from), unused;
  /* SSUB8 leaves in the flags which bytes of a are not below those of b. */
  __asm__("ssub8 %[unused], %[a], %[b]\n"
          "sel %[a], %[a], %[b]\n"
          : [a] "+r"(a), [unused] "=&r"(unused)
          : [b] "r"(b)
          : "cc");
  ASH_RT_COPY(to, &a, 4);
#else
  for (int32_t i = 0; i < 4; i++)
    to[i] = to[i] < from[i] ? from[i] : to[i];
#endif
}

static void ash_rt_max_run_dsp(int8_t *to, const int8_t *from, int32_t count) {
  for (; count >= 4; count -= 4, to += 4, from += 4)
    ash_rt_max_4_dsp(to, from);
  for (; count > 0; count--, to++, from++)
    *to = *to < *from ? *from : *to;
}

void ash_rt_max_pool_2d_s8_dsp(const ash_rt_pool_2d_s8_params *p,
                               const int8_t *in, int8_t *out) {
  const ash_rt_window *w = &p->window;
  for (int32_t n = 0; n < w->batches; n++) {
    for (int32_t y = 0; y < w->out_h; y++)
      for (int32_t x = 0; x < w->out_w; x++, out += w->in_c) {
        const ash_rt_pane b = ash_rt_pane_of(w, y, x);
        const int8_t *row = in + b.first;
        ASH_RT_FILL(out, (unsigned char)p->act_min, (size_t)w->in_c);
        for (int32_t i = b.rows; i > 0; i--, row += b.row) {
          const int8_t *from = row;
          for (int32_t k = b.columns; k > 0; k--, from += b.column)
            ash_rt_max_run_dsp(out, from, w->in_c);
        }
        ash_rt_clamp_run_s8(out, w->in_c, p->act_min, p->act_max);
      }
    in += (ptrdiff_t)w->in_h * w->in_w * w->in_c;
  }
}
