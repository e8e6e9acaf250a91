/* ash_rt_concatenation.c - one input of a concatenation, brought to the scale
 * of the output. */
#include "ash_rt_moves.h"

/* kernel concatenation_s8 */
void ash_rt_concatenation_s8(const ash_rt_concatenation_s8_params *p,
                             const int8_t *in, int8_t *out) {
  out += p->at;
  for (int32_t r = 0; r < p->rows; r++) {
    for (int32_t i = 0; i < p->run; i++) {
      const int32_t y =
          ash_rt_rescale(in[i] + p->in_offset, p->multiplier, p->shift);
      out[i] = (int8_t)ash_rt_finish(y, p->out_offset, -128, 127);
    }
    in += p->run;
    out += p->pitch;
  }
}

/* kernel concatenation_u8 */
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
