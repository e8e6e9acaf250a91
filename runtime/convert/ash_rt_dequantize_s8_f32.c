/* ash_rt_dequantize_s8_f32.c - int8 to float32. */
#include "ash_rt_quantize.h"

void ash_rt_dequantize_s8_f32(const ash_rt_affine_params *p, const int8_t *in,
                              float *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = p->scale * (float)(in[i] - p->zero_point);
}
