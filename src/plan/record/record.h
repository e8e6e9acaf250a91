/* record.h - questions that the records of a plan answer by themselves, for
 * everyone after the planner; the others are in ashlar/plan.h. */
#ifndef ASH_PLAN_RECORD_H
#define ASH_PLAN_RECORD_H

#include "ashlar/plan.h"
#include "kernel/choose.h"

/* Has the plan an order of rows, or runs, rows or moves? */
bool ash_plan_in_rows(const ash_plan *plan);
/* The orders that a claim about an order of this kind is about, in words. */
const char *ash_plan_order_scope(ash_order_kind kind);
/* Rows of an operator that follow each other and are made in one call, at most.
 */
enum { ASH_ROWS_TOGETHER = 8 };
/* Calls of kernels in one run. */
uint32_t ash_plan_calls(const ash_plan *plan, const ash_graph *g);
/* The order of regions: by role, then by the memory's name in capitals.
 * Negative: a comes before b; zero: the two cannot be told apart. */
int ash_arena_compare(const ash_arena *a, const ash_arena *b);
/* .. as ash_sort wants it. */
int ash_arena_order(const void *a, const void *b, const void *user);

/* ash_alias_root of every slot; ASH_NO_ID: a circle. */
void ash_alias_roots(uint32_t *root, const ash_slot *slots, uint32_t count);

/* The kernel that the plan was made for. */
ash_choice ash_plan_choice(const ash_plan *plan, const ash_graph *g,
                           uint32_t op);
/* Cycles of an operator that is not cut, with this kernel on its cores. */
uint64_t ash_plan_choice_cycles(const ash_graph *g, uint32_t op,
                                const ash_choice *choice);
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
