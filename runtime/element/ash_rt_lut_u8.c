/* ash_rt_lut_u8.c - any function of one uint8 value, from a table. */
#include "ash_rt_maps.h"

void ash_rt_lut_u8(const ash_rt_count_params *p, const uint8_t *in,
                   const uint8_t *table, uint8_t *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = table[in[i]];
}
