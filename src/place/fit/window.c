/* window.c - critical window: what is alive where the load is near the bound
 * has no room for error, so it is placed first and well; everything else has
 * slack and fits around it. */
#include "place/fit/repair.h"

static uint32_t list_critical(ash_repair *r, uint64_t permille) {
  const ash_solve *s = r->solve;
  const uint64_t least = s->bound.height / 1000 * permille;
  uint32_t count = 0;
  for (uint32_t i = 0; i < s->model.item_count; i++)
    if (s->model.items[i].piece_count && r->traits.peak[i] >= least)
      r->critical[count++] = i;
  return count;
}

/* Sections that the tiles cover: a count of them before each section. */
static uint32_t *count_covered(ash_repair *r, const ash_skyline *k) {
  const ash_model *m = &r->solve->model;
  uint32_t *covered = ASH_NEW_ARRAY(&r->solve->ctx->scratch, uint32_t,
                                    (size_t)m->section_count + 2);
  if (!covered)
    return NULL;
  for (uint32_t j = 0; j < k->tile_count; j++) {
    const ash_piece *p = &m->pieces[m->items[k->item[j]].piece];
    covered[p->first + 1]++;
    covered[p->last + 1]--;
  }
  uint32_t open = 0, before = 0;
  for (uint32_t s = 0; s <= m->section_count; s++) {
    open += covered[s + 1];
    covered[s] = before;
    before += open > 0;
  }
  return covered;
}

/* Items that live elsewhere stay where the best placement has them. */
static void keep_others(ash_repair *r, const ash_skyline *k) {
  const ash_solve *s = r->solve;
  const ash_mark mark = ash_zone_mark(&s->ctx->scratch);
  const uint32_t *covered = count_covered(r, k);
  for (uint32_t i = 0; covered && i < s->model.item_count; i++) {
    const ash_item *x = &s->model.items[i];
    if (x->piece_count == 0 || r->fit.bases[i] != INT64_MIN)
      continue;
    const ash_piece *p = &s->model.pieces[x->piece];
    if (covered[p->first] == covered[p->last])
      ash_fit_put(&r->fit, i, s->bases[i]);
  }
  ash_zone_rewind(&r->solve->ctx->scratch, mark);
}

/* Of a sparse instance only the neighbours of the tiles are placed anew, and
 * what is too high then is mended. */
static void place_around(ash_repair *r, const ash_skyline *k) {
  ash_solve *s = r->solve;
  const bool sparse = !r->fit.dense && s->height != UINT64_MAX;
  ash_fit_clear(&r->fit);
  for (uint32_t j = 0; j < k->tile_count; j++)
    ash_fit_put(&r->fit, k->item[j], k->place[j] * k->unit);
  if (sparse)
    keep_others(r, k);
  const uint64_t before = r->fit.steps;
  const uint64_t height = ash_fit_run(&r->fit, r->order, s->model.item_count,
                                      false, sparse ? UINT64_MAX : s->height);
  if (height != UINT64_MAX) {
    ash_solve_offer(s, r->fit.bases, height);
    ash_lns_mend(r);
  }
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
