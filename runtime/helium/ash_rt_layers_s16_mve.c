/* ash_rt_layers_s16_mve.c - convolutions and fully connected layers of int16 by
 * int8, with Helium: eight products at once, summed up in 64 bits. Weights are
 * read in the model's order, widened by the load. */
#include "ash_rt_mve_s16.h"

/* kernels conv_2d_s16_mve, conv_2d_s16_mve_lines */

/* Both columns. */
#if ASH_RT_HAS_MVE
/* It takes thirteen registers, of which compilers may keep r9 for themselves.
 */
static inline void ash_rt_square_s16_mve(ash_rt_square_s16 *square) {
  register ash_rt_square_s16 *at __asm__("r12") = square;
  __asm__ volatile("push {r9, r12}\n"
                   "ldr lr, [r12, #16]\n"
                   "ldrd r6, r4, [r12, #8]\n"
                   "ldrd r11, r12, [r12]\n"
                   "movs r0, #0\n"
                   "movs r1, #0\n"
                   "movs r2, #0\n"
                   "movs r3, #0\n"
                   "movs r5, #0\n"
                   "mov r8, #0\n"
                   "mov r9, #0\n"
                   "mov r10, #0\n"
                   "dlstp.16 lr, lr\n"
                   "1:\n"
                   "vldrh.16 q0, [r11], #16\n"
                   "vldrb.s16 q2, [r6], #8\n"
                   "vmlaldava.s16 r0, r1, q0, q2\n"
                   "vldrh.16 q1, [r12], #16\n"
                   "vmlaldava.s16 r2, r3, q1, q2\n"
                   "vldrb.s16 q3, [r4], #8\n"
                   "vmlaldava.s16 r8, r5, q0, q3\n"
                   "vmlaldava.s16 r10, r9, q1, q3\n"
                   "letp lr, 1b\n"
                   "mov r11, r9\n"
                   "pop {r9, r12}\n"
                   "strd r0, r1, [r12, #24]\n"
                   "strd r2, r3, [r12, #32]\n"
                   "strd r8, r5, [r12, #40]\n"
                   "strd r10, r11, [r12, #48]\n"
                   : "+r"(at)
                   :
                   : "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r8", "r10",
                     "r11", "lr", "cc", "q0", "q1", "q2", "q3", "memory");
}

static inline int16_t *ash_rt_copy_s16_mve(int16_t *to, const int16_t *from,
                                           int32_t count) {
  int16_t *const end = to + count;
  for (; from && count > 0; count -= 8, to += 8, from += 8) {
    const mve_pred16_t p = vctp16q((uint32_t)count);
    vstrhq_p_s16(to, vldrhq_z_s16(from, p), p);
  }
  for (; count > 0; count -= 8, to += 8)
    vstrhq_p_s16(to, vdupq_n_s16(0), vctp16q((uint32_t)count));
  return end;
}
#else
static inline void ash_rt_square_s16_mve(ash_rt_square_s16 *s) {
  ash_rt_square_s16 other = *s;
  other.x = s->y;
  ash_rt_column_sums_s16_mve(s);
  ash_rt_column_sums_s16_mve(&other);
  s->sums[1] = other.sums[0];
  s->sums[3] = other.sums[2];
}

static inline int16_t *ash_rt_copy_s16_mve(int16_t *to, const int16_t *from,
                                           int32_t count) {
  for (int32_t i = 0; i < count; i++)
    to[i] = (int16_t)(from ? from[i] : 0);
  return to + count;
}
#endif

/* All channels of two pixels; an odd last channel is summed up twice. */
static void ash_rt_conv_two_s16_mve(const ash_rt_layer *k,
                                    const ash_rt_channel_s16 *channel,
                                    const int16_t *x, const int16_t *y,
                                    int32_t taps, int16_t *first,
                                    int16_t *second) {
  const int32_t out_c = k->p->window.out_c;
  ash_rt_square_s16 s = {x, y, k->filter, NULL, taps, 0, {0, 0, 0, 0}};
  for (int32_t c = 0; c < out_c; c += 2, s.w += 2 * (ptrdiff_t)taps) {
    const int both = c + 1 < out_c;
    s.v = both ? s.w + taps : s.w;
    ash_rt_square_s16_mve(&s);
    first[c] = ash_rt_channel_out_s16(k->p, channel, s.sums[0]);
    second[c] = ash_rt_channel_out_s16(k->p, channel++, s.sums[1]);
    if (both) {
      first[c + 1] = ash_rt_channel_out_s16(k->p, channel, s.sums[2]);
      second[c + 1] = ash_rt_channel_out_s16(k->p, channel++, s.sums[3]);
    }
  }
}

