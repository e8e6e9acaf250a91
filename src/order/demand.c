/* demand.c - demand-driven orders: a step runs when another one needs what it
 * writes, recursively from the last operator (line buffering). An operator that
 * is a cut is finished before anything after it starts, which is better where
 * a tensor is smaller than the lines that wait on its way. */
#include "order/demand.h"

#include "base/checked.h"

/* Runs the steps of `op` up to `steps` and all that they need. Operators that
 * wait for each other are a stack, `op` at the bottom: each waits for an
 * earlier one, so it has room for all, and what the last one does is of use to
 * the one below it alone. */
static uint64_t run_until(ash_order_sim *s, uint32_t op, uint32_t steps) {
  uint64_t peak = 0, looks = 0;
  uint32_t count = 1;
  s->stack[0] = op;
  while (s->done[op] < steps) {
    const uint32_t at = s->stack[count - 1];
    const uint32_t next = ash_order_waits_for(s, at);
    looks++;
    if (next != at) {
      ASH_ASSERT(next < at && count < s->p->op_count);
      s->stack[count++] = next;
      continue;
    }
    peak = ash_max_u64(peak, ash_order_step(s, at));
    count -= count > 1;
  }
  s->ticks += looks / 8; /* looking costs, too */
  return peak;
}

uint64_t ash_order_demand(ash_order_sim *s, const bool *is_cut) {
  const ash_order_op *ops = s->p->ops;
  const uint32_t count = s->p->op_count;
  ash_order_back(s, 0);
  uint64_t peak = s->start;
  for (uint32_t op = 0; is_cut && op < count; op++)
    if (is_cut[op])
      peak = ash_max_u64(peak, run_until(s, op, ops[op].steps));
  if (count)
    peak = ash_max_u64(peak, run_until(s, count - 1, ops[count - 1].steps));
  for (uint32_t op = 0; op < count; op++)
    peak = ash_max_u64(peak, run_until(s, op, ops[op].steps));
  return peak;
}

uint64_t ash_order_whole(ash_order_sim *s, const uint32_t *ops) {
  ash_order_back(s, 0);
  uint64_t peak = s->start;
  for (uint32_t i = 0; i < s->p->op_count; i++) {
    const uint32_t op = ops ? ops[i] : i;
    peak = ash_max_u64(peak, run_until(s, op, s->p->ops[op].steps));
  }
  return peak;
}

uint64_t ash_order_replay(ash_order_sim *s, const uint32_t *ops) {
  ash_order_back(s, 0);
  uint64_t peak = s->start;
  for (uint32_t i = 0; i < s->steps; i++)
    peak = ash_max_u64(peak, ash_order_step(s, ops[i]));
  return peak;
}
