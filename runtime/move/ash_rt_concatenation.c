/* ash_rt_concatenation.c - one input of a concatenation, copied. */
#include "ash_rt_moves.h"

void ash_rt_concatenation(const ash_rt_concatenation_params *p, const void *in,
                          void *out) {
  const uint8_t *from = (const uint8_t *)in;
  uint8_t *to = (uint8_t *)out + p->at;
  for (int32_t r = 0; r < p->rows; r++) {
    ASH_RT_COPY(to, from, (size_t)p->run);
    from += p->run;
    to += p->pitch;
  }
}
