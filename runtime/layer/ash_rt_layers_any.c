/* ash_rt_layers_any.c - convolutions of uint8 with weights that have a zero
 * point, and of int16 by int8. */
#include "ash_rt_layers_any.h"

/* kernel conv_2d_u8 */
void ash_rt_conv_2d_u8(const ash_rt_layer_params *p, const uint8_t *in,
                       const uint8_t *filter, const int32_t *bias,
                       const int32_t *multiplier, const int8_t *shift,
                       uint8_t *out) {
  const ash_rt_layer k = {p, filter, bias, multiplier, shift};
  ash_rt_layer_run(&k, ASH_RT_U8, ASH_RT_CONV, in, out);
}

/* kernel conv_2d_u8_lines */
void ash_rt_conv_2d_u8_lines(const ash_rt_layer_params *p,
                             const ash_rt_lines *in, const uint8_t *filter,
                             const int32_t *bias, const int32_t *multiplier,
                             const int8_t *shift, const ash_rt_lines *out,
                             int32_t from, int32_t to) {
  const ash_rt_layer k = {p, filter, bias, multiplier, shift};
  ash_rt_layer_lines(&k, ASH_RT_U8, ASH_RT_CONV, in, out, from, to);
}

/* kernel conv_2d_s16 */
void ash_rt_conv_2d_s16(const ash_rt_layer_params *p, const int16_t *in,
                        const int8_t *filter, const void *bias,
                        const int32_t *multiplier, const int8_t *shift,
                        int16_t *out) {
  const ash_rt_layer k = {p, filter, bias, multiplier, shift};
  ash_rt_layer_run(&k, ASH_RT_S16, ASH_RT_CONV, in, out);
}

/* kernel conv_2d_s16_lines */
void ash_rt_conv_2d_s16_lines(const ash_rt_layer_params *p,
                              const ash_rt_lines *in, const int8_t *filter,
                              const void *bias, const int32_t *multiplier,
                              const int8_t *shift, const ash_rt_lines *out,
                              int32_t from, int32_t to) {
  const ash_rt_layer k = {p, filter, bias, multiplier, shift};
  ash_rt_layer_lines(&k, ASH_RT_S16, ASH_RT_CONV, in, out, from, to);
}

/* kernel depthwise_conv_2d_u8 */
void ash_rt_depthwise_conv_2d_u8(const ash_rt_layer_params *p,
                                 const uint8_t *in, const uint8_t *filter,
                                 const int32_t *bias, const int32_t *multiplier,
                                 const int8_t *shift, uint8_t *out) {
  const ash_rt_layer k = {p, filter, bias, multiplier, shift};
  ash_rt_layer_run(&k, ASH_RT_U8, ASH_RT_DEPTHWISE, in, out);
}

/* kernel depthwise_conv_2d_u8_lines */
void ash_rt_depthwise_conv_2d_u8_lines(
    const ash_rt_layer_params *p, const ash_rt_lines *in, const uint8_t *filter,
    const int32_t *bias, const int32_t *multiplier, const int8_t *shift,
    const ash_rt_lines *out, int32_t from, int32_t to) {
  const ash_rt_layer k = {p, filter, bias, multiplier, shift};
  ash_rt_layer_lines(&k, ASH_RT_U8, ASH_RT_DEPTHWISE, in, out, from, to);
}

/* kernel depthwise_conv_2d_s16 */
void ash_rt_depthwise_conv_2d_s16(const ash_rt_layer_params *p,
                                  const int16_t *in, const int8_t *filter,
                                  const void *bias, const int32_t *multiplier,
                                  const int8_t *shift, int16_t *out) {
  const ash_rt_layer k = {p, filter, bias, multiplier, shift};
  ash_rt_layer_run(&k, ASH_RT_S16, ASH_RT_DEPTHWISE, in, out);
}

/* kernel depthwise_conv_2d_s16_lines */
void ash_rt_depthwise_conv_2d_s16_lines(
    const ash_rt_layer_params *p, const ash_rt_lines *in, const int8_t *filter,
    const void *bias, const int32_t *multiplier, const int8_t *shift,
    const ash_rt_lines *out, int32_t from, int32_t to) {
  const ash_rt_layer k = {p, filter, bias, multiplier, shift};
  ash_rt_layer_lines(&k, ASH_RT_S16, ASH_RT_DEPTHWISE, in, out, from, to);
}

/* kernel transpose_conv_u8 */
void ash_rt_transpose_conv_u8(const ash_rt_layer_params *p, const uint8_t *in,
                              const uint8_t *filter, const int32_t *bias,
                              const int32_t *multiplier, const int8_t *shift,
                              uint8_t *out) {
  const ash_rt_layer k = {p, filter, bias, multiplier, shift};
  ash_rt_layer_run(&k, ASH_RT_U8, ASH_RT_TURNED, in, out);
}

/* kernel transpose_conv_u8_lines */
void ash_rt_transpose_conv_u8_lines(
    const ash_rt_layer_params *p, const ash_rt_lines *in, const uint8_t *filter,
    const int32_t *bias, const int32_t *multiplier, const int8_t *shift,
    const ash_rt_lines *out, int32_t from, int32_t to) {
  const ash_rt_layer k = {p, filter, bias, multiplier, shift};
  ash_rt_layer_lines(&k, ASH_RT_U8, ASH_RT_TURNED, in, out, from, to);
}

/* kernel transpose_conv_s16 */
void ash_rt_transpose_conv_s16(const ash_rt_layer_params *p, const int16_t *in,
                               const int8_t *filter, const void *bias,
                               const int32_t *multiplier, const int8_t *shift,
                               int16_t *out) {
  const ash_rt_layer k = {p, filter, bias, multiplier, shift};
  ash_rt_layer_run(&k, ASH_RT_S16, ASH_RT_TURNED, in, out);
}

/* kernel transpose_conv_s16_lines */
void ash_rt_transpose_conv_s16_lines(
    const ash_rt_layer_params *p, const ash_rt_lines *in, const int8_t *filter,
    const void *bias, const int32_t *multiplier, const int8_t *shift,
    const ash_rt_lines *out, int32_t from, int32_t to) {
  const ash_rt_layer k = {p, filter, bias, multiplier, shift};
  ash_rt_layer_lines(&k, ASH_RT_S16, ASH_RT_TURNED, in, out, from, to);
}
