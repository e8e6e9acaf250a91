/* ash_rt_conv_2d_s16.c - convolution, int16 by int8. */
#include "ash_rt_layers_any.h"

void ash_rt_conv_2d_s16(const ash_rt_layer_params *p, const int16_t *in,
                        const int8_t *filter, const void *bias,
                        const int32_t *multiplier, const int8_t *shift,
                        int16_t *out) {
  const ash_rt_layer k = {p, in, filter, bias, multiplier, shift, out};
  ash_rt_layer_run(&k, ASH_RT_S16, ASH_RT_CONV);
}
