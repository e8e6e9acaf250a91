/* ash_rt_layers_any.h - layers of uint8 and int16. */
#ifndef ASH_RT_LAYERS_ANY_H
#define ASH_RT_LAYERS_ANY_H

#include "ash_rt_fixed.h"
#include "ash_rt_types.h"
#include "ash_rt_window.h"

/* uint8 weights have a zero point: -filter_offset. int16 activations have int8
 * weights and sums of 64 bits with a bias of int64_t, or, if `narrow`, of 32
 * bits with a bias of int32_t. The rest is as in conv_2d_s8. */
typedef struct ash_rt_layer_params {
  ash_rt_window window;
  int32_t groups;
  int32_t in_offset, filter_offset, out_offset;
  int32_t per_channel, narrow;
  int32_t act_min, act_max;
} ash_rt_layer_params;

void ash_rt_conv_2d_u8(const ash_rt_layer_params *p, const uint8_t *in,
                       const uint8_t *filter, const int32_t *bias,
                       const int32_t *multiplier, const int8_t *shift,
                       uint8_t *out);
void ash_rt_depthwise_conv_2d_u8(const ash_rt_layer_params *p,
                                 const uint8_t *in, const uint8_t *filter,
                                 const int32_t *bias, const int32_t *multiplier,
                                 const int8_t *shift, uint8_t *out);
void ash_rt_transpose_conv_u8(const ash_rt_layer_params *p, const uint8_t *in,
                              const uint8_t *filter, const int32_t *bias,
                              const int32_t *multiplier, const int8_t *shift,
                              uint8_t *out);
void ash_rt_conv_2d_s16(const ash_rt_layer_params *p, const int16_t *in,
                        const int8_t *filter, const void *bias,
                        const int32_t *multiplier, const int8_t *shift,
                        int16_t *out);
void ash_rt_depthwise_conv_2d_s16(const ash_rt_layer_params *p,
                                  const int16_t *in, const int8_t *filter,
                                  const void *bias, const int32_t *multiplier,
                                  const int8_t *shift, int16_t *out);
void ash_rt_transpose_conv_s16(const ash_rt_layer_params *p, const int16_t *in,
                               const int8_t *filter, const void *bias,
                               const int32_t *multiplier, const int8_t *shift,
                               int16_t *out);

/* A sum and its bias, as the output of an int16 layer. */
static inline int16_t ash_rt_layer_s16(const ash_rt_layer_params *p,
                                       int64_t sum, const void *bias,
                                       int32_t channel, int32_t multiplier,
                                       int32_t shift) {
  int32_t y;
  if (p->narrow) {
    const uint32_t b = bias ? (uint32_t)((const int32_t *)bias)[channel] : 0;
    y = ash_rt_rescale((int32_t)((uint32_t)(uint64_t)sum + b), multiplier,
                       shift);
  } else {
    y = ash_rt_rescale_long(sum + (bias ? ((const int64_t *)bias)[channel] : 0),
                            multiplier, shift);
  }
  return (int16_t)ash_rt_finish(y, p->out_offset, p->act_min, p->act_max);
}

typedef struct ash_rt_dense_params {
  int32_t batches, in_c, out_c;
  int32_t in_offset, filter_offset, out_offset;
  int32_t per_channel, narrow;
  int32_t act_min, act_max;
} ash_rt_dense_params;

void ash_rt_fully_connected_u8(const ash_rt_dense_params *p, const uint8_t *in,
                               const uint8_t *filter, const int32_t *bias,
                               const int32_t *multiplier, const int8_t *shift,
                               uint8_t *out);
/* Sums are scaled in double, ties away from zero. */
void ash_rt_fully_connected_s16(const ash_rt_dense_params *p, const int16_t *in,
                                const int8_t *filter, const void *bias,
                                const double *ratio, int16_t *out);

/* Pools of uint8 and int16. */
typedef struct ash_rt_pool_2d_any_params {
  ash_rt_window window;
  int32_t type;
  int32_t act_min, act_max;
} ash_rt_pool_2d_any_params;

void ash_rt_average_pool_2d_any(const ash_rt_pool_2d_any_params *p,
                                const void *in, void *out);
void ash_rt_max_pool_2d_any(const ash_rt_pool_2d_any_params *p, const void *in,
                            void *out);

#endif
