/* ash_rt_softmax_u8.c - softmax over the last axis, uint8 to uint8 with scale
 * 1/256 and zero point 0; else as ash_rt_softmax_s8.c. */
#include "ash_rt_fixed.h"
#include "ash_rt_rows.h"

static void ash_rt_softmax_row_u8(int32_t depth, const uint8_t *in,
                                  const int32_t *table, uint8_t *out) {
  int32_t max = 0;
  for (int32_t i = 0; i < depth; i++)
    max = in[i] > max ? in[i] : max;
  uint32_t sum = 0;
  for (int32_t i = 0; i < depth; i++)
    sum += (uint32_t)ash_rt_shift_down(table[max - in[i]], 12);
  const int32_t zeros = ash_rt_zeros(sum);
  const int32_t scale =
      ash_rt_inverse((int32_t)((sum << zeros) - ((uint32_t)1 << 31)));
  const int32_t shift = ash_rt_clamp(12 - zeros + 31 - 8, 0, 31);
  for (int32_t i = 0; i < depth; i++) {
    const int32_t y =
        ash_rt_shift_down(ash_rt_mul_high(scale, table[max - in[i]]), shift);
    out[i] = (uint8_t)ash_rt_clamp(y, 0, 255);
  }
}

void ash_rt_softmax_u8(const ash_rt_rows_params *p, const uint8_t *in,
                       const int32_t *table, uint8_t *out) {
  for (int32_t r = 0; r < p->rows; r++) {
    ash_rt_softmax_row_u8(p->depth, in, table, out);
    in += p->depth;
    out += p->depth;
  }
}
