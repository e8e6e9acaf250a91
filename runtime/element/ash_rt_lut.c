/* ash_rt_lut.c - any function of one value, from a table. */
#include "ash_rt_maps.h"

/* kernel lut_s8 */
void ash_rt_lut_s8(const ash_rt_count_params *p, const int8_t *in,
                   const int8_t *table, int8_t *out) {
  const int8_t *middle = table + 128;
  for (int32_t i = 0; i < p->count; i++)
    out[i] = middle[in[i]];
}

/* kernel lut_u8 */
void ash_rt_lut_u8(const ash_rt_count_params *p, const uint8_t *in,
                   const uint8_t *table, uint8_t *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = table[in[i]];
}

/* kernel lut_s16: 513 entries with linear interpolation. */
void ash_rt_lut_s16(const ash_rt_count_params *p, const int16_t *in,
                    const int16_t *table, int16_t *out) {
  for (int32_t i = 0; i < p->count; i++) {
    const int32_t x = in[i] + 32768, at = x >> 7;
    const int32_t slope = table[at + 1] - table[at];
    out[i] = (int16_t)(table[at] + ((slope * (x & 127) + 64) >> 7));
  }
}
