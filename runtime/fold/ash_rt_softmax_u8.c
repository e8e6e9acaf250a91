/* ash_rt_softmax_u8.c - softmax over the last axis, uint8 to uint8 with scale
 * 1/256 and zero point 0; else as ash_rt_softmax_s8.c. */
#include "ash_rt_softmax.h"

void ash_rt_softmax_u8(const ash_rt_rows_params *p, const uint8_t *in,
                       const int32_t *table, uint8_t *out) {
  for (int32_t r = 0; r < p->rows; r++, in += p->depth, out += p->depth)
    ash_rt_softmax_row(in, p->depth, table, out, 0x80, 8);
}
