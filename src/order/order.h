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

/* Steps that somebody else made: every operator once, behind those whose
 * results it reads, and users of a variable in the graph's order. */
ash_status ash_order_check(ash_ctx *ctx, const ash_steps *steps,
                           const ash_graph *g);

#endif
