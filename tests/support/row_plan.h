/* row_plan.h - plans with rows, made the naive way: the best order of rows, one
 * step per run, every row at a place of its own or at the lowest free one. For
 * tests of what comes after the planner, which must not depend on it.
 *
 *   row_plan p = row_plan_of(n.ctx, n.g, device, &(row_plan_ask){0});
 *   p.slots[3].binding.offset += 16;
 *   CHECK_EQ(row_plan_check(&p), ASH_INTERNAL); */
#ifndef ASH_TESTS_ROW_PLAN_H
#define ASH_TESTS_ROW_PLAN_H

#include "ashlar/plan.h"
#include "kernel/choose.h"

typedef struct row_plan_ask {
  bool fed;      /* rows of all inputs arrive while the model runs           */
  bool reuse;    /* places of dead rows are used again                       */
  uint64_t work; /* bytes of work memory of the first operator with runs     */
} row_plan_ask;

typedef struct row_plan {
  ash_ctx *ctx;
  const ash_graph *g;
  const ash_device *device;
  ash_plan plan;
  ash_slot *slots; /* there is room for one more of each */
  ash_step *steps;
  ash_arena *arenas;
  ash_choice *choices;
} row_plan;

row_plan row_plan_of(ash_ctx *ctx, const ash_graph *g, const ash_device *device,
                     const row_plan_ask *ask);

/* ash_check_plan. */
ash_status row_plan_check(row_plan *p);

/* The slot of a row, and the step that makes it. */
ash_slot *row_plan_slot(row_plan *p, uint32_t tensor, uint32_t row);
uint32_t row_plan_step(const row_plan *p, uint32_t op, uint32_t row);

/* Gives a row another place from `step` on, at the end of its arena. */
ash_slot *row_plan_move(row_plan *p, uint32_t tensor, uint32_t row,
                        uint32_t step);

#endif
