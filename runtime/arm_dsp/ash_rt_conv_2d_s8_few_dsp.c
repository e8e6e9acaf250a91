/* ash_rt_conv_2d_s8_few_dsp.c - convolution of points, int8, with Arm's DSP
 * instructions, for layers of so few products that ash_rt_conv_2d_s8_dsp would
 * spend its time on columns: channel by channel from where the pixel is, with
 * the weights that it takes. */
#include "ash_rt_dsp.h"

typedef struct ash_rt_conv_few {
  const ash_rt_conv_2d_s8_params *p;
  const int32_t *multiplier;
  const int8_t *shift;
  const int32_t *bias;
  const int8_t *filter;
} ash_rt_conv_few;

/* The sum of a channel without a second one in its pair. */
ASH_RT_INLINE int32_t ash_rt_conv_few_sum(const int8_t *x, const int8_t *w,
                                          int32_t in_c, int32_t s) {
  for (; in_c >= 4; in_c -= 4, x += 4, w += 8) {
    const uint32_t a = ash_rt_load_4(x), u = ash_rt_load_4(w);
    s = ash_rt_mla_pair(s, ash_rt_even(u), ash_rt_even(a));
    s = ash_rt_mla_pair(s, ash_rt_odd(u), ash_rt_odd(a));
  }
  for (; in_c > 0; in_c--)
    s += *x++ * *w++;
  return s;
}

/* Sums of two channels; blocks of four of the weights of each take turns. */
ASH_RT_INLINE void ash_rt_conv_few_sums(const int8_t *x, const int8_t *w,
                                        int32_t in_c, int32_t *first,
                                        int32_t *second) {
  int32_t s = *first, t = *second;
  for (; in_c >= 4; in_c -= 4, x += 4, w += 8) {
    const uint32_t a = ash_rt_load_4(x);
    const uint32_t even = ash_rt_even(a), odd = ash_rt_odd(a);
    const uint32_t u = ash_rt_load_4(w), v = ash_rt_load_4(w + 4);
    s = ash_rt_mla_pair(s, ash_rt_even(u), even);
    t = ash_rt_mla_pair(t, ash_rt_even(v), even);
    s = ash_rt_mla_pair(s, ash_rt_odd(u), odd);
    t = ash_rt_mla_pair(t, ash_rt_odd(v), odd);
  }
  for (; in_c > 0; in_c--, w++) {
    const int32_t a = *x++;
    s += a * w[0];
    t += a * w[4];
  }
  *first = s;
  *second = t;
}

/* Output lines [from, to). What a loop needs is in variables, which no store
 * can change. */
ASH_RT_INLINE void ash_rt_conv_few_lines(const ash_rt_conv_few *k,
                                         const ash_rt_lines *in,
                                         const ash_rt_lines *out, int32_t from,
                                         int32_t to) {
  const ash_rt_window *w = &k->p->window;
  const int32_t in_c = w->in_c, out_c = w->out_c;
  const int32_t twice = 2 * k->p->out_offset + 1;
  const int32_t low = k->p->act_min, high = k->p->act_max;
  const int32_t step = w->stride_w * in_c;
  const int32_t pair = (in_c + 7) / 8 * 16; /* bytes of its weights */
  const int32_t *const bias = k->bias, *const multiplier = k->multiplier;
  const int8_t *const shift = k->shift;
  for (int32_t y = from; y < to; y++) {
    const int8_t *x = ash_rt_line(in, y * w->stride_h);
    int8_t *pixel = ash_rt_line_out(out, y);
    for (int32_t n = w->out_w; n > 0; n--, x += step) {
      const int8_t *filter = k->filter;
      int32_t c = 0;
      for (; c + 1 < out_c; c += 2, pixel += 2) {
        int32_t s = bias[c], t = bias[c + 1]; /* all, if they never change */
        if (shift[c] >= 0) {
          ash_rt_conv_few_sums(x, filter, in_c, &s, &t);
          s = ash_rt_rescale_dsp(s, multiplier[c], shift[c], twice);
          t = ash_rt_rescale_dsp(t, multiplier[c + 1], shift[c + 1], twice);
          filter += pair;
        }
        pixel[0] = (int8_t)s;
        pixel[1] = (int8_t)t;
      }
      if (c < out_c) {
        int32_t s = bias[c];
        if (shift[c] >= 0)
          s = ash_rt_rescale_dsp(ash_rt_conv_few_sum(x, filter, in_c, s),
                                 multiplier[c], shift[c], twice);
        *pixel++ = (int8_t)s;
      }
      ash_rt_clamp_run_s8(pixel - out_c, out_c, low, high);
    }
  }
}

/* kernel conv_2d_s8_few_dsp */
void ash_rt_conv_2d_s8_few_dsp(const ash_rt_conv_2d_s8_params *p,
                               const int8_t *in, const int32_t *multiplier,
                               const int8_t *shift, const int32_t *bias,
                               const int8_t *filter, int8_t *out,
                               void *scratch) {
  const ash_rt_window *w = &p->window;
  const ash_rt_conv_few k = {p, multiplier, shift, bias, filter};
  (void)scratch;
  for (int32_t n = 0; n < w->batches; n++) {
    const ash_rt_lines i = ash_rt_image_in(w, in, n, sizeof *in);
    const ash_rt_lines o = ash_rt_image_out(w, out, n, sizeof *out);
    ash_rt_conv_few_lines(&k, &i, &o, 0, w->out_h);
  }
}

/* kernel conv_2d_s8_few_dsp_lines */
void ash_rt_conv_2d_s8_few_dsp_lines(const ash_rt_conv_2d_s8_params *p,
                                     const ash_rt_lines *in,
                                     const int32_t *multiplier,
                                     const int8_t *shift, const int32_t *bias,
                                     const int8_t *filter,
                                     const ash_rt_lines *out, int32_t from,
                                     int32_t to, void *scratch) {
  const ash_rt_conv_few k = {p, multiplier, shift, bias, filter};
  (void)scratch;
  ash_rt_conv_few_lines(&k, in, out, from, to);
}
