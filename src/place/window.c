/* window.c - critical window: what is alive where the load is near the bound
 * has no room for error, so it is placed first and well; everything else has
 * slack and fits around it. */
#include "place/repair.h"

static uint32_t list_critical(ash_repair *r, uint64_t permille) {
  const ash_solve *s = r->solve;
  const uint64_t least = s->bound.height / 1000 * permille;
  uint32_t count = 0;
  for (uint32_t i = 0; i < s->model.item_count; i++)
    if (s->model.items[i].piece_count && r->traits.peak[i] >= least)
      r->critical[count++] = i;
  return count;
}

static void place_around(ash_repair *r, const ash_skyline *k) {
  ash_solve *s = r->solve;
  ash_fit_clear(&r->fit);
  for (uint32_t j = 0; j < k->tile_count; j++)
    ash_fit_put(&r->fit, k->item[j], k->place[j] * k->unit);
  const uint64_t before = r->fit.steps;
  const uint64_t height =
      ash_fit_run(&r->fit, r->order, s->model.item_count, false, s->height);
  if (height != UINT64_MAX)
    ash_solve_offer(s, r->fit.bases, height);
  (void)ash_solve_spend(s, (r->fit.steps - before) / 64);
}

static const uint32_t SEARCH_TILES = 30000; /* the undo log grows with pairs */

static bool keep_on(void *user, uint64_t ticks) {
  return !ash_solve_spend(user, ticks);
}

/* When the dives have failed: the exact search, for a while. */
static void search_and_fill(ash_repair *r, ash_valley *v, int64_t target) {
  ash_solve *s = r->solve;
  if (v->sky->tile_count > SEARCH_TILES)
    return;
  v->use = (ash_valley_use){.support = true,
                            .memory = true,
                            .twins = true,
                            .split = true,
                            .learning = true,
                            .restarts = true};
  v->restart = 0;
  const uint64_t nodes = 10 * (uint64_t)v->sky->tile_count + 10000;
  if (ash_valley_search(v, target, nodes, keep_on, s) == ASH_SOLVED)
    place_around(r, v->sky);
}

static ash_status drop_and_fill(ash_repair *r, ash_zone *zone, uint32_t count) {
  ash_solve *s = r->solve;
  ash_skyline sky;
  ash_valley valley;
  ASH_TRY(ash_skyline_build(s->ctx, zone, &sky, &s->model, r->critical, count));
  const ash_valley_use use = {.twins = true};
  if (!ash_valley_init(&valley, &sky, zone, use, s->options.seed))
    return ash_nomem(s->ctx);
  const int64_t target = (int64_t)s->target / sky.unit;
  for (uint64_t taste = 0; taste < 3 && !ash_solve_done(s); taste++) {
    ash_valley_vary(&valley, taste);
    valley.taste.height = 0;
    const int64_t height = ash_valley_drop(&valley, target);
    if (ash_solve_spend(s, valley.ticks))
      break;
    valley.ticks = 0;
    if (height <= target)
      place_around(r, &sky);
  }
  if (!ash_solve_done(s))
    search_and_fill(r, &valley, target);
  return ash_zone_check(s->ctx, zone);
}

ash_status ash_window_run(ash_repair *r, uint64_t permille) {
  ash_solve *s = r->solve;
  ash_zone zone;
  const uint32_t count = list_critical(r, permille);
  if (count == 0 || !s->model.plain)
    return ASH_OK;
  ash_order_make(r->order, &r->traits, &s->model, ASH_ORDER_PEAK_SIZE);
  ash_zone_init(&zone, &s->ctx->mem);
  const ash_status status = drop_and_fill(r, &zone, count);
  ash_zone_drop(&zone);
  return status;
}
