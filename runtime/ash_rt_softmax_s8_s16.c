/* ash_rt_softmax_s8_s16.c - softmax over the last axis, int8 to int16 with
 * scale 1/65536 and zero point -32768; else as ash_rt_softmax_s8.c. */
#include "ash_rt_fixed.h"
#include "ash_rt_rows.h"

static void ash_rt_softmax_row_s16(int32_t depth, const int8_t *in,
                                   const int32_t *table, int16_t *out) {
  int32_t max = -128;
  for (int32_t i = 0; i < depth; i++)
    max = in[i] > max ? in[i] : max;
  uint32_t sum = 0;
  for (int32_t i = 0; i < depth; i++)
    sum += (uint32_t)ash_rt_shift_down(table[max - in[i]], 12);
  const int32_t zeros = ash_rt_zeros(sum);
  const int32_t scale =
      ash_rt_inverse((int32_t)((sum << zeros) - ((uint32_t)1 << 31)));
  const int32_t shift = ash_rt_clamp(12 - zeros + 31 - 16, 0, 31);
  for (int32_t i = 0; i < depth; i++) {
    const int32_t y =
        ash_rt_shift_down(ash_rt_mul_high(scale, table[max - in[i]]), shift);
    out[i] = (int16_t)ash_rt_clamp(y - 32768, -32768, 32767);
  }
}

void ash_rt_softmax_s8_s16(const ash_rt_rows_params *p, const int8_t *in,
                           const int32_t *table, int16_t *out) {
  for (int32_t r = 0; r < p->rows; r++) {
    ash_rt_softmax_row_s16(p->depth, in, table, out);
    in += p->depth;
    out += p->depth;
  }
}
