/* refute_plain.c - a plain component does not fit below the bound: valley
 * branching at the largest height in question, with a log. Heights that are no
 * sum of sizes need no search (subset_sum.c). */
#include "base/checked.h"
#include "place/exact/exact.h"
#include "place/exact/valley.h"
#include "place/proof/proof.h"

/* The buffer of a plain item: it has one rect. */
static uint32_t buffer_of(const ash_place_reduced *in, uint32_t item) {
  ASH_ASSERT(in->items[item].rect_count == 1);
  return in->rects[in->items[item].rect].buffer;
}

/* Moments are named by the latest start of their blocks, which no other moment
 * has: each is a maximal clique. */
static bool name_moments(ash_place_proof *p, ash_zone *zone,
                         const ash_place_skyline *k) {
  const ash_place_reduced *in = &p->solve.reduced;
  uint32_t *buffer = ASH_NEW_ARRAY(zone, uint32_t, k->block_count);
  int64_t *time = ASH_NEW_ARRAY(zone, int64_t, k->moment_count);
  if (zone->failed)
    return false;
  for (uint32_t s = 0; s < k->moment_count; s++)
    time[s] = INT64_MIN;
  for (uint32_t j = 0; j < k->block_count; j++) {
    buffer[j] = buffer_of(in, k->item[j]);
    const int64_t start = in->problem->buffers[buffer[j]].lower;
    for (uint32_t s = k->blocks[j].first; s < k->blocks[j].last; s++)
      time[s] = start > time[s] ? start : time[s];
  }
  return ash_place_log_begin(&p->log, zone, buffer, time);
}

static ash_status round_up(ash_place_proof *p, const ash_place_skyline *k,
                           uint64_t *height) {
  ash_ctx *ctx = p->solve.ctx;
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  uint64_t *sizes = ASH_NEW_ARRAY(&ctx->scratch, uint64_t, k->block_count);
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  for (uint32_t j = 0; j < k->block_count; j++)
    sizes[j] = (uint64_t)k->blocks[j].size;
  ASH_TRY(ash_place_subset_sum_round(ctx, height, sizes, k->block_count));
  ash_zone_rewind(&ctx->scratch, mark);
  return ASH_OK;
}

/* The largest height below the bound that a placement can have, in units: the
 * last that is not rounded up to the bound or beyond. */
static ash_status find_capacity(ash_place_proof *p, const ash_place_skyline *k,
                                int64_t *capacity) {
  uint64_t most = (p->bound - 1) / (uint64_t)k->unit, least = 0;
  while (!k->aligned && least < most) {
    const uint64_t middle = least + (most - least + 1) / 2;
    uint64_t height = middle;
    ASH_TRY(round_up(p, k, &height));
    if (height * (uint64_t)k->unit < p->bound)
      least = middle;
    else
      most = middle - 1;
  }
  *capacity = (int64_t)most;
  return ASH_OK;
}

static bool keep_on(void *user, uint64_t ticks) {
  ash_place_proof *p = user;
  return !ash_place_solve_spend(&p->solve, ticks) && !p->log.failed;
}

static ash_status search(ash_place_proof *p, ash_zone *zone,
                         ash_place_skyline *k, int64_t capacity,
                         bool *refuted) {
  const ash_place_valley_use use = {.support = true,
                                    .memory = true,
                                    .twins = true,
                                    .split = true,
                                    .learning = true,
                                    .restarts = true,
                                    .guide = true};
  ash_place_valley valley;
  if (!ash_place_valley_init(&valley, k, zone, use, p->solve.options.seed))
    return ash_nomem(p->solve.ctx);
  valley.log = &p->log;
  *refuted = ash_place_valley_search(&valley, capacity, UINT64_MAX, keep_on,
                                     p) == ASH_PLACE_REFUTED;
  return ash_zone_check(p->solve.ctx, zone);
}

static ash_status refute(ash_place_proof *p, ash_zone *zone,
                         const uint32_t *items, uint32_t count, bool *refuted) {
  ash_place_skyline sky;
  int64_t capacity;
  ASH_TRY(ash_place_skyline_build(p->solve.ctx, zone, &sky, &p->solve.reduced,
                                  items, count));
  ASH_TRY(find_capacity(p, &sky, &capacity));
  if (!name_moments(p, zone, &sky))
    return ash_nomem(p->solve.ctx);
  ash_place_log_put(&p->log, "refute plain\n");
  ash_place_proof_blocks(p, items, count);
  ash_place_log_put(&p->log, "capacity %lld\n",
                    (long long)capacity * (long long)sky.unit);
  if (sky.bound > capacity)
    *refuted = true; /* the load of a moment is enough */
  else
    ASH_TRY(search(p, zone, &sky, capacity, refuted));
  ash_place_log_put(&p->log, *refuted ? "end\n" : "drop\n");
  return ASH_OK;
}

ash_status ash_place_refute_plain(ash_place_proof *p, const uint32_t *items,
                                  uint32_t count, bool *refuted) {
  ASH_ASSERT(count > 0 && p->bound > 0);
  ash_zone zone;
  ash_zone_init(&zone, &p->solve.ctx->mem);
  *refuted = false;
  const ash_status status = refute(p, &zone, items, count, refuted);
  ash_zone_drop(&zone);
  return status;
}
