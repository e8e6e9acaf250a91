/* coarse.h - the same problem, one step per operator. Private to src/order. */
#ifndef ASH_ORDER_COARSE_H
#define ASH_ORDER_COARSE_H

#include "order/problem.h"

/* Every operator in one step, every tensor in one row, in `zone`. In an order
 * of it, an operator's step stands for all its steps in `p`. False: out of
 * memory.
 */
bool ash_order_coarse(ash_order_problem *out, ash_zone *zone,
                      const ash_order_problem *p);

/* Has an operator of `p` more than one step? */
bool ash_order_has_steps(const ash_order_problem *p);

#endif
