/* plan_table.h - a memory plan as people read it on a terminal. */
#ifndef CLI_PLAN_TABLE_H
#define CLI_PLAN_TABLE_H

#include "ashlar/render.h"

/* Arenas, bounds, verdict, hashes: a few lines. */
void print_plan_summary(const ash_plan *plan, const ash_render_plan *render);
/* The summary, then every tensor by first step, and what makes the peak. */
void print_plan_table(const ash_plan *plan, const ash_graph *g);

#endif
