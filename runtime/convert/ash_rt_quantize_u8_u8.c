/* ash_rt_quantize_u8_u8.c - from uint8 to uint8 of another scale. */
#include "ash_rt_quantize.h"

void ash_rt_quantize_u8_u8(const ash_rt_requantize_params *p, const uint8_t *in,
                           uint8_t *out) {
  for (int32_t i = 0; i < p->count; i++) {
    const int32_t y =
        ash_rt_rescale(in[i] + p->in_offset, p->multiplier, p->shift);
    out[i] = (uint8_t)ash_rt_finish(y, p->out_offset, 0, 255);
  }
}
