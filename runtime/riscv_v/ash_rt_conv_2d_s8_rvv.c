/* ash_rt_conv_2d_s8_rvv.c - convolution, int8, with RISC-V vectors.
 *
 * The input of a pixel is one column of bytes (a copy, unless it lies in one
 * piece already); each of them is multiplied with the weights of up to 32
 * channels at once. */
#include "ash_rt_rvv.h"

typedef struct ash_rt_conv_rvv {
  const ash_rt_conv_2d_s8_params *p;
  const int32_t *multiplier;
  const int8_t *shift;
  const int32_t *bias;
  const int8_t *filter;
  int32_t taps;
} ash_rt_conv_rvv;

static int8_t *ash_rt_conv_fill_rvv(int8_t *to, int32_t value, int32_t count) {
  ASH_RT_FILL(to, (uint8_t)value, (size_t)count);
  return to + count;
}

static int8_t *ash_rt_conv_copy_rvv(int8_t *to, const int8_t *from,
                                    int32_t count) {
#if ASH_RT_HAS_RVV
  int8_t *const end = to + count;
  size_t n;
  while (count > 0) {
    __asm__ volatile("vsetvli %[n], %[count], e8, m8, ta, ma\n"
                     "vle8.v v8, (%[from])\n"
                     "vse8.v v8, (%[to])\n"
                     : [n] "=&r"(n)
                     : [count] "r"(count), [from] "r"(from), [to] "r"(to)
                     : ASH_RT_RVV_CLOBBERS);
    to += n;
    from += n;
    count -= (int32_t)n;
  }
  return end;
#else
  for (int32_t i = 0; i < count; i++)
    to[i] = from[i];
  return to + count;
#endif
}

ASH_RT_INLINE void ash_rt_conv_column_rvv(const ash_rt_conv_2d_s8_params *p,
                                          const ash_rt_lines *in, int32_t y,
                                          int32_t x, int8_t *to) {
  ash_rt_conv_column(p, in, y, x, to, ash_rt_conv_fill_rvv,
                     ash_rt_conv_copy_rvv);
}

/* Channels [c, c + n) of a pixel. */
static void ash_rt_conv_group_rvv(const ash_rt_conv_rvv *k, const int8_t *x,
                                  const int8_t *w, int32_t c, int32_t n,
                                  int8_t *out) {
  const int32_t offset = k->p->out_offset;
  const int32_t low = k->p->act_min, high = k->p->act_max;
#if ASH_RT_HAS_RVV
  long a, b, t, pairs = k->taps >> 1;
  __asm__ volatile(
      ASH_RT_RVV_NEAR ASH_RT_RVV_DOT ASH_RT_RVV_FINISH
      : [x] "+&r"(x), [w] "+&r"(w), [pairs] "+&r"(pairs), [a] "=&r"(a),
        [b] "=&r"(b), [t] "=&r"(t)
      : [n] "r"((long)n), [odd] "r"((long)(k->taps & 1)),
        [bias] "r"(k->bias + c), [m] "r"(k->multiplier + c),
        [e] "r"(k->shift + c), [offset] "r"((long)offset), [low] "r"((long)low),
        [high] "r"((long)high), [out] "r"(out + c)
      : ASH_RT_RVV_CLOBBERS);
#else
  for (int32_t i = 0; i < n; i++) {
    const int32_t s = ash_rt_dot_rvv(k->bias + c, x, w, k->taps, n, i);
    const int32_t y = ash_rt_rescale(s, k->multiplier[c + i], k->shift[c + i]);
    out[c + i] = (int8_t)ash_rt_finish(y, offset, low, high);
  }
#endif
}

static void ash_rt_conv_pixel_rvv(const ash_rt_conv_rvv *k, const int8_t *x,
                                  int8_t *out) {
  const int32_t channels = k->p->window.out_c;
  const int8_t *w = k->filter;
  for (int32_t c = 0; c < channels; c += ASH_RT_RVV_GROUP) {
    const int32_t n = ash_rt_group_rvv(channels - c);
    ash_rt_conv_group_rvv(k, x, w, c, n, out);
    w += (ptrdiff_t)n * k->taps;
  }
}

/* Output lines [from, to). Without scratch, a pixel is one tap. */
ASH_RT_INLINE void ash_rt_conv_core_rvv(const ash_rt_conv_rvv *k,
                                        const ash_rt_lines *in,
                                        const ash_rt_lines *out, int32_t from,
                                        int32_t to, void *scratch) {
  const ash_rt_window *w = &k->p->window;
  for (int32_t y = from; y < to; y++) {
    int8_t *pixel = ash_rt_line_out(out, y);
    const int8_t *tap = scratch ? scratch : ash_rt_line(in, y * w->stride_h);
    for (int32_t x = 0; x < w->out_w; x++, pixel += w->out_c) {
      if (scratch)
        ash_rt_conv_column_rvv(k->p, in, y, x, scratch);
      ash_rt_conv_pixel_rvv(k, tap, pixel);
      if (!scratch)
        tap += (ptrdiff_t)w->stride_w * w->in_c;
    }
  }
}

/* kernel conv_2d_s8_rvv */
void ash_rt_conv_2d_s8_rvv(const ash_rt_conv_2d_s8_params *p, const int8_t *in,
                           const int32_t *multiplier, const int8_t *shift,
                           const int32_t *bias, const int8_t *filter,
                           int8_t *out, void *scratch) {
  const ash_rt_window *w = &p->window;
  const ash_rt_conv_rvv k = {
      p, multiplier, shift, bias, filter, w->filter_h * w->filter_w * w->in_c};
  for (int32_t n = 0; n < w->batches; n++) {
    const ash_rt_lines i = ash_rt_image_in(w, in, n, sizeof *in);
    const ash_rt_lines o = ash_rt_image_out(w, out, n, sizeof *out);
    ash_rt_conv_core_rvv(&k, &i, &o, 0, w->out_h, scratch);
  }
}

/* kernel conv_2d_s8_rvv_lines */
void ash_rt_conv_2d_s8_rvv_lines(const ash_rt_conv_2d_s8_params *p,
                                 const ash_rt_lines *in,
                                 const int32_t *multiplier, const int8_t *shift,
                                 const int32_t *bias, const int8_t *filter,
                                 const ash_rt_lines *out, int32_t from,
                                 int32_t to, void *scratch) {
  const ash_rt_window *w = &p->window;
  const ash_rt_conv_rvv k = {
      p, multiplier, shift, bias, filter, w->filter_h * w->filter_w * w->in_c};
  ash_rt_conv_core_rvv(&k, in, out, from, to, scratch);
}
