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

static void ash_rt_max_taps_dsp(const ash_rt_window *w, const int8_t *in,
                                int32_t y, int32_t x, int8_t *out) {
  const int32_t top = y * w->stride_h - w->pad_top;
  const int32_t left = x * w->stride_w - w->pad_left;
  const ash_rt_taps v = ash_rt_taps_of(top, w->filter_h, 1, w->in_h);
  const ash_rt_taps h = ash_rt_taps_of(left, w->filter_w, 1, w->in_w);
  for (int32_t i = v.lo; i < v.hi; i++)
    for (int32_t k = h.lo; k < h.hi; k++)
      ash_rt_max_run_dsp(
          out, in + ((ptrdiff_t)(top + i) * w->in_w + left + k) * w->in_c,
          w->in_c);
}

void ash_rt_max_pool_2d_s8_dsp(const ash_rt_pool_2d_s8_params *p,
                               const int8_t *in, int8_t *out) {
  const ash_rt_window *w = &p->window;
  for (int32_t n = 0; n < w->batches; n++) {
    for (int32_t y = 0; y < w->out_h; y++)
      for (int32_t x = 0; x < w->out_w; x++, out += w->in_c) {
        ASH_RT_FILL(out, (unsigned char)p->act_min, (size_t)w->in_c);
        ash_rt_max_taps_dsp(w, in, y, x, out);
        ash_rt_clamp_run_s8(out, w->in_c, p->act_min, p->act_max);
      }
    in += (ptrdiff_t)w->in_h * w->in_w * w->in_c;
  }
}
