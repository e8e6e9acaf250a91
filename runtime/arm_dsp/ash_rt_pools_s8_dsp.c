/* ash_rt_pools_s8_dsp.c - average and maximum over windows, int8, with Arm's
 * DSP instructions: four channels at once. */
#include "ash_rt_dsp.h"

/* kernels average_pool_2d_s8_dsp, average_pool_2d_s8_dsp_lines: windows of at
 * most 255 pixels, summed up in 16 bits. */
static inline int8_t ash_rt_average_put_dsp(const ash_rt_pool_2d_s8_params *p,
                                            const ash_rt_average *b,
                                            const ash_rt_average_round *r,
                                            int32_t s) {
  const uint32_t n = (uint32_t)(s + ((s >> 31) & r->ties) + r->up);
  const int32_t y = (int32_t)(((uint64_t)n * b->inverse) >> 32) - 128;
  return (int8_t)ash_rt_clamp(y, p->act_min, p->act_max);
}

ASH_RT_INLINE void ash_rt_average_four_dsp(const ash_rt_pool_2d_s8_params *p,
                                           const ash_rt_average *b,
                                           const ash_rt_average_round *r,
                                           int32_t c, int8_t *out) {
  const ptrdiff_t column = b->pane.column;
  uint32_t even = 0, odd = 0;
  for (int32_t y = 0; y < b->pane.rows; y++) {
    const int8_t *x = (const int8_t *)ash_rt_line(&b->pane.in, y) + c;
    for (int32_t k = b->pane.columns; k > 0; k--, x += column) {
      const uint32_t v = ash_rt_load_4(x);
      even = ash_rt_add_pair(even, ash_rt_even(v));
      odd = ash_rt_add_pair(odd, ash_rt_odd(v));
    }
  }
  out[c] = ash_rt_average_put_dsp(p, b, r, ash_rt_low(even));
  out[c + 1] = ash_rt_average_put_dsp(p, b, r, ash_rt_low(odd));
  out[c + 2] = ash_rt_average_put_dsp(p, b, r, ash_rt_high(even));
  out[c + 3] = ash_rt_average_put_dsp(p, b, r, ash_rt_high(odd));
}

/* Channels [c, in_c), one by one. */
ASH_RT_INLINE void ash_rt_average_rest_dsp(const ash_rt_pool_2d_s8_params *p,
                                           const ash_rt_average *b,
                                           const ash_rt_average_round *r,
                                           int32_t c, int8_t *out) {
  for (; c < p->window.in_c; c++) {
    int32_t s = 0;
    for (int32_t y = 0; y < b->pane.rows; y++)
      for (int32_t k = 0; k < b->pane.columns; k++)
        s += ((const int8_t *)ash_rt_line(&b->pane.in,
                                          y))[k * b->pane.column + c];
    out[c] = ash_rt_average_put_dsp(p, b, r, s);
  }
}

/* Output lines [from, to). */
ASH_RT_INLINE void ash_rt_average_core_dsp(const ash_rt_pool_2d_s8_params *p,
                                           const ash_rt_lines *in,
                                           const ash_rt_lines *out,
                                           int32_t from, int32_t to) {
  const ash_rt_window *w = &p->window;
  for (int32_t y = from; y < to; y++) {
    int8_t *pixel = ash_rt_line_out(out, y);
    for (int32_t x = 0; x < w->out_w; x++, pixel += w->in_c) {
      const ash_rt_average b = ash_rt_average_of(w, in, y, x);
      const ash_rt_average_round r = ash_rt_average_round_of(b.count);
      int32_t c = 0;
      for (; c + 4 <= w->in_c; c += 4)
        ash_rt_average_four_dsp(p, &b, &r, c, pixel);
      ash_rt_average_rest_dsp(p, &b, &r, c, pixel);
    }
  }
}

/* kernel average_pool_2d_s8_dsp */
void ash_rt_average_pool_2d_s8_dsp(const ash_rt_pool_2d_s8_params *p,
                                   const int8_t *in, int8_t *out) {
  const ash_rt_window *w = &p->window;
  for (int32_t n = 0; n < w->batches; n++) {
    const ash_rt_lines i = ash_rt_image_in(w, in, n, sizeof *in);
    const ash_rt_lines o = ash_rt_image_out(w, out, n, sizeof *out);
    ash_rt_average_core_dsp(p, &i, &o, 0, w->out_h);
  }
}

/* kernel average_pool_2d_s8_dsp_lines */
void ash_rt_average_pool_2d_s8_dsp_lines(const ash_rt_pool_2d_s8_params *p,
                                         const ash_rt_lines *in,
                                         const ash_rt_lines *out, int32_t from,
                                         int32_t to) {
  ash_rt_average_core_dsp(p, in, out, from, to);
}

/* kernels max_pool_2d_s8_dsp, max_pool_2d_s8_dsp_lines: the output pixel itself
 * holds the maximum so far. */
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

/* Output lines [from, to). */
ASH_RT_INLINE void ash_rt_max_core_dsp(const ash_rt_pool_2d_s8_params *p,
                                       const ash_rt_lines *in,
                                       const ash_rt_lines *out, int32_t from,
                                       int32_t to) {
  const ash_rt_window *w = &p->window;
  for (int32_t y = from; y < to; y++) {
    int8_t *pixel = ash_rt_line_out(out, y);
    for (int32_t x = 0; x < w->out_w; x++, pixel += w->in_c) {
      const ash_rt_pane b = ash_rt_pane_of(w, in, y, x, 1);
      ASH_RT_FILL(pixel, (unsigned char)p->act_min, (size_t)w->in_c);
      for (int32_t i = 0; i < b.rows; i++) {
        const int8_t *tap = ash_rt_line(&b.in, i);
        for (int32_t k = b.columns; k > 0; k--, tap += b.column)
          ash_rt_max_run_dsp(pixel, tap, w->in_c);
      }
      ash_rt_clamp_run_s8(pixel, w->in_c, p->act_min, p->act_max);
    }
  }
}

/* kernel max_pool_2d_s8_dsp */
void ash_rt_max_pool_2d_s8_dsp(const ash_rt_pool_2d_s8_params *p,
                               const int8_t *in, int8_t *out) {
  const ash_rt_window *w = &p->window;
  for (int32_t n = 0; n < w->batches; n++) {
    const ash_rt_lines i = ash_rt_image_in(w, in, n, sizeof *in);
    const ash_rt_lines o = ash_rt_image_out(w, out, n, sizeof *out);
    ash_rt_max_core_dsp(p, &i, &o, 0, w->out_h);
  }
}

/* kernel max_pool_2d_s8_dsp_lines */
void ash_rt_max_pool_2d_s8_dsp_lines(const ash_rt_pool_2d_s8_params *p,
                                     const ash_rt_lines *in,
                                     const ash_rt_lines *out, int32_t from,
                                     int32_t to) {
  ash_rt_max_core_dsp(p, in, out, from, to);
}
