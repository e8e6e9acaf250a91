/* repair.c - the order in which large instances are treated: cheap passes
 * first, each tried until the bound is met. */
#include "place/fit/repair.h"
#include "place/fit/heuristics.h"

static const uint32_t LARGE = 2000; /* below, the exact search is faster */

ash_status ash_place_repair_init(ash_place_repair *r, ash_place_solve *s) {
  ASH_ASSERT(s->bases != NULL);
  *r = (ash_place_repair){.solve = s};
  ASH_TRY(ash_place_fit_init(s->ctx, &r->fit, &s->reduced));
  r->fit.solve = s;
  ASH_TRY(ash_place_traits_build(s->ctx, &r->traits, &s->reduced, &s->bound));
  const size_t n = s->reduced.item_count;
  r->order = ASH_NEW_ARRAY(&s->ctx->scratch, uint32_t, n);
  r->critical = ASH_NEW_ARRAY(&s->ctx->scratch, uint32_t, n);
  return ash_zone_check(s->ctx, &s->ctx->scratch);
}

static const uint64_t MEND_TICKS = 40; /* an item, at first */

static ash_status run(ash_place_solve *s) {
  static const uint64_t windows[] = {999, 970, 900, 800};
  ash_place_repair r;
  ASH_TRY(ash_place_repair_init(&r, s));
  r.mend_ticks = MEND_TICKS * s->reduced.item_count;
  ash_place_lns_run(&r);
  if (!r.fit.dense)
    ASH_TRY(ash_place_window_run(&r, windows[0]));
  ash_place_squeaky_run(&r, ASH_PLACE_BY_PEAK_SIZE, 3);
  for (size_t i = 0; i < ASH_COUNT_OF(windows) && !ash_place_solve_done(s); i++)
    ASH_TRY(ash_place_window_run(&r, windows[i]));
  if (!ash_place_solve_done(s) && !(s->options.off & ASH_OFF_RACE))
    ASH_TRY(ash_place_race_rest(s));
  for (int i = 0; i < 4 && !ash_place_solve_done(s); i++)
    ash_place_lns_run(&r);
  ash_place_squeaky_run(&r, ASH_PLACE_BY_SIZE, 8);
  return ASH_OK;
}

ash_status ash_place_repair_run(ash_place_solve *s) {
  ASH_ASSERT(!s->reduced.impossible && s->bound.height <= s->limit);
  if (s->reduced.item_count < LARGE)
    return ASH_OK;
  const ash_mark mark = ash_zone_mark(&s->ctx->scratch);
  const ash_status status = run(s);
  ash_zone_rewind(&s->ctx->scratch, mark);
  return status;
}
