/* ash_rt_layers_s8.h - convolution, pooling and fully connected layers of int8.
 */
#ifndef ASH_RT_LAYERS_S8_H
#define ASH_RT_LAYERS_S8_H

#include "ash_rt_window.h"

/* Weights are [out_c][filter_h][filter_w][in_c / groups]. `bias` may be null;
 * `multiplier` and `shift` have out_c entries, or one if per_channel is 0. */
typedef struct ash_rt_conv_2d_s8_params {
  ash_rt_window window;
  int32_t groups;
  int32_t in_offset, out_offset; /* -zero point, zero point */
  int32_t per_channel;
  int32_t act_min, act_max;
} ash_rt_conv_2d_s8_params;

void ash_rt_conv_2d_s8(const ash_rt_conv_2d_s8_params *p, const int8_t *in,
                       const int8_t *filter, const int32_t *bias,
                       const int32_t *multiplier, const int8_t *shift,
                       int8_t *out);
void ash_rt_conv_2d_s8_lines(const ash_rt_conv_2d_s8_params *p,
                             const ash_rt_lines *in, const int8_t *filter,
                             const int32_t *bias, const int32_t *multiplier,
                             const int8_t *shift, const ash_rt_lines *out,
                             int32_t from, int32_t to);

/* Weights are [filter_h][filter_w][out_c]; output channel c reads input channel
 * c / (out_c / in_c). */
typedef struct ash_rt_depthwise_conv_2d_s8_params {
  ash_rt_window window;
  int32_t in_offset, out_offset;
  int32_t per_channel;
  int32_t act_min, act_max;
} ash_rt_depthwise_conv_2d_s8_params;

void ash_rt_depthwise_conv_2d_s8(const ash_rt_depthwise_conv_2d_s8_params *p,
                                 const int8_t *in, const int8_t *filter,
                                 const int32_t *bias, const int32_t *multiplier,
                                 const int8_t *shift, int8_t *out);
void ash_rt_depthwise_conv_2d_s8_lines(
    const ash_rt_depthwise_conv_2d_s8_params *p, const ash_rt_lines *in,
    const int8_t *filter, const int32_t *bias, const int32_t *multiplier,
    const int8_t *shift, const ash_rt_lines *out, int32_t from, int32_t to);

/* Pooling keeps scale and zero point; out_c == in_c, dilation 1. */
typedef struct ash_rt_pool_2d_s8_params {
  ash_rt_window window;
  int32_t act_min, act_max;
} ash_rt_pool_2d_s8_params;

void ash_rt_average_pool_2d_s8(const ash_rt_pool_2d_s8_params *p,
                               const int8_t *in, int8_t *out);
void ash_rt_average_pool_2d_s8_lines(const ash_rt_pool_2d_s8_params *p,
                                     const ash_rt_lines *in,
                                     const ash_rt_lines *out, int32_t from,
                                     int32_t to);
void ash_rt_max_pool_2d_s8(const ash_rt_pool_2d_s8_params *p, const int8_t *in,
                           int8_t *out);
void ash_rt_max_pool_2d_s8_lines(const ash_rt_pool_2d_s8_params *p,
                                 const ash_rt_lines *in,
                                 const ash_rt_lines *out, int32_t from,
                                 int32_t to);

/* out[b][o] = sum of in[b][i] * filter[o][i]. A multiplier has 53 bits: the
 * accumulator times multiplier * 2^-(22 + shift) is rounded once, which is the
 * double-precision arithmetic of TensorFlow Lite's reference kernel. */
typedef struct ash_rt_fully_connected_s8_params {
  int32_t batches, in_c, out_c;
  int32_t in_offset, filter_offset, out_offset;
  int32_t per_channel;
  int32_t wide; /* of packed scales: 53 bits (ash_rt_packed.h) */
  int32_t act_min, act_max;
} ash_rt_fully_connected_s8_params;

void ash_rt_fully_connected_s8(const ash_rt_fully_connected_s8_params *p,
                               const int8_t *in, const int8_t *filter,
                               const int32_t *bias, const int64_t *multiplier,
                               const int8_t *shift, int8_t *out);

/* Input pixel (y, x) adds to output rows y * stride_h - pad_top + k for k in
 * [0, filter_h), and columns likewise. Weights and scales as in conv_2d. */
void ash_rt_transpose_conv_s8(const ash_rt_conv_2d_s8_params *p,
                              const int8_t *in, const int8_t *filter,
                              const int32_t *bias, const int32_t *multiplier,
                              const int8_t *shift, int8_t *out);
void ash_rt_transpose_conv_s8_lines(
    const ash_rt_conv_2d_s8_params *p, const ash_rt_lines *in,
    const int8_t *filter, const int32_t *bias, const int32_t *multiplier,
    const int8_t *shift, const ash_rt_lines *out, int32_t from, int32_t to);

#endif
