/* plan_table.h - a memory plan as people read it on a terminal. */
#ifndef CLI_PLAN_TABLE_H
#define CLI_PLAN_TABLE_H

#include "ashlar/render.h"
#include "term.h"

/* Arenas, bounds, verdict, hashes: a few lines. */
void print_plan_summary(const ash_plan *p, const ash_render_plan *render);
/* Arenas, a map of each scratch arena, what makes the peak, the largest
 * tensors, and the verdict in words. */
void print_plan_page(const term *t, const ash_plan *p, const ash_graph *g);
/* Every tensor that is not constant, by first step. */
void print_plan_tensors(const term *t, const ash_plan *p);

#endif
