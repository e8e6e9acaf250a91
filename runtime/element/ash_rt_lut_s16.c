/* ash_rt_lut_s16.c - any function of one int16 value, from a table of 513
 * entries with linear interpolation. */
#include "ash_rt_maps.h"

void ash_rt_lut_s16(const ash_rt_count_params *p, const int16_t *in,
                    const int16_t *table, int16_t *out) {
  for (int32_t i = 0; i < p->count; i++) {
    const int32_t x = in[i] + 32768, at = x >> 7;
    const int32_t slope = table[at + 1] - table[at];
    out[i] = (int16_t)(table[at] + ((slope * (x & 127) + 64) >> 7));
  }
}
