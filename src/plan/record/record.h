/* record.h - questions that the records of a plan answer by themselves, for
 * everyone after the planner; the others are in ashlar/plan.h. */
#ifndef ASH_PLAN_RECORD_H
#define ASH_PLAN_RECORD_H

#include "ashlar/plan.h"
#include "kernel/choose.h"

/* The kernel that the plan was made for. */
ash_choice ash_plan_choice(const ash_plan *plan, const ash_graph *g,
                           uint32_t op);
/* Does that kernel read the input? */
bool ash_plan_reads(const ash_plan *plan, const ash_graph *g, uint32_t op,
                    uint32_t input);

#endif
