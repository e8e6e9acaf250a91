/* race.c - first fit in one order after the other until the bound is met; the
 * best becomes the incumbent. Orders that did best on the instances of others
 * come first. */
#include "place/fit/fit.h"
#include "place/fit/heuristics.h"
#include "place/fit/orders.h"

static const struct {
  ash_place_order kind;
  bool best;
} runs[] = {
    {ASH_PLACE_BY_PEAK_SIZE, false},      {ASH_PLACE_BY_SIZE, false},
    {ASH_PLACE_BY_CONFLICTS_SIZE, false}, {ASH_PLACE_BY_AREA, false},
    {ASH_PLACE_BY_PEAK_AREA, false},      {ASH_PLACE_BY_LIFE, false},
    {ASH_PLACE_BY_CONFLICTS, true},       {ASH_PLACE_BY_START, false},
};

/* Then each order takes its time. */
static const uint32_t LARGE = 2000, HUGE_COUNT = 200000;

static ash_status run_orders(ash_place_solve *s) {
  ash_place_fit fit;
  ash_place_traits traits;
  ASH_TRY(ash_place_fit_init(s->ctx, &fit, &s->reduced));
  ASH_TRY(ash_place_traits_build(s->ctx, &traits, &s->reduced, &s->bound));
  uint32_t *order =
      ASH_NEW_ARRAY(&s->ctx->scratch, uint32_t, s->reduced.item_count);
  ASH_TRY(ash_zone_check(s->ctx, &s->ctx->scratch));
  const uint32_t items = s->reduced.item_count;
  const size_t count = items < LARGE        ? ASH_COUNT_OF(runs)
                       : items < HUGE_COUNT ? 2
                                            : 1;
  for (size_t i = 0; i < count && !ash_place_solve_done(s); i++) {
    const uint64_t before = fit.steps;
    ash_place_order_make(order, &traits, &s->reduced, runs[i].kind);
    ash_place_fit_clear(&fit);
    const uint64_t height = ash_place_fit_run(
        &fit, order, s->reduced.item_count, runs[i].best, s->height);
    ASH_ASSERT(height >= s->bound.height);
    if (height != UINT64_MAX)
      ash_place_solve_offer(s, fit.bases, height);
    if (ash_place_solve_spend(s, (fit.steps - before) / 64))
      break;
  }
  return ASH_OK;
}

ash_status ash_place_race_run(ash_place_solve *s) {
  ASH_ASSERT(!s->reduced.impossible);
  const ash_mark mark = ash_zone_mark(&s->ctx->scratch);
  const ash_status status = run_orders(s);
  ash_zone_rewind(&s->ctx->scratch, mark);
  return status;
}
