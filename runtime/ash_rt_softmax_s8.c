/* ash_rt_softmax_s8.c - softmax over the last axis, int8 to int8 with scale
 * 1/256 and zero point -128.
 *
 * The difference to the row's maximum has 256 values, so the exponentials come
 * from a table; the sum is kept in Q12.19 and inverted by three steps of
 * Newton and Raphson, with the roundings of TensorFlow Lite's reference. */
#include "ash_rt_fixed.h"
#include "ash_rt_rows.h"

static void ash_rt_softmax_row(int32_t depth, const int8_t *in,
                               const int32_t *table, int8_t *out) {
  int32_t max = -128;
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
    out[i] = (int8_t)ash_rt_clamp(y - 128, -128, 127);
  }
}

void ash_rt_softmax_s8(const ash_rt_rows_params *p, const int8_t *in,
                       const int32_t *table, int8_t *out) {
  for (int32_t r = 0; r < p->rows; r++) {
    ash_rt_softmax_row(p->depth, in, table, out);
    in += p->depth;
    out += p->depth;
  }
}
