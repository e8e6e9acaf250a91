/* ref_integer.c - what layers of integers without scales make of their sums:
 * requantisation by factors, offsets and shifts. Sums wrap around at 32 bits,
 * what is made of them at 64. */
#include "ref/ref_call.h"

/* Input k of a channel: absent, one for all, or one for each. */
static uint64_t of_channel(const ash_ref_call *c, uint32_t k,
                           uint64_t channel) {
  const ash_tensor *t = ash_ref_in(c, k);
  if (!t)
    return 0;
  return (uint64_t)ash_ref_get(t, ash_ref_read(c, k),
                               ash_ref_elements(t) == 1 ? 0 : channel);
}

void ash_ref_put_integer(const ash_ref_call *c, uint64_t i, uint64_t channel,
                         uint64_t sum) {
  ASH_ASSERT(ash_type_bits(ash_ref_out(c, 0)->type) <= 32);
  int64_t y = (int32_t)(uint32_t)(sum + of_channel(c, 2, channel));
  if (ash_ref_in(c, 3)) {
    y = (int64_t)((uint64_t)y * of_channel(c, 3, channel) +
                  of_channel(c, 4, channel));
    y >>= ash_attr_int(c->op, "shift", 0);
  }
  const int64_t low = ash_attr_int(c->op, "low", INT64_MIN);
  const int64_t high = ash_attr_int(c->op, "high", INT64_MAX);
  y = y < low ? low : y;
  y = y > high ? high : y;
  ash_ref_put(ash_ref_out(c, 0), ash_ref_write(c, 0), i, y);
}
