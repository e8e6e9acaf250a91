/* ash_rt_mve_f32.h - Helium with floating point: what the float kernels for it
 * share; only modules with such kernels carry this file. Products are rounded
 * before they are added, as in the portable kernels: results are the same bit
 * by bit. */
#ifndef ASH_RT_MVE_F32_H
#define ASH_RT_MVE_F32_H

#include "ash_rt_layers_f32.h"
#include "ash_rt_pairs.h"

/* Channels side by side in packed weights. */
enum { ASH_RT_MVE_F32_GROUP = 8 };

#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2) &&                   \
    !defined(ASH_RT_PLAIN)
#define ASH_RT_HAS_MVE_F32 1
#include <arm_mve.h>

/* Keeps what is not a number, as ash_rt_clamp_f32 does. */
static inline float32x4_t ash_rt_clamp_mve_f32(float32x4_t x, float low,
                                               float high) {
  x = vpselq_f32(vdupq_n_f32(low), x, vcmpltq_n_f32(x, low));
  return vpselq_f32(vdupq_n_f32(high), x, vcmpgtq_n_f32(x, high));
}

/* Eight sums of neighbouring channels. */
typedef struct ash_rt_eight_f32 {
  float32x4_t a, b;
} ash_rt_eight_f32;

/* s += x[0..count) times eight channels' weights. */
static inline ash_rt_eight_f32 ash_rt_dot_mve_f32(ash_rt_eight_f32 s,
                                                  const float *x,
                                                  const float *w,
                                                  int32_t count) {
  for (; count > 0; count--, w += 8) {
    const float v = *x++;
    s.a = vaddq_f32(s.a, vmulq_n_f32(vldrwq_f32(w), v));
    s.b = vaddq_f32(s.b, vmulq_n_f32(vldrwq_f32(w + 4), v));
  }
  return s;
}

static inline ash_rt_eight_f32 ash_rt_zero_mve_f32(void) {
  const ash_rt_eight_f32 s = {vdupq_n_f32(0.0f), vdupq_n_f32(0.0f)};
  return s;
}

static inline void ash_rt_put_mve_f32(float32x4_t s, const float *bias,
                                      int32_t rest, float low, float high,
                                      float *out) {
  const mve_pred16_t some = vctp32q((uint32_t)rest);
  if (bias)
    s = vaddq_f32(s, vldrwq_z_f32(bias, some));
  vstrwq_p_f32(out, ash_rt_clamp_mve_f32(s, low, high), some);
}

/* Bias (may be null), clamp and store; `rest` of the eight exist. */
static inline void ash_rt_finish_mve_f32(const ash_rt_eight_f32 *s,
                                         const float *bias, int32_t rest,
                                         float low, float high, float *out) {
  ash_rt_put_mve_f32(s->a, bias, rest, low, high, out);
  if (rest > 4)
    ash_rt_put_mve_f32(s->b, bias ? bias + 4 : 0, rest - 4, low, high, out + 4);
}
#else
#define ASH_RT_HAS_MVE_F32 0

typedef struct ash_rt_eight_f32 {
  float at[ASH_RT_MVE_F32_GROUP];
} ash_rt_eight_f32;

static inline ash_rt_eight_f32 ash_rt_dot_mve_f32(ash_rt_eight_f32 s,
                                                  const float *x,
                                                  const float *w,
                                                  int32_t count) {
  for (int32_t k = 0; k < count; k++, w += ASH_RT_MVE_F32_GROUP)
    for (int32_t i = 0; i < ASH_RT_MVE_F32_GROUP; i++)
      s.at[i] += x[k] * w[i];
  return s;
}

static inline ash_rt_eight_f32 ash_rt_zero_mve_f32(void) {
  const ash_rt_eight_f32 s = {{0, 0, 0, 0, 0, 0, 0, 0}};
  return s;
}

static inline void ash_rt_finish_mve_f32(const ash_rt_eight_f32 *s,
                                         const float *bias, int32_t rest,
                                         float low, float high, float *out) {
  for (int32_t i = 0; i < ASH_RT_MVE_F32_GROUP && i < rest; i++)
    out[i] = ash_rt_clamp_f32(bias ? s->at[i] + bias[i] : s->at[i], low, high);
}
#endif

/* Helium with floating point: weights are groups of eight channels, tap by tap;
 * `bias` may be null. */
void ash_rt_conv_2d_f32_mve(const ash_rt_conv_2d_f32_params *p, const float *in,
                            const float *bias, const float *filter, float *out);
void ash_rt_conv_2d_f32_mve_lines(const ash_rt_conv_2d_f32_params *p,
                                  const ash_rt_lines *in, const float *bias,
                                  const float *filter, const ash_rt_lines *out,
                                  int32_t from, int32_t to);
void ash_rt_fully_connected_f32_mve(const ash_rt_fully_connected_f32_params *p,
                                    const float *in, const float *bias,
                                    const float *filter, float *out);
void ash_rt_depthwise_conv_2d_f32_mve(const ash_rt_window_f32_params *p,
                                      const float *in, const float *filter,
                                      const float *bias, float *out);
void ash_rt_depthwise_conv_2d_f32_mve_lines(const ash_rt_window_f32_params *p,
                                            const ash_rt_lines *in,
                                            const float *filter,
                                            const float *bias,
                                            const ash_rt_lines *out,
                                            int32_t from, int32_t to);
void ash_rt_add_f32_mve(const ash_rt_binary_f32_params *p, const float *a,
                        const float *b, float *out);
void ash_rt_mul_f32_mve(const ash_rt_binary_f32_params *p, const float *a,
                        const float *b, float *out);

#endif
