/* smooth.h - less load on the way, at the same peak. Private to src/order. */
#ifndef ASH_ORDER_SMOOTH_H
#define ASH_ORDER_SMOOTH_H

#include "order/sim.h"

/* Changes the order `ops` of all steps so that its peak does not rise and the
 * sum of its loads falls; for `ticks` at most. */
void ash_order_smooth(ash_order_sim *s, uint32_t *ops, uint64_t peak,
                      uint64_t ticks);

#endif
