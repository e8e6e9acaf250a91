/* ash_rt_softmax_s8.c - softmax over the last axis, int8 to int8 with scale
 * 1/256 and zero point -128.
 *
 * The difference to the row's maximum has 256 values, so the exponentials come
 * from a table; the sum is kept in Q12.19 and inverted by three steps of
 * Newton and Raphson, with the roundings of TensorFlow Lite's reference. */
#include "ash_rt_softmax.h"

void ash_rt_softmax_s8(const ash_rt_rows_params *p, const int8_t *in,
                       const int32_t *table, int8_t *out) {
  for (int32_t r = 0; r < p->rows; r++, in += p->depth, out += p->depth)
    ash_rt_softmax_row((const uint8_t *)in, p->depth, table, out, 0, 8);
}
