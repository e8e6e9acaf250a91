/* ash_rt_mve.h - Helium: what the kernels for it share, also in plain C; only
 * modules with such kernels carry this file. */
#ifndef ASH_RT_MVE_H
#define ASH_RT_MVE_H

#include "ash_rt_packed.h"
#include "ash_rt_sums.h"

/* Four channels side by side; only `rest` of them may be left. */

#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 1) &&                   \
    !defined(ASH_RT_PLAIN)
#define ASH_RT_HAS_MVE 1
#include <arm_mve.h>

typedef int32x4_t ash_rt_four;

static inline ash_rt_four ash_rt_four_of(int32_t x) {
  return vdupq_n_s32(x);
}

static inline ash_rt_four ash_rt_four_load(const int32_t *from) {
  return vldrwq_s32(from);
}

static inline void ash_rt_four_store(int32_t *to, ash_rt_four x) {
  vstrwq_s32(to, x);
}

/* Bias and `blocks` times sixteen products; four rows of weights, block by
 * block. For GCC 12 as assembly: it moves pointers in instructions of their own
 * and makes no loop of the kind that costs nothing. */
#if defined(__clang__)
static inline ash_rt_four ash_rt_dot_mve(const int32_t *bias, const int8_t *x,
                                         const int8_t *w, int32_t blocks) {
  int32_t a = bias[0], b = bias[1], c = bias[2], d = bias[3];
  do {
    const int8x16_t v = vldrbq_s8(x);
    a = vmladavaq_s8(a, v, vldrbq_s8(w));
    b = vmladavaq_s8(b, v, vldrbq_s8(w + 16));
    c = vmladavaq_s8(c, v, vldrbq_s8(w + 32));
    d = vmladavaq_s8(d, v, vldrbq_s8(w + 48));
    x += 16;
    w += 64;
  } while (--blocks > 0);
  const int32x4_t s = {a, b, c, d};
  return s;
}
#else
static inline ash_rt_four ash_rt_dot_mve(const int32_t *bias, const int8_t *x,
                                         const int8_t *w, int32_t blocks) {
  int32_t a = bias[0], b = bias[1], c = bias[2], d = bias[3];
  __asm__("dls lr, %[n]\n"
          "1:\n"
          "vldrb.8 q0, [%[x]], #16\n"
          "vldrb.8 q1, [%[w]], #16\n"
          "vmladava.s8 %[a], q0, q1\n"
          "vldrb.8 q1, [%[w]], #16\n"
          "vmladava.s8 %[b], q0, q1\n"
          "vldrb.8 q1, [%[w]], #16\n"
          "vmladava.s8 %[c], q0, q1\n"
          "vldrb.8 q1, [%[w]], #16\n"
          "vmladava.s8 %[d], q0, q1\n"
          "le lr, 1b\n"
          : [a] "+Te"(a), [b] "+Te"(b), [c] "+Te"(c), [d] "+Te"(d), [x] "+r"(x),
            [w] "+r"(w)
          : [n] "r"(blocks)
          : "lr", "q0", "q1", "memory");
  const int32x4_t s = {a, b, c, d};
  return s;
}
#endif

/* x * 2^shift for shifts below 0, to the nearest: lowering a negative number by
 * one makes ties that go up go away from zero. */
static inline ash_rt_four ash_rt_shift_mve(ash_rt_four x, int32x4_t shift) {
  return vrshlq_s32(vqaddq_s32(x, vshrq_n_s32(x, 31)), shift);
}

/* ash_rt_rescale for shifts below 0, and the zero point. */
static inline ash_rt_four ash_rt_rescale_mve(ash_rt_four s,
                                             const int32_t *multiplier,
                                             const int8_t *shift,
                                             int32_t offset) {
  const int32x4_t x = vqrdmulhq_s32(s, vldrwq_s32(multiplier));
  return vaddq_n_s32(ash_rt_shift_mve(x, vldrbq_s32(shift)), offset);
}

/* One scale (see ash_rt_fully_connected_s8_dsp) for all four. */
static inline ash_rt_four ash_rt_scale_mve(ash_rt_four s,
                                           const int32_t *scale) {
  s = vqrdmulhq_n_s32(vshlq_r_s32(s, scale[3]), scale[0]);
  return vshlq_r_s32(vaddq_n_s32(s, scale[1]), -scale[2]);
}

