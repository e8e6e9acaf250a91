/* exact.c - the default backend: activations in the best memories that take
 * them, each packed by the exact solver.
 *
 * Results that shrink in place make the problem harder, so it is solved without
 * them first, and with them where that may be smaller. */
#include "base/checked.h"
#include "plan/share/overlap.h"
#include "plan/share/shrink.h"

static ash_status solve(ash_draft *d, ash_place_result *out,
                        const ash_scratch *s, uint64_t capacity,
                        const ash_relation *relations, size_t count) {
  const ash_place_problem problem = {.buffers = s->buffers,
                                     .buffer_count = s->count,
                                     .relations = relations,
                                     .relation_count = count,
                                     .capacity = capacity,
                                     .minimise = true};
  const ash_place_options options = {.struct_bytes = sizeof options,
                                     .ticks = d->ask->options->ticks,
                                     .seed = d->ask->options->seed};
  return ash_place(d->ctx, out, &problem, &options);
}

/* Of two packings, one that knows no results that shrink in place and one that
 * lets them, the lower one; if there is none, what is known of the second. */
static void take_lower(ash_place_result *out, const ash_place_result *other) {
  const uint64_t bound = ash_min_u64(out->lower_bound, other->lower_bound);
  const uint64_t ticks = out->ticks + other->ticks;
  const bool lower =
      !out->offsets || (other->offsets && other->height < out->height);
  if (lower)
    *out = *other;
  out->ticks = ticks;
  out->lower_bound = bound;
  if (out->offsets)
    out->verdict = out->height == bound ? ASH_OPTIMAL : ASH_FEASIBLE;
}

ash_status ash_plan_pack_exact(ash_draft *d, ash_place_result *out,
                               const ash_scratch *s, uint64_t capacity) {
  ASH_ASSERT(s->count == 0 || (s->slot && s->buffers));
  const ash_relation *relations = NULL;
  size_t count = 0;
  if (d->ask->options->overlap)
    ASH_TRY(ash_find_overlaps(d, s, &relations, &count));
  ASH_TRY(solve(d, out, s, capacity, relations, count));
  const size_t plain = count;
  ASH_TRY(ash_shrink_relations(d, s, &relations, &count));
  if (count == plain)
    return ASH_OK;
  uint64_t least = 0; /* nothing is known where other bytes are shared too */
  if (plain == 0)
    ASH_TRY(ash_shrunk_peak(d, s, &least));
  if (out->offsets && out->height <= least)
    return ASH_OK;
  ash_place_result shrunk;
  ASH_TRY(solve(d, &shrunk, s, capacity, relations, count));
  take_lower(out, &shrunk);
  return ASH_OK;
}

ASH_PLAN_IN_BANKS(plan, ash_plan_pack_exact)

const ash_planner ash_planner_exact = {
    .abi = ASH_PLANNER_ABI,
    .name = "exact",
    .help = "smallest arena, with proof, by the packing solver",
    .plan = plan};
