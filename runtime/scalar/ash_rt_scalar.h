/* ash_rt_scalar.h - kernels for processors without vectors, in plain C; they
 * take what pass/pack.c prepared (ash_rt_packed.h, shifts as for DSP). */
#ifndef ASH_RT_SCALAR_H
#define ASH_RT_SCALAR_H

#include "ash_rt_lanes.h"
#include "ash_rt_packed.h"

/* a * b * 2^-31 to the nearest, ties up; |a| < 2^30. */
static inline int32_t ash_rt_mul_top_scalar(int32_t a, int32_t b) {
#if defined(__ARM_ARCH_ISA_THUMB) && __ARM_ARCH_ISA_THUMB == 1
  return ash_rt_mul_high_lanes(a, b); /* no product of 64 bits */
#else
  const int64_t y = (int64_t)(a * 2) * b;
  return (int32_t)(y >> 32) + (int32_t)((uint32_t)y >> 31);
#endif
}

/* What a sum becomes: scale, zero point and clamp; `twice` is 2 * zero point +
 * 1. */
static inline int8_t ash_rt_rescale_scalar(int32_t sum, int32_t multiplier,
                                           int32_t shift, int32_t twice,
                                           int32_t low, int32_t high) {
  const int32_t x = ash_rt_mul_top_scalar(sum, multiplier);
  const int32_t y = (((x + (x >> 31)) >> shift) + twice) >> 1;
  return (int8_t)ash_rt_clamp(y, low, high);
}

void ash_rt_conv_2d_s8_scalar(const ash_rt_conv_2d_s8_params *p,
                              const int8_t *in, const int32_t *multiplier,
                              const int8_t *shift, const int32_t *bias,
                              const int8_t *filter, int8_t *out, void *scratch);
void ash_rt_conv_2d_s8_scalar_lines(const ash_rt_conv_2d_s8_params *p,
                                    const ash_rt_lines *in,
                                    const int32_t *multiplier,
                                    const int8_t *shift, const int32_t *bias,
                                    const int8_t *filter,
                                    const ash_rt_lines *out, int32_t from,
                                    int32_t to, void *scratch);
/* Of groups, and transposed: see ash_rt_parts.h. */
void ash_rt_conv_2d_s8_groups_scalar(const ash_rt_conv_2d_s8_params *p,
                                     const int8_t *in,
                                     const int32_t *multiplier,
                                     const int8_t *shift, const int32_t *bias,
                                     const int8_t *filter, int8_t *out,
                                     void *scratch);
void ash_rt_conv_2d_s8_groups_scalar_lines(
    const ash_rt_conv_2d_s8_params *p, const ash_rt_lines *in,
    const int32_t *multiplier, const int8_t *shift, const int32_t *bias,
    const int8_t *filter, const ash_rt_lines *out, int32_t from, int32_t to,
    void *scratch);
void ash_rt_transpose_conv_s8_scalar(const ash_rt_conv_2d_s8_params *p,
                                     const int8_t *in,
                                     const int32_t *multiplier,
                                     const int8_t *shift, const int32_t *bias,
                                     const int8_t *filter, int8_t *out,
                                     void *scratch);
void ash_rt_transpose_conv_s8_scalar_lines(
    const ash_rt_conv_2d_s8_params *p, const ash_rt_lines *in,
    const int32_t *multiplier, const int8_t *shift, const int32_t *bias,
    const int8_t *filter, const ash_rt_lines *out, int32_t from, int32_t to,
    void *scratch);
void ash_rt_depthwise_conv_2d_s8_scalar(
    const ash_rt_depthwise_conv_2d_s8_params *p, const int8_t *in,
    const int8_t *filter, const int32_t *multiplier, const int8_t *shift,
    const int32_t *bias, int8_t *out, void *scratch);
void ash_rt_depthwise_conv_2d_s8_scalar_lines(
    const ash_rt_depthwise_conv_2d_s8_params *p, const ash_rt_lines *in,
    const int8_t *filter, const int32_t *multiplier, const int8_t *shift,
    const int32_t *bias, const ash_rt_lines *out, int32_t from, int32_t to,
    void *scratch);
void ash_rt_fully_connected_s8_scalar(const ash_rt_fully_connected_s8_params *p,
                                      const int8_t *in, const int32_t *bias,
                                      const int8_t *filter,
                                      const int32_t *scale, int8_t *out);

#endif
