/* join.c - see join.h. Each switch to another operator costs a call and an
 * entry of a table, and most loads on the way are far below the peak. So the
 * next step of an operator is brought forward to the end of its run, with the
 * fed rows that it needs, where no load on the way exceeds the caps: the steps
 * that it passes load more, and behind its old place nothing changes.
 *
 * Before, steps that leave more bytes than they found are put off until they
 * are needed: what waits for nobody leaves room.
 *
 * Runs grow in rounds, each to a length that all operators may reach before the
 * next one starts: what is left below the peak is shared by all. */
#include "order/join.h"

#include "order/demand.h"
#include "order/sim.h"

#include <string.h>

enum { TICKS = 1 << 22 };

typedef struct joiner {
  ash_order_sim sim;
  const ash_order_caps *caps;
  uint32_t *ops;    /* the order: by step, its op                             */
  uint32_t *passed; /* steps between two places of a step                     */
  uint32_t *moved;  /* fed rows that come forward with it                     */
} joiner;

/* Runs the next step of the op; is its load within the caps, less `free`? */
static bool step(joiner *j, uint32_t op, uint64_t free) {
  const uint64_t load = ash_order_step(&j->sim, op);
  const uint64_t work = j->sim.p->ops[op].work;
  ASH_ASSERT(load >= work);
  return load + free <= j->caps->all && load - work + free <= j->caps->rows;
}

/* Takes the first step of the op out of those that are passed. */
static bool take_out(joiner *j, uint32_t *count, uint32_t op) {
  for (uint32_t i = 0; i < *count; i++)
    if (j->passed[i] == op) {
      memmove(j->passed + i, j->passed + i + 1,
              (*count - i - 1) * sizeof *j->passed);
      --*count;
      return true;
    }
  return false;
}

/* Runs the next step of `op` and the fed rows that it waits for, which are
 * taken out of the `count` steps that are passed. False: it waits for others.
 */
static bool run_fed(joiner *j, uint32_t op, uint32_t *count) {
  uint32_t next;
  do {
    next = ash_order_waits_for(&j->sim, op);
    if (next != op &&
        (j->sim.p->ops[next].read_count > 0 || !take_out(j, count, next)))
      return false;
    (void)ash_order_step(&j->sim, next);
  } while (next != op);
  return true;
}

/* The run at `start` goes on with the step of the same op at `to`: fed rows,
 * which it waits for, the run, the step, and what is passed. */
static bool bring(joiner *j, uint32_t start, uint32_t to) {
  ash_order_sim *s = &j->sim;
  const uint32_t from = s->count, op = j->ops[to];
  uint32_t count = to - from;
  ASH_ASSERT(start < from && from < to && j->ops[start] == op);
  memcpy(j->passed, j->ops + from, count * sizeof *j->passed);
  bool fits = run_fed(j, op, &count);
  const uint32_t fed = to - from - count;
  if (fits) {
    memcpy(j->moved, s->trail + from, fed * sizeof *j->moved);
    ash_order_back(s, start);
    for (uint32_t i = 0; fits && i < fed; i++)
      fits = step(j, j->moved[i], j->caps->free);
    for (uint32_t i = start; fits && i <= from; i++)
      fits = step(j, op, j->caps->free);
    for (uint32_t i = 0; fits && i < count; i++)
      fits = step(j, j->passed[i], j->caps->free);
  }
  if (fits)
    memcpy(j->ops + start, s->trail + start, (to + 1 - start) * sizeof *j->ops);
  ash_order_back(s, start < s->count ? start : s->count);
  while (s->count < (fits ? from + fed + 1 : from))
    (void)ash_order_step(s, j->ops[s->count]);
  return fits;
}

