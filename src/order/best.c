/* best.c - the best order: bisection of the cap between a simple lower bound
 * and the best order known, each cap decided by the search (search.c). An
 * exhausted search also says which load it met first above the cap: no order
 * has a peak below that. Where the proof is not found at once, demand-driven
 * orders with cuts are tried as well.
 *
 * The effort for a cap grows from round to round and does not depend on the
 * limit: with a higher limit the same is done, and then more. */
#include "base/checked.h"
#include "order/bound.h"
#include "order/coarse.h"
#include "order/demand.h"
#include "order/search.h"
#include "order/smooth.h"

#include <string.h>

enum {
  CAP_TICKS = 1 << 20,    /* for a cap in the first round; then twice that */
  COARSE_TICKS = 1 << 20, /* for the order of whole operators              */
  CUT_TICKS = 1 << 20,    /* for cuts in the first round; then twice that  */
  SMOOTH_TICKS = 1 << 20
};

/* Operators that are finished before anything after them starts, under way. */
typedef struct cuts {
  bool *is_cut;     /* by op                                     */
  uint64_t peak;    /* of the order with these cuts              */
  uint32_t next;    /* the operator to try                       */
  uint32_t in_vain; /* operators tried since the last that helps */
} cuts;

typedef struct best {
  ash_zone *zone;
  ash_order_options options;
  ash_order_sim sim;
  ash_order_search search;
  uint32_t *ops; /* the best order: by step, its op */
  cuts cuts;
  uint64_t peak, bound;
} best;

static bool is_on(const best *b, enum ash_order_technique technique) {
  return !(b->options.off & (uint32_t)technique);
}

/* Keeps the trail if it is better, with less load on the way, which may also
 * lower its peak. */
static bool keep(best *b, uint64_t peak) {
  ASH_ASSERT(b->sim.count == b->sim.steps && peak >= b->bound);
  if (peak >= b->peak)
    return false;
  memcpy(b->ops, b->sim.trail, b->sim.steps * sizeof *b->ops);
  if (is_on(b, ASH_ORDER_SMOOTH))
    ash_order_smooth(&b->sim, b->ops, peak, SMOOTH_TICKS);
  b->peak = ash_order_replay(&b->sim, b->ops);
  ASH_ASSERT(b->peak <= peak);
  return true;
}

/* ---- bisection ----------------------------------------------------------- */

static uint64_t ticks_left(const best *b) {
  return b->sim.ticks < b->options.ticks ? b->options.ticks - b->sim.ticks : 0;
}

/* The round says with how much effort. */
static ash_verdict decide(best *b, uint64_t cap, uint32_t round) {
  const uint64_t most = (uint64_t)CAP_TICKS << round;
  ASH_ASSERT(b->bound <= cap && cap < b->peak);
  const ash_verdict v =
      ash_order_under(&b->search, cap, ash_min_u64(most, ticks_left(b)));
  ASH_ASSERT(v != ASH_INFEASIBLE || b->search.next > cap);
  if (v == ASH_FEASIBLE)
    (void)keep(b, cap);
  else if (v == ASH_INFEASIBLE)
    b->bound = ash_min_u64(b->search.next, b->peak);
  return v;
}

/* Caps closer than this are not worth an effort, once the search gives up. */
static uint64_t grain(uint64_t bytes, uint32_t round) {
  return bytes >> (round < 2 ? 7 + round : 9);
}

/* A smaller peak, above the caps at which the search gives up; the lowest of
 * these. */
static uint64_t lower_peak(best *b, uint32_t round) {
  uint64_t lowest = UINT64_MAX, from = b->bound;
  while (ticks_left(b) &&
         from + (from > b->bound ? grain(b->peak, round) : 0) < b->peak) {
    const uint64_t cap = from + (b->peak - 1 - from) / 2;
    if (decide(b, cap, round) == ASH_UNKNOWN) {
      lowest = ash_min_u64(lowest, cap);
      from = cap + 1 + grain(b->peak, round);
    }
    from = ash_max_u64(from, b->bound);
  }
  return lowest;
}

/* A larger bound, below the caps at which the search gives up. */
static void raise_bound(best *b, uint64_t below, uint32_t round) {
  below = ash_min_u64(below, b->peak);
  while (b->bound + grain(b->bound, round) < below && ticks_left(b)) {
    const uint64_t cap = b->bound + (below - 1 - b->bound) / 2;
    if (decide(b, cap, round) != ASH_INFEASIBLE)
      below = ash_min_u64(cap, b->peak);
  }
}

/* ---- cuts ---------------------------------------------------------------- */

/* Tries the next operator as one more cut. Cuts are judged by the orders that
 * they make, before these are smoothed: a cut that helps is a step towards the
 * next one, also where the best order known is better than both. */
