/* ash_rt_quantize_f32_s8.c - float32 to int8. */
#include "ash_rt_quantize.h"

void ash_rt_quantize_f32_s8(const ash_rt_affine_params *p, const float *in,
                            int8_t *out) {
  for (int32_t i = 0; i < p->count; i++) {
    const int32_t y = ash_rt_round_f32(in[i] / p->scale, -128 - p->zero_point,
                                       127 - p->zero_point);
    out[i] = (int8_t)(y + p->zero_point);
  }
}
