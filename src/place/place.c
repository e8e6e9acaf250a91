/* place.c - the packing solver's front: validate, reduce, bound, heuristics,
 * search, check, verdict. */
#include "ashlar/place.h"
#include "place/exact/exact.h"
#include "place/fit/fit.h"
#include "place/fit/heuristics.h"
#include "place/fit/repair.h"
#include "place/solve.h"

#include <string.h>

static const uint64_t DEFAULT_TICKS = 20000000;

static void read_options(ash_place_solve *s, const ash_place_options *options) {
  if (options) {
    size_t bytes = options->struct_bytes;
    if (bytes == 0 || bytes > sizeof s->options)
      bytes = sizeof s->options;
    memcpy(&s->options, options, bytes);
  }
  s->tick_limit = s->options.ticks ? s->options.ticks : DEFAULT_TICKS;
}

/* Do two fixed items collide? */
static ash_status check_fixed(ash_place_solve *s) {
  const ash_place_reduced *in = &s->reduced;
  for (uint32_t i = 0; i < in->item_count; i++)
    if (in->items[i].fixed != ASH_FREE_OFFSET && in->items[i].rect_count)
      return ash_place_fit_check_fixed(s->ctx, in, &s->reduced.impossible);
  return ASH_OK;
}

static bool has_inside(const ash_place_problem *p) {
  for (size_t i = 0; i < p->relation_count; i++)
    if (p->relations[i].kind == ASH_INSIDE)
      return true;
  return false;
}

/* The height of some items where they are now; UINT64_MAX: not placed. */
static uint64_t height_of(const ash_place_solve *s, const uint32_t *items,
                          uint32_t count) {
  uint64_t height = 0;
  if (s->height == UINT64_MAX)
    return UINT64_MAX;
  for (uint32_t i = 0; i < count; i++) {
    const ash_place_item *x = &s->reduced.items[items[i]];
    ASH_ASSERT(items[i] < s->reduced.item_count && s->bases[items[i]] >= 0);
    const uint64_t top = (uint64_t)(s->bases[items[i]] + x->reach);
    if (x->reach && top > height)
      height = top;
  }
  return height;
}

/* Solves one component after the other. All must stay below the capacity; for
 * the least height, none needs to be lower than what another demands. */
static ash_status search_components(ash_place_solve *s) {
  ash_place_components all;
  ASH_TRY(ash_place_components_build(s->ctx, &all, &s->reduced));
  uint64_t height = 0;
  for (uint32_t i = 0; i < all.count; i++) {
    const ash_place_component *c = &all.list[i];
    ASH_ASSERT(c->count > 0 && c->first + c->count <= s->reduced.item_count);
    ash_place_goal goal = {.items = all.items + c->first,
                           .count = c->count,
                           .floor = s->lower,
                           .limit = s->limit,
                           .lower = s->lower};
    goal.height = height_of(s, goal.items, goal.count);
    if (goal.height > s->target)
      ASH_TRY(c->plain ? ash_place_exact_plain(s, &goal)
                       : ash_place_exact_general(s, &goal));
    height = goal.height > height ? goal.height : height;
    if (goal.lower > s->lower) {
      s->lower = goal.lower;
      s->target = s->lower > s->target ? s->lower : s->target;
    }
    if (goal.height == UINT64_MAX && s->lower > s->limit)
      break;
  }
  /* Buffers that are away during their whole life still have a top. */
  for (uint32_t i = 0; i < s->reduced.item_count && height != UINT64_MAX; i++) {
    const ash_place_item *x = &s->reduced.items[i];
    const uint64_t top = (uint64_t)(s->bases[i] + x->reach);
    if (x->rect_count == 0 && x->reach && top > height)
      height = top;
  }
  s->height = height;
  return ASH_OK;
}

/* Items without rects and relations lie at the first place that suits them. */
static void place_empty(ash_place_solve *s) {
  ASH_ASSERT(!s->reduced.impossible);
  for (uint32_t i = 0; i < s->reduced.item_count; i++) {
    const ash_place_item *item = &s->reduced.items[i];
    if (item->rect_count == 0)
      s->bases[i] =
          item->fixed == ASH_FREE_OFFSET ? item->residue : item->fixed;
  }
}

