/* ash_rt_concatenation_s8.c - one input of a concatenation, brought to the
 * scale of the output. */
#include "ash_rt_moves.h"

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
