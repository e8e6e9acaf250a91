/* exact.c - the default backend: all activations in the first memory of the
 * device's order that takes them, packed by the exact solver. */
#include "plan/planner.h"

static ash_status solve(ash_draft *d, ash_place_result *placed,
                        const ash_scratch *s) {
  const ash_place_problem problem = {.buffers = s->buffers,
                                     .buffer_count = s->count,
                                     .minimise = true};
  const ash_place_options options = {.struct_bytes = sizeof options,
                                     .ticks = d->options.ticks,
                                     .seed = d->options.seed};
  return ash_place(d->ctx, placed, &problem, &options);
}

static ash_status plan(ash_draft *d) {
  ash_scratch s;
  ash_place_result placed;
  uint32_t memories[ASH_MEMORY_MAX + 1];
  ASH_TRY(ash_draft_scratch(d, &s));
  ASH_TRY(solve(d, &placed, &s));
  const uint32_t count = ash_draft_candidates(d, memories);
  for (uint32_t i = 0; i < count; i++)
    if (placed.offsets && placed.height <= ash_draft_room(d, memories[i]))
      return ash_draft_commit(d, &s, &placed, memories[i]);
  uint32_t roomiest = memories[0];
  for (uint32_t i = 1; i < count; i++)
    if (ash_draft_room(d, memories[i]) > ash_draft_room(d, roomiest))
      roomiest = memories[i];
  return ash_draft_nofit(d, &s, &placed, roomiest);
}

const ash_planner ash_planner_exact = {
    .name = "exact",
    .help = "smallest arena, with proof, by the packing solver",
    .plan = plan};
