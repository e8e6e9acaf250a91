/* window.c - critical window: what is alive where the load is near the bound
 * has no room for error, so it is placed first and well; everything else has
 * slack and fits around it. */
#include "place/fit/repair.h"

static uint32_t list_critical(ash_place_repair *r, uint64_t permille) {
  ASH_ASSERT(permille <= 1000);
  const ash_place_solve *s = r->solve;
  const uint64_t least = s->bound.height / 1000 * permille;
  uint32_t count = 0;
  for (uint32_t i = 0; i < s->reduced.item_count; i++)
    if (s->reduced.items[i].rect_count && r->traits.peak[i] >= least)
      r->critical[count++] = i;
  return count;
}

/* Moments that the blocks cover: a count of them before each moment. */
static uint32_t *count_covered(ash_place_repair *r,
                               const ash_place_skyline *k) {
  const ash_place_reduced *in = &r->solve->reduced;
  uint32_t *covered = ASH_NEW_ARRAY(&r->solve->ctx->scratch, uint32_t,
                                    (size_t)in->moment_count + 2);
  if (!covered)
    return NULL;
  for (uint32_t j = 0; j < k->block_count; j++) {
    const ash_place_rect *p = &in->rects[in->items[k->item[j]].rect];
    covered[p->first + 1]++;
    covered[p->last + 1]--;
  }
  uint32_t open = 0, before = 0;
  for (uint32_t s = 0; s <= in->moment_count; s++) {
    open += covered[s + 1];
    ASH_ASSERT(open <= k->block_count);
    covered[s] = before;
    before += open > 0;
  }
  return covered;
}

/* Items that live elsewhere stay where the best placement has them. */
static void keep_others(ash_place_repair *r, const ash_place_skyline *k) {
  const ash_place_solve *s = r->solve;
  const ash_mark mark = ash_zone_mark(&s->ctx->scratch);
  const uint32_t *covered = count_covered(r, k);
  for (uint32_t i = 0; covered && i < s->reduced.item_count; i++) {
    const ash_place_item *x = &s->reduced.items[i];
    if (x->rect_count == 0 || r->fit.bases[i] != INT64_MIN)
      continue;
    const ash_place_rect *p = &s->reduced.rects[x->rect];
    if (covered[p->first] == covered[p->last])
      ash_place_fit_put(&r->fit, i, s->bases[i]);
  }
  ash_zone_rewind(&r->solve->ctx->scratch, mark);
}

/* Of a sparse instance only the neighbours of the blocks are placed anew, and
 * what is too high then is mended. */
static void place_around(ash_place_repair *r, const ash_place_skyline *k) {
  ash_place_solve *s = r->solve;
  const bool sparse = !r->fit.dense && s->height != UINT64_MAX;
  ash_place_fit_clear(&r->fit);
  for (uint32_t j = 0; j < k->block_count; j++) {
    ASH_ASSERT((k->place[j] + k->blocks[j].size) * k->unit <=
               (int64_t)s->target);
    ash_place_fit_put(&r->fit, k->item[j], k->place[j] * k->unit);
  }
  if (sparse)
    keep_others(r, k);
  const uint64_t height =
      ash_place_fit_run(&r->fit, r->order, s->reduced.item_count, false,
                        sparse ? UINT64_MAX : s->height);
  if (height != UINT64_MAX) {
    ash_place_solve_offer(s, r->fit.bases, height);
    ash_place_lns_mend(r);
  }
  (void)ash_place_fit_pay(&r->fit);
}

static const uint32_t SEARCH_BLOCKS = 30000; /* the undo log grows with pairs */

static bool keep_on(void *user, uint64_t ticks) {
  return !ash_place_solve_spend(user, ticks);
}

/* When the dives have failed: the exact search, for a while. */
static void search_and_fill(ash_place_repair *r, ash_place_valley *v,
                            int64_t target) {
  ASH_ASSERT(target >= v->sky->bound);
  ash_place_solve *s = r->solve;
  if (v->sky->block_count > SEARCH_BLOCKS)
    return;
  v->use = (ash_place_valley_use){.support = true,
                                  .memory = true,
                                  .twins = true,
                                  .split = true,
                                  .learning = true,
                                  .restarts = true};
  v->restart = 0;
  const uint64_t nodes = 10 * (uint64_t)v->sky->block_count + 10000;
  if (ash_place_valley_search(v, target, nodes, keep_on, s) == ASH_PLACE_SOLVED)
    place_around(r, v->sky);
}

static ash_status drop_and_fill(ash_place_repair *r, ash_zone *zone,
                                uint32_t count) {
  ASH_ASSERT(count > 0 && r->solve->reduced.plain);
  ash_place_solve *s = r->solve;
  ash_place_skyline sky;
  ash_place_valley valley;
  ASH_TRY(ash_place_skyline_build(s->ctx, zone, &sky, &s->reduced, r->critical,
                                  count));
  const ash_place_valley_use use = {.twins = true};
  if (!ash_place_valley_init(&valley, &sky, zone, use, s->options.seed))
    return ash_nomem(s->ctx);
  const int64_t target = (int64_t)s->target / sky.unit;
  for (uint64_t taste = 0; taste < 3 && !ash_place_solve_done(s); taste++) {
    ash_place_valley_vary(&valley, taste);
    valley.taste.height = 0;
    const int64_t height = ash_place_valley_drop(&valley, target);
    if (ash_place_solve_spend(s, valley.ticks))
      break;
    valley.ticks = 0;
    if (height <= target)
      place_around(r, &sky);
  }
  if (!ash_place_solve_done(s))
    search_and_fill(r, &valley, target);
  return ash_zone_check(s->ctx, zone);
}

ash_status ash_place_window_run(ash_place_repair *r, uint64_t permille) {
  ash_place_solve *s = r->solve;
  ash_zone zone;
  const uint32_t count = list_critical(r, permille);
  if (count == 0 || !s->reduced.plain)
    return ASH_OK;
  ash_place_order_make(r->order, &r->traits, &s->reduced,
                       ASH_PLACE_BY_PEAK_SIZE);
  ash_zone_init(&zone, &s->ctx->mem);
  const ash_status status = drop_and_fill(r, &zone, count);
  ash_zone_drop(&zone);
  return status;
}