static void try_cut(best *b) {
  cuts *c = &b->cuts;
  const uint32_t op = c->next, count = b->sim.p->op_count - 1;
  ASH_ASSERT(op < count && c->in_vain < count);
  c->next = (op + 1) % count;
  c->in_vain++;
  if (c->is_cut[op])
    return;
  c->is_cut[op] = true;
  const uint64_t peak = ash_order_demand(&b->sim, c->is_cut);
  if (peak < c->peak) {
    c->peak = peak;
    c->in_vain = 0;
  } else {
    c->is_cut[op] = false;
  }
  (void)keep(b, peak);
}

/* Adds the first cut that helps, then the next, until none does; goes on where
 * the last round ended. */
static void add_cuts(best *b, uint32_t round) {
  const uint64_t most = b->sim.ticks + ((uint64_t)CUT_TICKS << round);
  while (b->cuts.in_vain + 1 < b->sim.p->op_count && b->sim.ticks < most &&
         ticks_left(b) && b->bound < b->peak)
    try_cut(b);
}

/* ---- the whole ----------------------------------------------------------- */

static bool begin(best *b, const ash_order_problem *p) {
  ash_zone *z = b->zone;
  b->cuts = (cuts){.peak = UINT64_MAX};
  b->cuts.is_cut = ASH_NEW_ARRAY(z, bool, (size_t)p->op_count + 1);
  if (!ash_order_sim_init(&b->sim, z, p) ||
      !ash_order_search_init(&b->search, &b->sim, z, &b->options))
    return false;
  b->ops = ASH_NEW_ARRAY(z, uint32_t, (size_t)b->sim.steps + 1);
  b->bound = ash_order_simple_bound(&b->sim);
  b->peak = UINT64_MAX;
  return !z->failed;
}

/* From both sides, with twice the effort for a cap in each round. */
static void search(best *b) {
  for (uint32_t round = 0; b->bound < b->peak && ticks_left(b); round++) {
    const uint64_t unknown = lower_peak(b, round);
    raise_bound(b, unknown, round);
    if (is_on(b, ASH_ORDER_DEMAND))
      add_cuts(b, round);
  }
}

/* The best order of whole operators is one to start from, if the limit does
 * not end its search. */
static void start_whole(best *b) {
  ash_order_problem coarse;
  best c = {.zone = b->zone, .options = b->options};
  (void)keep(b, ash_order_whole(&b->sim, NULL));
  if (!is_on(b, ASH_ORDER_DEMAND) || !ash_order_has_steps(b->sim.p))
    return;
  b->cuts.peak = ash_order_demand(&b->sim, NULL);
  (void)keep(b, b->cuts.peak);
  c.options.ticks = COARSE_TICKS;
  if (!ticks_left(b) || !ash_order_coarse(&coarse, b->zone, b->sim.p) ||
      !begin(&c, &coarse))
    return;
  (void)keep(&c, ash_order_whole(&c.sim, NULL));
  search(&c);
  b->sim.ticks += c.sim.ticks;
  if (ticks_left(b))
    (void)keep(b, ash_order_whole(&b->sim, c.ops));
}

static ash_status judge(ash_ctx *ctx, const ash_order_answer *a,
                        const ash_order_problem *p) {
  ash_order_load load;
  const char *why = ash_order_count(ctx, &load, p, a->runs, a->run_count);
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  ASH_INVARIANT(ctx, !why && load.peak == a->peak && a->bound <= a->peak);
  return ASH_OK;
}

static ash_status run(ash_ctx *ctx, ash_order_answer *out,
                      const ash_order_problem *p, best *b) {
  if (begin(b, p)) {
    start_whole(b);
    search(b);
  }
  ASH_TRY(ash_zone_check(ctx, b->zone));
  out->peak = b->peak;
  out->bound = b->bound;
  out->verdict = b->bound == b->peak ? ASH_OPTIMAL : ASH_FEASIBLE;
  out->ticks = b->sim.ticks;
  (void)ash_order_replay(&b->sim, b->ops);
  ASH_TRY(ash_order_runs(ctx, out, &b->sim));
  return judge(ctx, out, p);
}

ash_status ash_order_best(ash_ctx *ctx, ash_order_answer *out,
                          const ash_order_problem *p,
                          const ash_order_options *options) {
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  best b = {.zone = &ctx->scratch,
            .options = options ? *options : (ash_order_options){0}};
  *out = (ash_order_answer){0};
  if (!b.options.ticks)
    b.options.ticks = ASH_ORDER_TICKS;
  if (!b.options.bytes)
    b.options.bytes = ASH_ORDER_STATE_BYTES;
  const ash_status status = run(ctx, out, p, &b);
  ash_zone_rewind(&ctx->scratch, mark);
  return status;
}
