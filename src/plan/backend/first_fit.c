/* first_fit.c - largest first, each at the lowest offset where it meets no
 * neighbour in time: TensorFlow Lite Micro's greedy planner. */
#include "plan/planner.h"

#include "base/checked.h"
#include "base/sort.h"

static int by_size(const void *a, const void *b, const void *user) {
  const ash_buffer *buffers = user;
  const uint64_t x = buffers[*(const uint32_t *)a].size;
  const uint64_t y = buffers[*(const uint32_t *)b].size;
  return x == y ? 0 : x > y ? -1 : 1;
}

static bool clash(const ash_buffer *a, uint64_t at, const ash_buffer *b,
                  uint64_t other) {
  ASH_ASSERT(a->lower < a->upper && b->lower < b->upper);
  return a->lower < b->upper && b->lower < a->upper && at < other + b->size &&
         other < at + a->size;
}

/* The lowest offset free of the `placed` first buffers of the order. */
static uint64_t lowest(const ash_scratch *s, const uint32_t *order,
                       uint32_t placed, const int64_t *offsets) {
  ASH_ASSERT(placed < s->count);
  const ash_buffer *me = &s->buffers[order[placed]];
  uint64_t at = 0;
  for (bool moved = true; moved;) {
    moved = false;
    for (uint32_t k = 0; k < placed; k++) {
      const ash_buffer *b = &s->buffers[order[k]];
      const uint64_t other = (uint64_t)offsets[order[k]];
      if (!clash(me, at, b, other))
        continue;
      at = ash_align_up(other + b->size, me->alignment ? me->alignment : 1);
      moved = true;
    }
  }
  return at;
}

ash_status ash_plan_pack_first_fit(ash_draft *d, ash_place_result *out,
                                   const ash_scratch *s, uint64_t capacity) {
  (void)capacity;
  uint64_t height = 0;
  ash_zone *z = &d->ctx->scratch;
  int64_t *offsets = ASH_NEW_ARRAY(z, int64_t, s->count + 1u);
  uint32_t *order = ASH_NEW_ARRAY(z, uint32_t, s->count + 1u);
  uint32_t *spare = ASH_NEW_ARRAY(z, uint32_t, s->count + 1u);
  ASH_TRY(ash_zone_check(d->ctx, z));
  for (uint32_t i = 0; i < s->count; i++)
    order[i] = i;
  ash_sort(order, spare, s->count, sizeof *order, by_size, s->buffers);
  for (uint32_t i = 0; i < s->count; i++) {
    const uint64_t at = lowest(s, order, i, offsets);
    ASH_ASSERT(i == 0 ||
               s->buffers[order[i - 1]].size >= s->buffers[order[i]].size);
    offsets[order[i]] = (int64_t)at;
    height = ash_max_u64(height, at + s->buffers[order[i]].size);
  }
  return ash_plan_pack_result(d, out, s, offsets, height);
}

ASH_PLAN_IN_BANKS(plan, ash_plan_pack_first_fit)

const ash_planner ash_planner_first_fit = {
    .abi = ASH_PLANNER_ABI,
    .name = "first-fit",
    .help = "largest first at the lowest free offset (TFLite Micro's way)",
    .plan = plan};
