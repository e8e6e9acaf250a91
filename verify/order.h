/* order.h - the ordering problem of a plan: operators that run in steps, which
 * read and write rows of tensors. Written from docs/certificates.md alone. */
#ifndef VERIFY_ORDER_H
#define VERIFY_ORDER_H

#include "verify.h"

#define NONE UINT32_MAX

typedef struct row {
  int64_t bytes, left;   /* left: reads to come, 1 more if it is kept         */
  int64_t is_made, last; /* last: the step of the plan at which it dies     */
  uint32_t tensor, op;   /* op: the one that writes it, or NONE              */
  bool is_needed;        /* something reads it, or it is kept           */
} row;

typedef struct tensor {
  const json *in_plan;
  int64_t first, rows, next; /* next: the first that nothing writes yet     */
  bool is_variable;
} tensor;

typedef struct use { /* rows [from, to) of all */
  int64_t from, to;
} use;

typedef struct op {
  int64_t place; /* in the plan; -1 - K: rows of input K arrive              */
  int64_t steps, work, in_place;
  uint32_t reads, uses; /* of a step: reads, then writes                    */
  uint32_t *tensors;    /* by use                                           */
  use *use;             /* by step and use                                  */
} op;

typedef struct order {
  verify *v;
  const json *plan;
  const json **plan_tensors, **plan_ops;
  size_t plan_tensor_count, plan_op_count;
  tensor *tensors;
  row *rows;
  op *ops;
  size_t tensor_count, row_count, op_count, row_capacity;
  int64_t kept, start; /* bytes at the end and at the start                 */
  int64_t *done;       /* by operator: steps that have run                  */
  int64_t load;
  trail log;
  bool with_work;
} order;

static inline const use *uses_of(const op *x, int64_t step) {
  return x->use + (size_t)step * x->uses;
}
/* Runs the next step of an operator; its load. */
int64_t run_step(order *o, size_t i);
/* No order stays below the bound: reads the evidence. */
void check_order_bound(order *o, int64_t bound);

#endif