static void ash_rt_conv_one_s16_mve(const ash_rt_layer *k,
                                    const ash_rt_channel_s16 *channel,
                                    const int16_t *x, int32_t taps,
                                    int16_t *out) {
  const int32_t out_c = k->p->window.out_c;
  ash_rt_square_s16 s = {x, NULL, k->filter, NULL, taps, 0, {0, 0, 0, 0}};
  for (int32_t c = 0; c < out_c; c += 2, s.w += 2 * (ptrdiff_t)taps) {
    const int both = c + 1 < out_c;
    s.v = both ? s.w + taps : s.w;
    ash_rt_column_sums_s16_mve(&s);
    out[c] = ash_rt_channel_out_s16(k->p, channel++, s.sums[0]);
    if (both)
      out[c + 1] = ash_rt_channel_out_s16(k->p, channel++, s.sums[2]);
  }
}

/* The column of a pixel: where it lies, or a copy of it. */
static inline const int16_t *ash_rt_conv_column_s16_mve(const ash_rt_layer *k,
                                                        const ash_rt_lines *in,
                                                        int32_t y, int32_t x,
                                                        int16_t *copy) {
  const ash_rt_window *w = &k->p->window;
  if (!copy)
    return (const int16_t *)ash_rt_line(in, y * w->stride_h) +
           (ptrdiff_t)x * w->stride_w * w->in_c;
  (void)ash_rt_column_s16(w, in, y, x, copy, ash_rt_copy_s16_mve);
  return copy;
}

/* Output lines [from, to), by pairs of pixels. */
ASH_RT_INLINE void ash_rt_conv_lines_s16_mve(const ash_rt_layer *k,
                                             const ash_rt_lines *in,
                                             const ash_rt_lines *out,
                                             int32_t from, int32_t to,
                                             void *scratch) {
  const ash_rt_window *w = &k->p->window;
  const int32_t taps = w->filter_h * w->filter_w * w->in_c;
  int16_t *const columns = ash_rt_channels_s16(k, scratch);
  int16_t *const here = ash_rt_is_point(w) ? NULL : columns;
  int16_t *const next = here ? here + taps : NULL;
  for (int32_t y = from; y < to; y++) {
    int16_t *pixel = ash_rt_line_out(out, y);
    for (int32_t x = 0; x < w->out_w; x += 2, pixel += 2 * w->out_c) {
      const int16_t *const a = ash_rt_conv_column_s16_mve(k, in, y, x, here);
      if (x + 1 < w->out_w)
        ash_rt_conv_two_s16_mve(
            k, scratch, a, ash_rt_conv_column_s16_mve(k, in, y, x + 1, next),
            taps, pixel, pixel + w->out_c);
      else
        ash_rt_conv_one_s16_mve(k, scratch, a, taps, pixel);
    }
  }
}

/* kernel conv_2d_s16_mve */
void ash_rt_conv_2d_s16_mve(const ash_rt_layer_params *p, const int16_t *in,
                            const int8_t *filter, const void *bias,
                            const int32_t *multiplier, const int8_t *shift,
                            int16_t *out, void *scratch) {
  const ash_rt_layer k = {p, filter, bias, multiplier, shift};
  const ash_rt_window *w = &p->window;
  for (int32_t n = 0; n < w->batches; n++) {
    const ash_rt_lines i = ash_rt_image_in(w, in, n, sizeof *in);
    const ash_rt_lines o = ash_rt_image_out(w, out, n, sizeof *out);
    ash_rt_conv_lines_s16_mve(&k, &i, &o, 0, w->out_h, scratch);
  }
}

/* kernel conv_2d_s16_mve_lines */
void ash_rt_conv_2d_s16_mve_lines(const ash_rt_layer_params *p,
                                  const ash_rt_lines *in, const int8_t *filter,
                                  const void *bias, const int32_t *multiplier,
                                  const int8_t *shift, const ash_rt_lines *out,
                                  int32_t from, int32_t to, void *scratch) {
  const ash_rt_layer k = {p, filter, bias, multiplier, shift};
  ash_rt_conv_lines_s16_mve(&k, in, out, from, to, scratch);
}

