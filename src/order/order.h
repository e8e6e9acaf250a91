/* order.h - graph -> sequence of steps. Everything after works on the
 * sequence, never on the graph's own order. */
#ifndef ASH_ORDER_ORDER_H
#define ASH_ORDER_ORDER_H

#include "ashlar/steps.h"
#include "base/ctx.h"
#include "graph/graph.h"

/* The steps of `g`: those given, if they run every operator once, after those
 * whose results it reads, and users of a variable in the graph's order. NULL:
 * one op a step, in the graph's (topological) order, kept by `ctx`. */
ash_status ash_order_steps(ash_ctx *ctx, ash_steps *out, const ash_graph *g,
                           const ash_steps *given);

#endif
