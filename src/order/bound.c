/* bound.c - see bound.h. */
#include "order/bound.h"

#include "base/checked.h"

static uint64_t bytes_of(const ash_order_problem *p, const ash_order_access *a,
                         uint32_t step) {
  return (a->rows[step].to - a->rows[step].from) *
         p->tensors[a->tensor].row_bytes;
}

static bool is_repeated(const ash_order_op *o, uint32_t read) {
  for (uint32_t k = 0; k < read; k++)
    if (o->reads[k].tensor == o->reads[read].tensor)
      return true;
  return false;
}

/* What a step reads exists with what it writes. */
static uint64_t step_bound(const ash_order_problem *p, const ash_order_op *o,
                           uint32_t step) {
  uint64_t bytes = o->work;
  for (uint32_t k = 0; k < o->read_count; k++)
    if (!is_repeated(o, k))
      bytes += bytes_of(p, &o->reads[k], step);
  for (uint32_t k = 0; !o->in_place && k < o->write_count; k++)
    bytes += bytes_of(p, &o->writes[k], step);
  return bytes;
}

uint64_t ash_order_simple_bound(const ash_order_sim *sim) {
  const ash_order_problem *p = sim->p;
  uint64_t bound = sim->start, kept = 0;
  for (uint32_t t = 0; t < p->tensor_count; t++)
    kept += p->tensors[t].is_kept ? p->tensors[t].rows * p->tensors[t].row_bytes
                                  : 0;
  bound = ash_max_u64(bound, kept);
  for (uint32_t op = 0; op < p->op_count; op++)
    for (uint32_t step = 0; step < p->ops[op].steps; step++)
      bound = ash_max_u64(bound, step_bound(p, &p->ops[op], step));
  return bound;
}