/* A scale for each. */
static inline ash_rt_four ash_rt_scale_each_mve(ash_rt_four s,
                                                const int32_t *scale) {
  int32_t x[4];
  vstrwq_s32(x, s);
  for (int32_t i = 0; i < 4; i++, scale += 4)
    x[i] = (ash_rt_mul_high((int32_t)((uint32_t)x[i] << scale[3]), scale[0]) +
            scale[1]) >>
           scale[2];
  return vldrwq_s32(x);
}

static inline void ash_rt_store_mve(ash_rt_four x, ash_rt_four low,
                                    ash_rt_four high, int8_t *out,
                                    int32_t rest) {
  x = vminq_s32(vmaxq_s32(x, low), high);
  vstrbq_p_s32(out, x, vctp32q((uint32_t)rest));
}

static inline int8_t *ash_rt_copy_mve(int8_t *to, const int8_t *from,
                                      int32_t count) {
  int8_t *const end = to + count;
  for (; count > 0; count -= 16, to += 16, from += 16) {
    const mve_pred16_t p = vctp8q((uint32_t)count);
    vstrbq_p_s8(to, vldrbq_z_s8(from, p), p);
  }
  return end;
}

static inline int8_t *ash_rt_fill_mve(int8_t *to, int32_t value,
                                      int32_t count) {
  int8_t *const end = to + count;
  for (; count > 0; count -= 16, to += 16)
    vstrbq_p_s8(to, vdupq_n_s8((int8_t)value), vctp8q((uint32_t)count));
  return end;
}
#else
#define ASH_RT_HAS_MVE 0

typedef struct ash_rt_four {
  int32_t at[4];
} ash_rt_four;

static inline ash_rt_four ash_rt_four_of(int32_t x) {
  const ash_rt_four s = {{x, x, x, x}};
  return s;
}

static inline ash_rt_four ash_rt_four_load(const int32_t *from) {
  const ash_rt_four s = {{from[0], from[1], from[2], from[3]}};
  return s;
}

static inline void ash_rt_four_store(int32_t *to, ash_rt_four x) {
  for (int32_t i = 0; i < 4; i++)
    to[i] = x.at[i];
}

static inline ash_rt_four ash_rt_dot_mve(const int32_t *bias, const int8_t *x,
                                         const int8_t *w, int32_t blocks) {
  ash_rt_four s = ash_rt_four_load(bias);
  for (int32_t k = 0; k < 16 * blocks; k += 16)
    for (int32_t c = 0; c < 4; c++)
      s.at[c] = (int32_t)((uint32_t)s.at[c] +
                          ash_rt_dot_s8(x + k, w + 4 * k + 16 * c, 16, 0));
  return s;
}

static inline ash_rt_four ash_rt_rescale_mve(ash_rt_four s,
                                             const int32_t *multiplier,
                                             const int8_t *shift,
                                             int32_t offset) {
  for (int32_t i = 0; i < 4; i++)
    s.at[i] =
        (int32_t)((uint32_t)ash_rt_rescale(s.at[i], multiplier[i], shift[i]) +
                  (uint32_t)offset);
  return s;
}

static inline ash_rt_four ash_rt_scale_each_mve(ash_rt_four s,
                                                const int32_t *scale) {
  for (int32_t i = 0; i < 4; i++, scale += 4)
    s.at[i] =
        (ash_rt_mul_high((int32_t)((uint32_t)s.at[i] << scale[3]), scale[0]) +
         scale[1]) >>
        scale[2];
  return s;
}

static inline ash_rt_four ash_rt_scale_mve(ash_rt_four s,
                                           const int32_t *scale) {
  for (int32_t i = 0; i < 4; i++)
    s.at[i] =
        (ash_rt_mul_high((int32_t)((uint32_t)s.at[i] << scale[3]), scale[0]) +
         scale[1]) >>
        scale[2];
  return s;
}

static inline void ash_rt_store_mve(ash_rt_four x, ash_rt_four low,
                                    ash_rt_four high, int8_t *out,
                                    int32_t rest) {
  for (int32_t i = 0; i < 4 && i < rest; i++)
    out[i] = (int8_t)ash_rt_clamp(x.at[i], low.at[i], high.at[i]);
}

