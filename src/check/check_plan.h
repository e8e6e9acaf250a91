/* check_plan.h - how the two halves of the checker talk: check_plan.c looks at
 * the plan as a table, check_run.c goes through the steps as the device would.
 * Neither knows a planner. */
#ifndef ASH_CHECK_CHECK_PLAN_H
#define ASH_CHECK_CHECK_PLAN_H

#include "ashlar/plan.h"
#include "base/ctx.h"
#include "graph/graph.h"

typedef struct ash_checker {
  ash_ctx *ctx;
  const ash_plan *plan;
  const ash_graph *g;       /* NULL: only what the plan alone can tell */
  const ash_device *device; /* NULL: likewise */
} ash_checker;

/* Names are there, and numbers point at something: the others rely on it. */
ash_status ash_check_fields(const ash_checker *c);

/* Every step finds its inputs intact, and the end all outputs. */
ash_status ash_check_run(const ash_checker *c);

/* Of an op that moves elements: is element i of output k, for every i, what
 * stands i elements behind byte `bytes` of input 0? */
bool ash_check_is_there(const ash_graph *g, uint32_t op, uint32_t k,
                        uint64_t bytes);

#endif
