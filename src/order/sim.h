/* sim.h - an order under way: which steps have run, which rows exist, and their
 * bytes; a step forward and a step back. Private to src/order. */
#ifndef ASH_ORDER_SIM_H
#define ASH_ORDER_SIM_H

#include "order/problem.h"

typedef struct ash_order_sim {
  const ash_order_problem *p;
  uint32_t *done;  /* by op: steps that have run                             */
  uint32_t *made;  /* by tensor: rows written                                */
  uint32_t *maker; /* by tensor: the op that writes it, or ASH_ORDER_NO_OP    */
  uint32_t *first; /* by tensor: its first row in `left`                     */
  uint32_t *left;  /* by row: reads that are still to end, and 1 if it is kept;
                      0: it is not needed any more                           */
  uint32_t *trail; /* the ops of the steps that have run                     */
  uint32_t count;  /* of them                                                */
  uint32_t steps;  /* of all operators                                       */
  uint64_t start;  /* load before the first step                             */
  uint64_t load;   /* of the rows that exist and are needed                  */
  uint64_t ticks;  /* steps tried so far, whatever became of them            */
  uint32_t *stack; /* of ops that wait for each other: room for all          */
} ash_order_sim;

#define ASH_ORDER_NO_OP UINT32_MAX

/* False: out of memory (sticky in the zone). */
bool ash_order_sim_init(ash_order_sim *s, ash_zone *zone,
                        const ash_order_problem *p);

/* Rows that step `step` of the operator is the last one to read: a part of
 * those that it reads. */
ash_order_range ash_order_ends(const ash_order_op *o, uint32_t read,
                               uint32_t step);

/* The first op whose step the next step of `op` waits for, `op` itself if it
 * can run. */
uint32_t ash_order_waits_for(const ash_order_sim *s, uint32_t op);

/* Runs the next step of `op`, which must be able to run; its load. */
uint64_t ash_order_step(ash_order_sim *s, uint32_t op);
/* Takes steps back until `count` are left. */
void ash_order_back(ash_order_sim *s, uint32_t count);

/* The steps that have run, which are all, as the runs of an answer. */
ash_status ash_order_runs(ash_ctx *ctx, ash_order_answer *out,
                          const ash_order_sim *s);

#endif
