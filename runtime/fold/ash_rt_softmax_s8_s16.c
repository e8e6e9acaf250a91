/* ash_rt_softmax_s8_s16.c - softmax over the last axis, int8 to int16 with
 * scale 1/65536 and zero point -32768; else as ash_rt_softmax_s8.c. */
#include "ash_rt_softmax.h"

void ash_rt_softmax_s8_s16(const ash_rt_rows_params *p, const int8_t *in,
                           const int32_t *table, int16_t *out) {
  for (int32_t r = 0; r < p->rows; r++, in += p->depth, out += p->depth)
    ash_rt_softmax_row((const uint8_t *)in, p->depth, table, out, 0, 16);
}
