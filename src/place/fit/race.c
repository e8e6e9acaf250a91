/* race.c - first fit in one order after the other until the bound is met; the
 * best becomes the incumbent. Orders that did best on the instances of others
 * come first. */
#include "place/fit/fit.h"
#include "place/fit/heuristics.h"
#include "place/fit/orders.h"

typedef enum method { FIRST, BEST, NEXT } method;

enum { RING = 3 }; /* its place in the table */

static const struct {
  ash_place_order kind;
  method method;
} runs[] = {
    {ASH_PLACE_BY_PEAK_SIZE, FIRST},
    {ASH_PLACE_BY_SIZE, FIRST},
    {ASH_PLACE_BY_CONFLICTS_SIZE, FIRST},
    {ASH_PLACE_BY_START, NEXT},
    {ASH_PLACE_BY_AREA, FIRST},
    {ASH_PLACE_BY_PEAK_AREA, FIRST},
    {ASH_PLACE_BY_LIFE, FIRST},
    {ASH_PLACE_BY_CONFLICTS, BEST},
    {ASH_PLACE_BY_START, FIRST},
    {ASH_PLACE_BY_CONFLICTS, FIRST},
    {ASH_PLACE_BY_SIZE, BEST},
    {ASH_PLACE_BY_LIFE, BEST},
    {ASH_PLACE_BY_START, BEST},
    {ASH_PLACE_BY_INPUT, FIRST},
};

/* Then each order takes its time, and only the first few come before what is
 * likelier to reach the bound. */
static size_t early_runs(uint32_t items) {
  static const struct {
    uint32_t below;
    size_t runs;
  } table[] = {{5000, ASH_COUNT_OF(runs)}, {20000, 3}, {200000, 2}};
  for (size_t i = 0; i < ASH_COUNT_OF(table); i++)
    if (items < table[i].below)
      return table[i].runs;
  return 1;
}

/* A ring is for queues: many buffers, few of them alive at a time. */
static bool may_be_queue(const ash_place_solve *s, const ash_place_fit *fit) {
  return s->reduced.plain && !fit->dense;
}

static void run_order(ash_place_solve *s, ash_place_fit *fit,
                      const uint32_t *order, method how) {
  if (how == NEXT) {
    ash_place_ring_run(s, fit, order);
    return;
  }
  ash_place_fit_clear(fit);
  const uint64_t height = ash_place_fit_run(fit, order, s->reduced.item_count,
                                            how == BEST, s->height);
  ASH_ASSERT(height >= s->bound.height);
  if (height != UINT64_MAX)
    ash_place_solve_offer(s, fit->bases, height);
}

static ash_status run_orders(ash_place_solve *s, size_t from, size_t to) {
  ash_place_fit fit;
  ash_place_traits traits;
  ASH_ASSERT(from <= to && to <= ASH_COUNT_OF(runs));
  ASH_TRY(ash_place_fit_init(s->ctx, &fit, &s->reduced));
  fit.solve = s;
  ASH_TRY(ash_place_traits_build(s->ctx, &traits, &s->reduced, &s->bound));
  uint32_t *order =
      ASH_NEW_ARRAY(&s->ctx->scratch, uint32_t, s->reduced.item_count);
  ASH_TRY(ash_zone_check(s->ctx, &s->ctx->scratch));
  for (size_t i = from; i < to && !ash_place_solve_done(s); i++) {
    ash_place_order_make(order, &traits, &s->reduced, runs[i].kind);
    run_order(s, &fit, order, runs[i].method);
    if (ash_place_fit_pay(&fit))
      break;
  }
  if (from == 0 && to <= RING && may_be_queue(s, &fit) &&
      !ash_place_solve_done(s)) {
    ash_place_order_make(order, &traits, &s->reduced, ASH_PLACE_BY_START);
    ash_place_ring_run(s, &fit, order);
  }
  return ASH_OK;
}

ash_status ash_place_race_run(ash_place_solve *s) {
  ASH_ASSERT(!s->reduced.impossible);
  const ash_mark mark = ash_zone_mark(&s->ctx->scratch);
  const ash_status status = run_orders(s, 0, early_runs(s->reduced.item_count));
  ash_zone_rewind(&s->ctx->scratch, mark);
  return status;
}

ash_status ash_place_race_rest(ash_place_solve *s) {
  ASH_ASSERT(!s->reduced.impossible);
  const size_t done = early_runs(s->reduced.item_count);
  if (done == ASH_COUNT_OF(runs))
    return ASH_OK;
  const ash_mark mark = ash_zone_mark(&s->ctx->scratch);
  const ash_status status = run_orders(s, done, ASH_COUNT_OF(runs));
  ash_zone_rewind(&s->ctx->scratch, mark);
  return status;
}
