/* problem.h - the ordering problem, which knows nothing of graphs: which order
 * of steps keeps the fewest bytes in memory?
 *
 * A tensor is a number of rows of equal size, each a buffer of its own. An
 * operator runs in steps, one after the other; a step writes some rows of each
 * output and reads some rows of each operand. Steps of different operators may
 * interleave in any way in which rows are written before they are read. An
 * operator that runs whole has one step.
 *
 * A row exists from the step that writes it to the last step that reads it.
 * Rows of a tensor that is present exist before the first step, when the caller
 * fills them; rows of one that is kept exist until after the last. A row that
 * nothing reads exists during the step that writes it. The load of a step is
 * the sum of the rows that exist while it runs, and of its work memory; the
 * peak of an order is its largest load. Where a step may work in place, and all
 * rows that it reads of that operand die with it and are at least as large as
 * what it writes, the written rows take their places and add nothing; after the
 * step, only what was written is left of them.
 *
 * An input whose rows arrive while the model runs is written by an operator
 * that reads nothing. */
#ifndef ASH_ORDER_PROBLEM_H
#define ASH_ORDER_PROBLEM_H

#include "base/ctx.h"

typedef struct ash_order_tensor {
  uint32_t rows;
  uint64_t row_bytes;
  bool is_present; /* from the start: nothing writes it */
  bool is_kept;    /* to the end                        */
} ash_order_tensor;

/* Rows [from, to). */
typedef struct ash_order_range {
  uint32_t from, to;
} ash_order_range;

/* The rows of a tensor that the steps of an operator read or write. Neither
 * end of the range ever goes back from one step to the next; written ranges
 * follow each other without gaps from row 0 to the last. */
typedef struct ash_order_access {
  uint32_t tensor;
  const ash_order_range *rows; /* by step */
} ash_order_access;

typedef struct ash_order_op {
  uint32_t steps;
  const ash_order_access *reads, *writes;
  uint32_t read_count, write_count;
  uint32_t in_place; /* bit k, of the first 32: write 0, the only one that has
                        bytes, may take the place of read k                 */
  uint64_t work;     /* bytes of work memory that exist during each step    */
} ash_order_op;

typedef struct ash_order_problem {
  const ash_order_tensor *tensors;
  const ash_order_op *ops; /* an operator comes after those that write what it
                              reads                                         */
  uint32_t tensor_count, op_count;
} ash_order_problem;

/* Steps first .. first + count - 1 of an operator, one after the other. */
typedef struct ash_order_run {
  uint32_t op, first, count;
} ash_order_run;

/* Techniques that can be switched off, to test that all agree. */
enum ash_order_technique {
  ASH_ORDER_FREE_MOVES = 1, /* take moves that cannot hurt at once           */
  ASH_ORDER_LAZY = 2,       /* run steps without operands when needed        */
  ASH_ORDER_DEMAND = 4,     /* start from demand-driven orders               */
  ASH_ORDER_SMOOTH = 8,     /* less load on the way                          */
  ASH_ORDER_VALLEYS = 16    /* take sequences of moves that cannot hurt      */
};

enum { ASH_ORDER_TICKS = 32000000, ASH_ORDER_STATE_BYTES = 64 << 20 };

typedef struct ash_order_options {
  uint64_t ticks; /* effort limit, about: steps tried; 0: the default        */
  uint64_t bytes; /* memory for states already seen; 0: the default          */
  uint32_t off;   /* techniques                                              */
} ash_order_options;

typedef struct ash_order_answer {
  const ash_order_run *runs; /* kept by the context */
  uint32_t run_count;
  uint64_t peak;       /* of this order                                      */
  uint64_t bound;      /* no order has a lower peak                          */
  ash_verdict verdict; /* ASH_OPTIMAL: bound == peak; else ASH_FEASIBLE      */
  uint64_t ticks;
} ash_order_answer;

/* An order of the smallest peak, or the best that was found (docs/ordering.md).
 */
ash_status ash_order_best(ash_ctx *ctx, ash_order_answer *out,
                          const ash_order_problem *p,
                          const ash_order_options *options);

/* ---- the independent counter (load.c) ------------------------------------ */

typedef struct ash_order_load {
  uint64_t peak, sum; /* largest load, and the sum of the loads of all steps */
} ash_order_load;

/* NULL and the loads of an order, counted from the definition above; or what is
 * wrong with it. Out of memory: ctx->scratch has failed. */
const char *ash_order_count(ash_ctx *ctx, ash_order_load *out,
                            const ash_order_problem *p,
                            const ash_order_run *runs, uint32_t run_count);

#endif
