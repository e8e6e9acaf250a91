/* demand.h - orders that are made without a search. Private to src/order. */
#ifndef ASH_ORDER_DEMAND_H
#define ASH_ORDER_DEMAND_H

#include "order/sim.h"

/* Runs all steps, in the order of the trail; the peak. First, for each op with
 * `is_cut` (NULL: none), all its steps and what they need; then what the last
 * op needs, then the rest. */
uint64_t ash_order_demand(ash_order_sim *s, const bool *is_cut);

/* One operator after the other, all its steps, in the order `ops`; NULL: in
 * that of the problem. */
uint64_t ash_order_whole(ash_order_sim *s, const uint32_t *ops);

/* The steps of `ops`. */
uint64_t ash_order_replay(ash_order_sim *s, const uint32_t *ops);

#endif