static ash_status search(ash_place_solve *s) {
  ASH_TRY(check_fixed(s));
  if (s->reduced.impossible)
    return ASH_OK;
  place_empty(s);
  if (s->options.heuristic && !has_inside(s->problem))
    return ash_place_heuristic_run(s);
  if (!has_inside(s->problem) && !(s->options.off & ASH_OFF_RACE))
    ASH_TRY(ash_place_race_run(s));
  if (!ash_place_solve_done(s) && !(s->options.off & ASH_OFF_REPAIR))
    ASH_TRY(ash_place_without_gaps(s));
  if (!ash_place_solve_done(s) && !has_inside(s->problem) &&
      !(s->options.off & ASH_OFF_REPAIR))
    ASH_TRY(ash_place_repair_run(s));
  if (!ash_place_solve_done(s))
    ASH_TRY(search_components(s));
  return ASH_OK;
}

static bool fits(const ash_place_solve *s) {
  return s->height != UINT64_MAX &&
         (s->problem->capacity == 0 || s->height <= s->problem->capacity);
}

static void set_verdict(const ash_place_solve *s, ash_place_result *out) {
  ASH_ASSERT(!fits(s) || s->height >= s->bound.height);
  ASH_ASSERT(s->lower >= s->bound.height);
  const uint64_t capacity = s->problem->capacity;
  out->lower_bound = s->lower;
  out->ticks = s->ticks;
  if (s->reduced.impossible) {
    out->verdict = ASH_INFEASIBLE;
    out->reason = ASH_REASON_SEARCH_EXHAUSTED;
  } else if (capacity && s->lower > capacity) {
    out->verdict = ASH_INFEASIBLE;
    out->reason = s->lower == s->bound.height ? ASH_REASON_OVER_CAPACITY
                                              : ASH_REASON_SEARCH_EXHAUSTED;
  } else if (fits(s) && s->height <= s->lower) {
    out->verdict = ASH_OPTIMAL;
    out->reason = s->lower == s->bound.height ? ASH_REASON_BOUND_MET
                                              : ASH_REASON_SEARCH_EXHAUSTED;
  } else {
    out->verdict = fits(s) ? ASH_FEASIBLE : ASH_UNKNOWN;
    if (s->stopped || s->ticks >= s->tick_limit)
      out->reason = s->stopped ? ASH_REASON_STOPPED : ASH_REASON_TICKS;
  }
}

/* Offsets for the caller, after the checker has agreed. */
static ash_status finish(ash_place_solve *s, ash_place_result *out) {
  const size_t n = s->problem->buffer_count;
  if (!fits(s) || s->reduced.impossible)
    return ASH_OK;
  int64_t *offsets = ASH_NEW_ARRAY(&s->ctx->keep, int64_t, n ? n : 1);
  ASH_TRY(ash_zone_check(s->ctx, &s->ctx->keep));
  ash_place_offsets(&s->reduced, s->bases, offsets);
  uint64_t height;
  ASH_TRY(ash_place_check(s->ctx, &height, s->problem, offsets));
  ASH_INVARIANT(s->ctx, height == s->height);
  out->offsets = offsets;
  out->height = height;
  return ASH_OK;
}

static ash_status solve(ash_place_solve *s, ash_place_result *out) {
  ASH_TRY(ash_place_validate(s->ctx, s->problem));
  ASH_TRY(ash_place_reduce(s->ctx, &s->reduced, s->problem));
  ASH_TRY(ash_place_bound_build(s->ctx, &s->bound, &s->reduced));
  s->bases = ASH_NEW_ARRAY(&s->ctx->scratch, int64_t, s->reduced.item_count);
  ASH_TRY(ash_zone_check(s->ctx, &s->ctx->scratch));
  ASH_ASSERT(s->bound.height <= INT64_MAX);
  s->lower = s->bound.height;
  s->height = UINT64_MAX;
  s->limit = s->problem->capacity ? s->problem->capacity : UINT64_MAX;
  s->target =
      s->problem->capacity && !s->problem->minimise ? s->limit : s->lower;
  if (!s->reduced.impossible && s->lower <= s->limit)
    ASH_TRY(search(s));
  set_verdict(s, out);
  ASH_TRY(ash_place_bound_witness(s->ctx, &s->reduced, &s->bound, out));
  return finish(s, out);
}

ash_status ash_place(ash_ctx *ctx, ash_place_result *out,
                     const ash_place_problem *problem,
                     const ash_place_options *options) {
  ASH_NEED(ctx, ctx && out && problem);
  *out = (ash_place_result){.verdict = ASH_UNKNOWN};
  ash_place_solve s = {.ctx = ctx, .problem = problem};
  read_options(&s, options);
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  const ash_status status = solve(&s, out);
  ash_zone_rewind(&ctx->scratch, mark);
  if (status != ASH_OK)
    *out = (ash_place_result){.verdict = ASH_UNKNOWN};
  return status;
}
