/* naive.c - no reuse: every tensor its own bytes. The figure to compare with.
 */
#include "plan/planner.h"

#include "base/checked.h"

static uint64_t stack_up(const ash_scratch *s, int64_t *offsets) {
  uint64_t top = 0;
  for (uint32_t i = 0; i < s->count; i++) {
    const ash_buffer *b = &s->buffers[i];
    const uint64_t at = ash_align_up(top, b->alignment ? b->alignment : 1);
    ASH_ASSERT(at >= top);
    offsets[i] = (int64_t)at;
    top = at + b->size;
  }
  return top;
}

ash_status ash_plan_pack_naive(ash_draft *d, ash_place_result *out,
                               const ash_scratch *s, uint64_t capacity) {
  (void)capacity;
  int64_t *offsets = ASH_NEW_ARRAY(&d->ctx->scratch, int64_t, s->count + 1u);
  ASH_TRY(ash_zone_check(d->ctx, &d->ctx->scratch));
  const uint64_t height = stack_up(s, offsets);
  return ash_plan_pack_result(d, out, s, offsets, height);
}

ASH_PLAN_IN_BANKS(plan, ash_plan_pack_naive)

const ash_planner ash_planner_naive = {.abi = ASH_PLANNER_ABI,
                                       .name = "naive",
                                       .help = "no reuse of memory at all",
                                       .plan = plan};
