/* valley.h - the state with the least load between two others. Private to
 * src/order. */
#ifndef ASH_ORDER_VALLEY_H
#define ASH_ORDER_VALLEY_H

#include "order/search.h"

/* Between the state at that depth and the one now are those that run a part of
 * the steps since: goes to the one with the least load, under the cap, and
 * drops the states from that depth on. False: that is not possible, too much
 * work, or out of memory; nothing has changed. */
bool ash_order_valley(ash_order_search *s, size_t depth);

#endif
