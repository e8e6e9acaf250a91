/* ash_rt_quantize_f32_s16.c - float32 to int16. */
#include "ash_rt_quantize.h"

void ash_rt_quantize_f32_s16(const ash_rt_affine_params *p, const float *in,
                             int16_t *out) {
  for (int32_t i = 0; i < p->count; i++) {
    const int32_t y = ash_rt_round_f32(in[i] / p->scale, -32768 - p->zero_point,
                                       32767 - p->zero_point);
    out[i] = (int16_t)(y + p->zero_point);
  }
}
