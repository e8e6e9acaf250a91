/* ash_rt_hybrid.h - layers of float activations and int8 weights. */
#ifndef ASH_RT_HYBRID_H
#define ASH_RT_HYBRID_H

#include "ash_rt_window.h"

/* Activations are quantised while the model runs: each image, or each row of a
 * dense layer, gets a scale, and a zero point if `asymmetric`. `work` holds the
 * quantised input of one of them. `scale` is of the weights, out_c entries or
 * one. */
typedef struct ash_rt_hybrid_params {
  ash_rt_window window; /* dense: batches, in_c, out_c count */
  int32_t groups, asymmetric, per_channel;
  float act_min, act_max;
} ash_rt_hybrid_params;

void ash_rt_conv_2d_hybrid(const ash_rt_hybrid_params *p, const float *in,
                           const int8_t *filter, const float *bias,
                           const float *scale, float *out, void *work);
void ash_rt_depthwise_conv_2d_hybrid(const ash_rt_hybrid_params *p,
                                     const float *in, const int8_t *filter,
                                     const float *bias, const float *scale,
                                     float *out, void *work);
void ash_rt_fully_connected_hybrid(const ash_rt_hybrid_params *p,
                                   const float *in, const int8_t *filter,
                                   const float *bias, const float *scale,
                                   float *out, void *work);

/* Vectors of x86-64 and AArch64: weights as in ash_rt_simd.h; `work` also holds
 * an int32 for each channel and columns. */
void ash_rt_conv_2d_hybrid_simd(const ash_rt_hybrid_params *p, const float *in,
                                const float *bias, const float *scale,
                                const int8_t *filter, float *out, void *work);
void ash_rt_depthwise_conv_2d_hybrid_simd(const ash_rt_hybrid_params *p,
                                          const float *in, const int8_t *filter,
                                          const float *bias, const float *scale,
                                          float *out, void *work);

#endif
