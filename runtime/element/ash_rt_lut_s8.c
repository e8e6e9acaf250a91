/* ash_rt_lut_s8.c - any function of one int8 value, from a table. */
#include "ash_rt_maps.h"

void ash_rt_lut_s8(const ash_rt_count_params *p, const int8_t *in,
                   const int8_t *table, int8_t *out) {
  const int8_t *middle = table + 128;
  for (int32_t i = 0; i < p->count; i++)
    out[i] = middle[in[i]];
}
