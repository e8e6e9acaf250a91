/* exact.c - the default backend: activations in the best memories that take
 * them, each packed by the exact solver. */
#include "plan/share/overlap.h"

ash_status ash_plan_pack_exact(ash_draft *d, ash_place_result *out,
                               const ash_scratch *s, uint64_t capacity) {
  ASH_ASSERT(s->count == 0 || (s->slot && s->buffers));
  ash_place_problem problem = {.buffers = s->buffers,
                               .buffer_count = s->count,
                               .capacity = capacity,
                               .minimise = true};
  const ash_place_options options = {.struct_bytes = sizeof options,
                                     .ticks = d->ask->options->ticks,
                                     .seed = d->ask->options->seed};
  if (d->ask->options->overlap)
    ASH_TRY(
        ash_find_overlaps(d, s, &problem.relations, &problem.relation_count));
  for (uint32_t i = 0; d->ask->options->overlap && i < s->count; i++)
    d->answer->slots[s->slot[i]].follows = ASH_NO_ID;
  ASH_TRY(ash_place(d->ctx, out, &problem, &options));
  ash_mark_overlaps(d, s, out, problem.relations, problem.relation_count);
  return ASH_OK;
}

ASH_PLAN_IN_BANKS(plan, ash_plan_pack_exact)

const ash_planner ash_planner_exact = {
    .abi = ASH_PLANNER_ABI,
    .name = "exact",
    .help = "smallest arena, with proof, by the packing solver",
    .plan = plan};
