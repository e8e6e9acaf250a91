/* ash_rt_softmax.c - softmax over the last axis, integers. */

/* kernel softmax_s8: to int8 with scale 1/256 and zero point -128. The
 * difference to the row's maximum has 256 values, so the exponentials come from
 * a table; the sum is kept in Q12.19 and inverted by three steps of Newton and
 * Raphson, with the roundings of TensorFlow Lite's reference. */
#include "ash_rt_softmax.h"

void ash_rt_softmax_s8(const ash_rt_rows_params *p, const int8_t *in,
                       const int32_t *table, int8_t *out) {
  for (int32_t r = 0; r < p->rows; r++, in += p->depth, out += p->depth)
    ash_rt_softmax_row((const uint8_t *)in, p->depth, table, out, 0, 8);
}

/* kernel softmax_u8: as softmax_s8, to uint8 with scale 1/256 and zero point 0.
 */
#include "ash_rt_softmax.h"

void ash_rt_softmax_u8(const ash_rt_rows_params *p, const uint8_t *in,
                       const int32_t *table, uint8_t *out) {
  for (int32_t r = 0; r < p->rows; r++, in += p->depth, out += p->depth)
    ash_rt_softmax_row(in, p->depth, table, out, 0x80, 8);
}

/* kernel softmax_s8_s16: as softmax_s8, to int16 with scale 1/65536 and zero
 * point -32768. */
#include "ash_rt_softmax.h"

void ash_rt_softmax_s8_s16(const ash_rt_rows_params *p, const int8_t *in,
                           const int32_t *table, int16_t *out) {
  for (int32_t r = 0; r < p->rows; r++, in += p->depth, out += p->depth)
    ash_rt_softmax_row((const uint8_t *)in, p->depth, table, out, 0, 16);
}

/* kernel softmax_s16: with tables of 512 steps and linear interpolation. */
#include "ash_rt_fixed.h"
#include "ash_rt_rows.h"

static int32_t ash_rt_table_s16(const int16_t *table, int32_t x) {
  x = ash_rt_clamp(x, -32768, 32767);
  const int32_t i = 256 + (x >> 7), part = x & 0x7f;
  const int32_t slope = table[i + 1] - table[i];
  return table[i] + ((slope * part + 64) >> 7);
}

void ash_rt_softmax_s16(const ash_rt_softmax_s16_params *p, const int16_t *in,
                        const int16_t *tables, int16_t *out) {
  for (int32_t r = 0; r < p->rows; r++, in += p->depth, out += p->depth) {
    int32_t most = in[0], sum = 0;
    for (int32_t c = 1; c < p->depth; c++)
      most = in[c] > most ? in[c] : most;
    for (int32_t c = 0; c < p->depth; c++) {
      const int32_t d = ash_rt_rescale(in[c] - most, p->multiplier, p->shift);
      out[c] = (int16_t)ash_rt_table_s16(tables, d + 32767);
      sum += out[c];
    }
    const int32_t zeros = ash_rt_zeros((uint32_t)sum), down = 31 - zeros;
    const int32_t scaled =
        (int32_t)((((int64_t)sum << (zeros - 1)) + (1 << 13)) >> 14);
    const int32_t inverse =
        ash_rt_table_s16(tables + 513, scaled - (1 << 15) - (1 << 16));
    for (int32_t c = 0; c < p->depth; c++) {
      const int64_t y =
          ((int64_t)out[c] * inverse + (down > 0 ? 1 << (down - 1) : 0)) >>
          down;
      out[c] = (int16_t)(y < 0 ? 0 : y > 32767 ? 32767 : y);
    }
  }
}
