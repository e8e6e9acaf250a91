/* record.h - questions that the records of a plan answer by themselves, for
 * everyone after the planner; the others are in ashlar/plan.h. */
#ifndef ASH_PLAN_RECORD_H
#define ASH_PLAN_RECORD_H

#include "ashlar/plan.h"
#include "kernel/choose.h"

/* Has the plan an order of rows, or runs, rows or moves? */
bool ash_plan_in_rows(const ash_plan *plan);

/* The kernel that the plan was made for. */
ash_choice ash_plan_choice(const ash_plan *plan, const ash_graph *g,
                           uint32_t op);
/* Does that kernel read the input? */
bool ash_plan_reads(const ash_plan *plan, const ash_graph *g, uint32_t op,
                    uint32_t input);

/* Does input k already lie where the result wants it? (The planner let them
 * share storage.) */
bool ash_plan_in_place(const ash_plan *plan, const ash_graph *g, uint32_t op,
                       uint32_t k);
/* Is output k, a view or slice of an input, where it should be? */
bool ash_plan_is_made(const ash_plan *plan, const ash_graph *g, uint32_t op,
                      uint32_t k);
/* Are all outputs? Such an operator needs no code. */
bool ash_plan_is_free(const ash_plan *plan, const ash_graph *g, uint32_t op);

#endif
