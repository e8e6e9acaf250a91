/* bound.h - a lower bound of all orders without search. Private to src/order.
 */
#ifndef ASH_ORDER_BOUND_H
#define ASH_ORDER_BOUND_H

#include "order/sim.h"

/* What is there before the first step, what is kept to the end, and what any
 * step reads and writes. */
uint64_t ash_order_simple_bound(const ash_order_sim *sim);

#endif
