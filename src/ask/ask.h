/* ask.h - what tiler and planner are asked, resolved once for a graph and a
 * device: the order, the kernels, what each memory may give, and what the rules
 * say of every tensor and operator. */
#ifndef ASH_ASK_ASK_H
#define ASH_ASK_ASK_H

#include "ashlar/plan.h"
#include "base/ctx.h"
#include "kernel/choose.h"

/* How many rows of an operator are made at once at most (0: as found), and how
 * many thousandths of the peak stay free where steps change places for that. */
typedef struct ash_ask_join {
  uint32_t rows, free;
} ash_ask_join;

typedef struct ash_ask {
  const ash_graph *graph;
  const ash_device *device;
  ash_steps steps;
  const ash_choice *choices; /* one an operator                             */
  const ash_memory_budget *memories; /* one a memory of the device          */
  ash_constraints rules;
  ash_order_proof order;  /* how good the steps are                         */
  const bool *is_whole;   /* by op: it runs whole in an order of rows, though it
                             has rows; NULL: none                           */
  bool ignores_work;      /* the order of rows is the best of activations alone,
                             not with work memory                           */
  ash_ask_join join;      /* .. in which rows of an operator follow each other
                             where its peak allows it                       */
  const ash_rules *book;  /* where they come from, or NULL                   */
  const bool *is_fed;     /* by input: its rows arrive while the model runs;
                             NULL: none                                     */
  const bool *is_drained; /* by output: its rows leave while it runs; NULL:
                             none                                           */
} ash_ask;

/* Fills memories and rules of an ask with graph, device, steps, choices and
 * book. */
ash_status ash_ask_resolve(ash_ctx *ctx, ash_ask *ask,
                           const ash_memory_constraint *constraints,
                           size_t constraint_count);

#endif
