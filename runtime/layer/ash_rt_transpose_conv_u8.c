/* ash_rt_transpose_conv_u8.c - transposed convolution, uint8, weights with a
 * zero point. */
#include "ash_rt_layers_any.h"

void ash_rt_transpose_conv_u8(const ash_rt_layer_params *p, const uint8_t *in,
                              const uint8_t *filter, const int32_t *bias,
                              const int32_t *multiplier, const int8_t *shift,
                              uint8_t *out) {
  const ash_rt_layer k = {p, in, filter, bias, multiplier, shift, out};
  ash_rt_layer_run(&k, ASH_RT_U8, ASH_RT_TURNED);
}
