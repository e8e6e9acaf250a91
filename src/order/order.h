/* order.h - graph -> sequence of steps. Everything after works on the
 * sequence, never on the graph's own order. */
#ifndef ASH_ORDER_ORDER_H
#define ASH_ORDER_ORDER_H

#include "ashlar/plan.h"
#include "base/ctx.h"
#include "graph/graph.h"

/* One op a step, in the graph's (topological) order. Kept in `zone`. */
ash_status ash_order_as_given(ash_ctx *ctx, ash_zone *zone, ash_steps *out,
                              const ash_graph *g);

#endif
