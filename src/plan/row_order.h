/* row_order.h - the steps of an order that keeps few bytes in memory. */
#ifndef ASH_PLAN_ROW_ORDER_H
#define ASH_PLAN_ROW_ORDER_H

#include "ashlar/plan.h"
#include "ask/ask.h"

/* The best order of whole operators or of rows, as `options->order` says, for
 * the kernels of `ask`; kept by `ctx`. `*given`: bytes alive at once in the
 * order of the graph; may be NULL. */
ash_status ash_plan_find_order(ash_ctx *ctx, ash_steps *steps,
                               ash_order_proof *proof, uint64_t *given,
                               const ash_ask *ask,
                               const ash_plan_options *options);

#endif