/* Lets the run that ends here grow to `most` steps. */
static void grow(joiner *j, uint32_t start, uint32_t most) {
  const uint32_t op = j->ops[start];
  while (j->sim.count - start < most &&
         j->sim.done[op] < j->sim.p->ops[op].steps &&
         j->ops[j->sim.count] != op) {
    uint32_t to = j->sim.count;
    const uint32_t run = to - start;
    while (j->ops[to] != op)
      to++;
    if (!bring(j, start, to))
      return;
    start = j->sim.count - run - 1;
  }
}

static void sweep(joiner *j, uint32_t most) {
  ash_order_back(&j->sim, 0);
  while (j->sim.count < j->sim.steps && j->sim.ticks < TICKS) {
    uint32_t start = j->sim.count;
    const uint32_t op = j->ops[start];
    (void)ash_order_step(&j->sim, op);
    while (start > 0 && j->ops[start - 1] == op)
      start--;
    if (j->sim.p->ops[op].read_count > 0)
      grow(j, start, most);
  }
}

/* ---- room ---------------------------------------------------------------- */

/* How far step `at`, which comes next, can wait: up to the first step that
 * needs it, or whose load without it exceeds the caps. */
static uint32_t can_wait(joiner *j, uint32_t at) {
  ash_order_sim *s = &j->sim;
  const uint32_t op = j->ops[at];
  uint32_t to = at + 1;
  while (to < s->steps && j->ops[to] != op &&
         ash_order_waits_for(s, j->ops[to]) == j->ops[to] &&
         step(j, j->ops[to], 0))
    to++;
  ash_order_back(s, to - 1);
  const bool fits = step(j, op, 0);
  ash_order_back(s, at);
  return fits ? to : at + 1;
}

/* Steps that leave more bytes than they found run as late as they can: what
 * they write waits for no reader, and runs have room to grow. From the last one
 * on, so that a step finds those after it where they will be. */
static void postpone(joiner *j) {
  ash_order_sim *s = &j->sim;
  for (uint32_t at = s->count; at-- > 0 && s->ticks < TICKS;) {
    const uint32_t op = j->ops[at];
    const uint64_t after = s->load;
    ash_order_back(s, at);
    if (after <= s->load)
      continue;
    const uint32_t to = can_wait(j, at);
    memmove(j->ops + at, j->ops + at + 1, (to - at - 1) * sizeof *j->ops);
    j->ops[to - 1] = op;
  }
}

static bool begin(joiner *j, ash_zone *z, const ash_order_answer *order,
                  const ash_order_problem *p) {
  uint32_t count = 0;
  if (!ash_order_sim_init(&j->sim, z, p))
    return false;
  j->ops = ASH_NEW_ARRAY(z, uint32_t, (size_t)j->sim.steps + 1);
  j->passed = ASH_NEW_ARRAY(z, uint32_t, (size_t)j->sim.steps + 1);
  j->moved = ASH_NEW_ARRAY(z, uint32_t, (size_t)j->sim.steps + 1);
  for (uint32_t i = 0; !z->failed && i < order->run_count; i++)
    for (uint32_t k = 0; k < order->runs[i].count; k++)
      j->ops[count++] = order->runs[i].op;
  ASH_ASSERT(z->failed || count == j->sim.steps);
  return !z->failed;
}

static ash_status join(ash_ctx *ctx, ash_order_answer *order, joiner *j,
                       uint32_t most) {
  (void)ash_order_replay(&j->sim, j->ops);
  postpone(j);
  for (uint32_t length = 2; length <= most; length++)
    sweep(j, length);
  order->ticks += j->sim.ticks;
  order->peak = ash_order_replay(&j->sim, j->ops);
  return ash_order_runs(ctx, order, &j->sim);
}

ash_status ash_order_join(ash_ctx *ctx, ash_order_answer *order,
                          const ash_order_problem *p,
                          const ash_order_caps *caps, uint32_t most) {
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  joiner j = {.caps = caps};
  ash_status status = begin(&j, &ctx->scratch, order, p)
                          ? join(ctx, order, &j, most)
                          : ash_zone_check(ctx, &ctx->scratch);
  ash_zone_rewind(&ctx->scratch, mark);
  return status;
}