static inline int8_t *ash_rt_copy_mve(int8_t *to, const int8_t *from,
                                      int32_t count) {
  for (int32_t i = 0; i < count; i++)
    to[i] = from[i];
  return to + count;
}

static inline int8_t *ash_rt_fill_mve(int8_t *to, int32_t value,
                                      int32_t count) {
  for (int32_t i = 0; i < count; i++)
    to[i] = (int8_t)value;
  return to + count;
}
#endif

/* Helium: sixteen 8-bit products at once. Weights are groups of channels (two
 * for convolution, four for fully connected) by blocks of sixteen taps. */
void ash_rt_conv_2d_s8_mve(const ash_rt_conv_2d_s8_params *p, const int8_t *in,
                           const int32_t *multiplier, const int8_t *shift,
                           const int32_t *bias, const int8_t *filter,
                           int8_t *out, void *scratch);
void ash_rt_conv_2d_s8_mve_lines(const ash_rt_conv_2d_s8_params *p,
                                 const ash_rt_lines *in,
                                 const int32_t *multiplier, const int8_t *shift,
                                 const int32_t *bias, const int8_t *filter,
                                 const ash_rt_lines *out, int32_t from,
                                 int32_t to, void *scratch);
void ash_rt_depthwise_conv_2d_s8_mve(
    const ash_rt_depthwise_conv_2d_s8_params *p, const int8_t *in,
    const int8_t *filter, const int32_t *multiplier, const int8_t *shift,
    const int32_t *bias, int8_t *out, void *scratch);
void ash_rt_depthwise_conv_2d_s8_mve_lines(
    const ash_rt_depthwise_conv_2d_s8_params *p, const ash_rt_lines *in,
    const int8_t *filter, const int32_t *multiplier, const int8_t *shift,
    const int32_t *bias, const ash_rt_lines *out, int32_t from, int32_t to,
    void *scratch);
/* More than ASH_RT_DEPTHWISE_TAPS. */
void ash_rt_depthwise_conv_2d_s8_large_mve(
    const ash_rt_depthwise_conv_2d_s8_params *p, const int8_t *in,
    const int8_t *filter, const int32_t *multiplier, const int8_t *shift,
    const int32_t *bias, int8_t *out, void *scratch);
void ash_rt_depthwise_conv_2d_s8_large_mve_lines(
    const ash_rt_depthwise_conv_2d_s8_params *p, const ash_rt_lines *in,
    const int8_t *filter, const int32_t *multiplier, const int8_t *shift,
    const int32_t *bias, const ash_rt_lines *out, int32_t from, int32_t to,
    void *scratch);
void ash_rt_fully_connected_s8_mve(const ash_rt_fully_connected_s8_params *p,
                                   const int8_t *in, const int32_t *bias,
                                   const int8_t *filter, const int32_t *scale,
                                   int8_t *out, void *scratch);

/* Tensors of one shape. */
void ash_rt_add_s8_mve(const ash_rt_add_s8_params *p, const int8_t *a,
                       const int8_t *b, int8_t *out);
void ash_rt_mul_s8_mve(const ash_rt_mul_s8_params *p, const int8_t *a,
                       const int8_t *b, int8_t *out);
void ash_rt_average_pool_2d_s8_mve(const ash_rt_pool_2d_s8_params *p,
                                   const int8_t *in, int8_t *out);
void ash_rt_average_pool_2d_s8_mve_lines(const ash_rt_pool_2d_s8_params *p,
                                         const ash_rt_lines *in,
                                         const ash_rt_lines *out, int32_t from,
                                         int32_t to);
void ash_rt_max_pool_2d_s8_mve(const ash_rt_pool_2d_s8_params *p,
                               const int8_t *in, int8_t *out);
void ash_rt_max_pool_2d_s8_mve_lines(const ash_rt_pool_2d_s8_params *p,
                                     const ash_rt_lines *in,
                                     const ash_rt_lines *out, int32_t from,
                                     int32_t to);
void ash_rt_softmax_s8_mve(const ash_rt_rows_params *p, const int8_t *in,
                           const int32_t *table, int8_t *out);

#endif
