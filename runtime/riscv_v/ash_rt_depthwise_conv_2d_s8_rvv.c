/* ash_rt_depthwise_conv_2d_s8_rvv.c - depthwise convolution, int8, with RISC-V
 * vectors, one output channel an input channel.
 *
 * Up to 32 neighbouring channels at once. */
#include "ash_rt_rvv.h"

/* Channels [c, c + n). */
static void ash_rt_depthwise_group_rvv(const ash_rt_depthwise *k, int32_t c,
                                       int32_t n, int8_t *out) {
  const int8_t *w = k->filter + c;
#if ASH_RT_HAS_RVV
  const int8_t *const *tap = k->taps;
  long a, b, t, pairs = k->count >> 1;
  __asm__ volatile(
      ASH_RT_RVV_NEAR ASH_RT_RVV_32
      "vle32.v v8, (%[bias])\n" ASH_RT_RVV_8 "beqz %[pairs], 2f\n"
      "1:\n"
      "ld %[a], 0(%[tap])\n"
      "ld %[b], 8(%[tap])\n"
      "add %[a], %[a], %[c]\n"
      "add %[b], %[b], %[c]\n"
      "vle8.v v2, (%[a])\n"
      "vle8.v v4, (%[w])\n"
      "add %[w], %[w], %[pitch]\n"
      "vwmul.vv v16, v2, v4\n"
      "vle8.v v2, (%[b])\n"
      "vle8.v v4, (%[w])\n"
      "add %[w], %[w], %[pitch]\n"
      "vwmacc.vv v16, v2, v4\n" ASH_RT_RVV_16 "vwadd.wv v8, v8, v16\n"
      "addi %[tap], %[tap], 16\n"
      "addi %[pairs], %[pairs], -1\n" ASH_RT_RVV_8 "bnez %[pairs], 1b\n"
      "2:\n"
      "beqz %[odd], 3f\n"
      "ld %[a], 0(%[tap])\n"
      "add %[a], %[a], %[c]\n"
      "vle8.v v2, (%[a])\n"
      "vle8.v v4, (%[w])\n"
      "vwmul.vv v16, v2, v4\n" ASH_RT_RVV_16 "vwadd.wv v8, v8, v16\n"
      "3:\n" ASH_RT_RVV_FINISH
      : [tap] "+&r"(tap), [w] "+&r"(w), [pairs] "+&r"(pairs), [a] "=&r"(a),
        [b] "=&r"(b), [t] "=&r"(t)
      : [n] "r"((long)n), [odd] "r"((long)(k->count & 1)), [c] "r"((long)c),
        [pitch] "r"((long)k->channels), [bias] "r"(k->bias + c),
        [m] "r"(k->multiplier + c), [e] "r"(k->shift + c),
        [offset] "r"((long)k->offset), [low] "r"((long)k->low),
        [high] "r"((long)k->high), [out] "r"(out + c)
      : ASH_RT_RVV_CLOBBERS);
#else
  for (int32_t i = c; i < c + n; i++, w++) {
    uint32_t s = (uint32_t)k->bias[i];
    for (int32_t j = 0; j < k->count; j++)
      s += (uint32_t)(k->taps[j][i] * w[(ptrdiff_t)j * k->channels]);
    const int32_t y = ash_rt_rescale((int32_t)s, k->multiplier[i], k->shift[i]);
    out[i] = (int8_t)ash_rt_finish(y, k->offset, k->low, k->high);
  }
#endif
}

static void ash_rt_depthwise_pixel_rvv(const ash_rt_depthwise *k, int8_t *out) {
  for (int32_t c = 0; c < k->channels; c += ASH_RT_RVV_GROUP) {
    ash_rt_depthwise_group_rvv(k, c, ash_rt_group_rvv(k->channels - c), out);
  }
}

/* kernel depthwise_conv_2d_s8_rvv */
void ash_rt_depthwise_conv_2d_s8_rvv(
    const ash_rt_depthwise_conv_2d_s8_params *p, const int8_t *in,
    const int8_t *filter, const int32_t *multiplier, const int8_t *shift,
    const int32_t *bias, int8_t *out, void *scratch) {
  const ash_rt_window *w = &p->window;
  ash_rt_depthwise k = {{0}, scratch, filter,        multiplier, shift, bias,
                        0,   0,       p->out_offset, 0,          0};
  ash_rt_depthwise_begin(p, &k, scratch);
  for (int32_t n = 0; n < w->batches; n++) {
    const ash_rt_lines i = ash_rt_image_in(w, in, n, sizeof *in);
    const ash_rt_lines o = ash_rt_image_out(w, out, n, sizeof *out);
    ash_rt_depthwise_pixels(p, &k, &i, &o, 0, w->out_h,
                            ash_rt_depthwise_pixel_rvv);
  }
}

/* kernel depthwise_conv_2d_s8_rvv_lines */
void ash_rt_depthwise_conv_2d_s8_rvv_lines(
    const ash_rt_depthwise_conv_2d_s8_params *p, const ash_rt_lines *in,
    const int8_t *filter, const int32_t *multiplier, const int8_t *shift,
    const int32_t *bias, const ash_rt_lines *out, int32_t from, int32_t to,
    void *scratch) {
  ash_rt_depthwise k; /* not its taps: that would take a while in each line */
  k.filter = filter;
  k.multiplier = multiplier;
  k.shift = shift;
  k.bias = bias;
  k.offset = p->out_offset;
  ash_rt_depthwise_begin(p, &k, scratch);
  ash_rt_depthwise_pixels(p, &k, in, out, from, to, ash_rt_depthwise_pixel_rvv);
}
