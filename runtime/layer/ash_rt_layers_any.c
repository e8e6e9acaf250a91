/* ash_rt_layers_any.c - convolutions of uint8 with weights that have a zero
 * point, and of int16 by int8. */
#include "ash_rt_layers_any.h"

/* kernel conv_2d_u8 */
void ash_rt_conv_2d_u8(const ash_rt_layer_params *p, const uint8_t *in,
                       const uint8_t *filter, const int32_t *bias,
                       const int32_t *multiplier, const int8_t *shift,
                       uint8_t *out) {
  const ash_rt_layer k = {p, in, filter, bias, multiplier, shift, out};
  ash_rt_layer_run(&k, ASH_RT_U8, ASH_RT_CONV);
}

/* kernel conv_2d_s16 */
void ash_rt_conv_2d_s16(const ash_rt_layer_params *p, const int16_t *in,
                        const int8_t *filter, const void *bias,
                        const int32_t *multiplier, const int8_t *shift,
                        int16_t *out) {
  const ash_rt_layer k = {p, in, filter, bias, multiplier, shift, out};
  ash_rt_layer_run(&k, ASH_RT_S16, ASH_RT_CONV);
}

/* kernel depthwise_conv_2d_u8 */
void ash_rt_depthwise_conv_2d_u8(const ash_rt_layer_params *p,
                                 const uint8_t *in, const uint8_t *filter,
                                 const int32_t *bias, const int32_t *multiplier,
                                 const int8_t *shift, uint8_t *out) {
  const ash_rt_layer k = {p, in, filter, bias, multiplier, shift, out};
  ash_rt_layer_run(&k, ASH_RT_U8, ASH_RT_DEPTHWISE);
}

/* kernel depthwise_conv_2d_s16 */
void ash_rt_depthwise_conv_2d_s16(const ash_rt_layer_params *p,
                                  const int16_t *in, const int8_t *filter,
                                  const void *bias, const int32_t *multiplier,
                                  const int8_t *shift, int16_t *out) {
  const ash_rt_layer k = {p, in, filter, bias, multiplier, shift, out};
  ash_rt_layer_run(&k, ASH_RT_S16, ASH_RT_DEPTHWISE);
}

/* kernel transpose_conv_u8 */
void ash_rt_transpose_conv_u8(const ash_rt_layer_params *p, const uint8_t *in,
                              const uint8_t *filter, const int32_t *bias,
                              const int32_t *multiplier, const int8_t *shift,
                              uint8_t *out) {
  const ash_rt_layer k = {p, in, filter, bias, multiplier, shift, out};
  ash_rt_layer_run(&k, ASH_RT_U8, ASH_RT_TURNED);
}

/* kernel transpose_conv_s16 */
void ash_rt_transpose_conv_s16(const ash_rt_layer_params *p, const int16_t *in,
                               const int8_t *filter, const void *bias,
                               const int32_t *multiplier, const int8_t *shift,
                               int16_t *out) {
  const ash_rt_layer k = {p, in, filter, bias, multiplier, shift, out};
  ash_rt_layer_run(&k, ASH_RT_S16, ASH_RT_TURNED);
}
