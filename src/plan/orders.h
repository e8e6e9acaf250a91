/* orders.h - which orders of steps are tried, and which plan is kept. */
#ifndef ASH_PLAN_ORDERS_H
#define ASH_PLAN_ORDERS_H

#include "ashlar/plan.h"
#include "ask/ask.h"

/* As ash_plan_attempts, for the orders that the options ask for. `ask` has the
 * steps of the given order. `target` NULL: the kernels of `ask`, in one
 * attempt. */
ash_status ash_plan_orders(ash_ctx *ctx, const ash_plan **out,
                           const ash_ask *ask, const ash_target *target,
                           const ash_plan_options *options,
                           const ash_tile_options *tile);

#endif
