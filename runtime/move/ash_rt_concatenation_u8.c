/* ash_rt_concatenation_u8.c - one input of a concatenation, uint8, brought to
 * the scale of the output. */
#include "ash_rt_moves.h"
#include "ash_rt_quantize.h"

void ash_rt_concatenation_u8(const ash_rt_concatenation_u8_params *p,
                             const uint8_t *in, uint8_t *out) {
  out += p->at;
  for (int32_t r = 0; r < p->rows; r++) {
    for (int32_t i = 0; i < p->run; i++) {
      const float x = (float)in[i] * p->scale;
      out[i] = (uint8_t)ash_rt_clamp(
          ash_rt_round_f32(x + p->offset, -100000, 100000) + p->zero_point, 0,
          255);
    }
    in += p->run;
    out += p->pitch;
  }
}
