/* ash_rt_quantize_f32_u8.c - float32 to uint8. */
#include "ash_rt_quantize.h"

void ash_rt_quantize_f32_u8(const ash_rt_affine_params *p, const float *in,
                            uint8_t *out) {
  for (int32_t i = 0; i < p->count; i++) {
    const int32_t y = ash_rt_round_f32(in[i] / p->scale, 0 - p->zero_point,
                                       255 - p->zero_point);
    out[i] = (uint8_t)(y + p->zero_point);
  }
}