/* kernels depthwise_conv_2d_s16_mve, depthwise_conv_2d_s16_mve_lines */
ASH_RT_INLINE void ash_rt_depthwise_eight_s16_mve(const ash_rt_layer *k,
                                                  const ash_rt_lines *in,
                                                  const ash_rt_pixel_taps *t,
                                                  int32_t c, int32_t *sums) {
  const ash_rt_window *w = &k->p->window;
  const int32_t left = w->in_c - c;
#if ASH_RT_HAS_MVE
  const mve_pred16_t some = vctp16q((uint32_t)left);
  const int whole = left >= 8; /* costs less */
  const ptrdiff_t step = (ptrdiff_t)w->dilation_w * w->in_c;
  int32x4x2_t s = {{vdupq_n_s32(0), vdupq_n_s32(0)}};
  for (int32_t v = t->v.lo; v < t->v.hi; v++) {
    const int16_t *x =
        (const int16_t *)ash_rt_line(in, t->top + v * w->dilation_h) +
        (ptrdiff_t)(t->left + t->h.lo * w->dilation_w) * w->in_c + c;
    const int8_t *f = (const int8_t *)k->filter +
                      (ptrdiff_t)(v * w->filter_w + t->h.lo) * w->in_c + c;
    int32_t h = t->h.hi - t->h.lo;
    for (; whole && h > 0; h--, x += step, f += w->in_c) {
      const int16x8_t a = vldrhq_s16(x), b = vldrbq_s16(f);
      s.val[0] = vaddq_s32(s.val[0], vmullbq_int_s16(a, b));
      s.val[1] = vaddq_s32(s.val[1], vmulltq_int_s16(a, b));
    }
    for (; h > 0; h--, x += step, f += w->in_c) {
      const int16x8_t a = vldrhq_z_s16(x, some), b = vldrbq_z_s16(f, some);
      s.val[0] = vaddq_s32(s.val[0], vmullbq_int_s16(a, b));
      s.val[1] = vaddq_s32(s.val[1], vmulltq_int_s16(a, b));
    }
  }
  vst2q_s32(sums, s);
#else
  ash_rt_depthwise_plain_s16(k, in, t, c, left < 8 ? left : 8, sums);
#endif
}

/* kernel depthwise_conv_2d_s16_mve */
void ash_rt_depthwise_conv_2d_s16_mve(const ash_rt_layer_params *p,
                                      const int16_t *in, const int8_t *filter,
                                      const void *bias,
                                      const int32_t *multiplier,
                                      const int8_t *shift, int16_t *out) {
  const ash_rt_layer k = {p, filter, bias, multiplier, shift};
  const ash_rt_window *w = &p->window;
  for (int32_t n = 0; n < w->batches; n++) {
    const ash_rt_lines i = ash_rt_image_in(w, in, n, sizeof *in);
    const ash_rt_lines o = ash_rt_image_out(w, out, n, sizeof *out);
    ash_rt_depthwise_lines_s16(&k, &i, &o, 0, w->out_h, 8,
                               ash_rt_depthwise_eight_s16_mve);
  }
}

/* kernel depthwise_conv_2d_s16_mve_lines */
void ash_rt_depthwise_conv_2d_s16_mve_lines(
    const ash_rt_layer_params *p, const ash_rt_lines *in, const int8_t *filter,
    const void *bias, const int32_t *multiplier, const int8_t *shift,
    const ash_rt_lines *out, int32_t from, int32_t to) {
  const ash_rt_layer k = {p, filter, bias, multiplier, shift};
  ash_rt_depthwise_lines_s16(&k, in, out, from, to, 8,
                             ash_rt_depthwise_eight_s16_mve);
}

/* kernel fully_connected_s16_mve */
void ash_rt_fully_connected_s16_mve(const ash_rt_dense_params *p,
                                    const int16_t *in, const int8_t *filter,
                                    const void *bias, const double *ratio,
                                    int16_t *out) {
  ash_rt_ratio r = ash_rt_ratio_of(ratio[0]);
  ash_rt_square_s16 s = {in, NULL, NULL, NULL, p->in_c, 0, {0, 0, 0, 0}};
  for (int32_t b = 0; b < p->batches; b++, s.x += p->in_c) {
    s.w = filter;
    for (int32_t c = 0; c < p->out_c; c += 2, s.w += 2 * (ptrdiff_t)p->in_c) {
      const int32_t count = c + 1 < p->out_c ? 2 : 1;
      s.v = count == 2 ? s.w + p->in_c : s.w;
      ash_rt_column_sums_s16_mve(&s);
      for (int32_t i = 0; i < count; i++) {
        if (p->per_channel)
          r = ash_rt_ratio_of(ratio[c + i]);
        *out++ = ash_rt_fc_out_s16(p, s.sums[2 * i], bias, c + i, &r);
      }
    }
  }
}
