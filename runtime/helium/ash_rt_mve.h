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

/* x * 2^shift for shifts below 0, to the nearest: lowering a negative number by
 * one makes ties that go up go away from zero. */
static inline ash_rt_four ash_rt_shift_mve(ash_rt_four x, int32x4_t shift) {
  return vrshlq_s32(vqaddq_s32(x, vshrq_n_s32(x, 31)), shift);
}

/* ash_rt_rescale for shifts below 0, and the zero point. */
static inline ash_rt_four ash_rt_scale_mve(ash_rt_four s, int32x4_t multiplier,
                                           int32x4_t shift, int32_t offset) {
  const int32x4_t x = vqrdmulhq_s32(s, multiplier);
  return vaddq_n_s32(ash_rt_shift_mve(x, shift), offset);
}

static inline ash_rt_four ash_rt_rescale_mve(ash_rt_four s,
                                             const int32_t *multiplier,
                                             const int8_t *shift,
                                             int32_t offset) {
  return ash_rt_scale_mve(s, vldrwq_s32(multiplier), vldrbq_s32(shift), offset);
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
/* Of groups, and transposed: see ash_rt_parts.h. */
void ash_rt_conv_2d_s8_groups_mve(const ash_rt_conv_2d_s8_params *p,
                                  const int8_t *in, const int32_t *multiplier,
                                  const int8_t *shift, const int32_t *bias,
                                  const int8_t *filter, int8_t *out,
                                  void *scratch);
void ash_rt_conv_2d_s8_groups_mve_lines(
    const ash_rt_conv_2d_s8_params *p, const ash_rt_lines *in,
    const int32_t *multiplier, const int8_t *shift, const int32_t *bias,
    const int8_t *filter, const ash_rt_lines *out, int32_t from, int32_t to,
    void *scratch);
void ash_rt_transpose_conv_s8_mve(const ash_rt_conv_2d_s8_params *p,
                                  const int8_t *in, const int32_t *multiplier,
                                  const int8_t *shift, const int32_t *bias,
                                  const int8_t *filter, int8_t *out,
                                  void *scratch);
void ash_rt_transpose_conv_s8_mve_lines(
    const ash_rt_conv_2d_s8_params *p, const ash_rt_lines *in,
    const int32_t *multiplier, const int8_t *shift, const int32_t *bias,
    const int8_t *filter, const ash_rt_lines *out, int32_t from, int32_t to,
    void *scratch);
void ash_rt_depthwise_conv_2d_s8_mve(
    const ash_rt_depthwise_conv_2d_s8_params *p, const int8_t *in,
    const int8_t *filter, const int32_t *multiplier, const int8_t *shift,
    const int32_t *bias, int8_t *out, void *scratch);
void ash_rt_depthwise_conv_2d_s8_mve_lines(
    const ash_rt_depthwise_conv_2d_s8_params *p, const ash_rt_lines *in,
    const int8_t *filter, const int32_t *multiplier, const int8_t *shift,
    const int32_t *bias, const ash_rt_lines *out, int32_t from, int32_t to,
    void *scratch);
/* More than ASH_RT_DEPTHWISE_TAPS, or several channels of one. */
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
