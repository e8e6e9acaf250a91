/* greedy.c - heliaAOT's planner, byte for byte: tensors in order of first use,
 * lowest hole that takes the aligned size, the last hole grows when it touches
 * the top, else the arena does. */
#include "plan/planner.h"

#include "base/checked.h"

typedef struct hole {
  uint64_t lo, hi;
} hole;

typedef struct heap {
  hole *holes; /* sorted, apart */
  uint32_t count;
  uint64_t top;
} heap;

static void drop_hole(heap *h, uint32_t at) {
  ASH_ASSERT(at < h->count);
  for (uint32_t i = at + 1; i < h->count; i++)
    h->holes[i - 1] = h->holes[i];
  h->count--;
}

/* Puts [lo, hi) back, joined with the holes it touches. */
static void give_back(heap *h, uint64_t lo, uint64_t hi) {
  ASH_ASSERT(lo <= hi && hi <= h->top);
  uint32_t at = 0;
  while (at < h->count && h->holes[at].hi < lo)
    at++;
  while (at < h->count && h->holes[at].lo <= hi) {
    lo = ash_min_u64(lo, h->holes[at].lo);
    hi = ash_max_u64(hi, h->holes[at].hi);
    drop_hole(h, at);
  }
  for (uint32_t i = h->count; i > at; i--)
    h->holes[i] = h->holes[i - 1];
  ASH_ASSERT(at == 0 || h->holes[at - 1].hi < lo);
  h->holes[at] = (hole){lo, hi};
  h->count++;
}

static uint64_t take(heap *h, uint64_t size) {
  for (uint32_t i = 0; i < h->count; i++) {
    if (h->holes[i].hi - h->holes[i].lo < size)
      continue;
    const uint64_t at = h->holes[i].lo;
    h->holes[i].lo += size;
    if (h->holes[i].lo == h->holes[i].hi)
      drop_hole(h, i);
    return at;
  }
  uint64_t at = h->top;
  if (h->count && h->holes[h->count - 1].hi == h->top)
    at = h->holes[--h->count].lo;
  ASH_ASSERT(at <= h->top && at + size >= h->top);
  h->top = at + size;
  return at;
}

static uint64_t place_all(const ash_scratch *s, heap *h, int64_t *offsets,
                          bool *gone) {
  uint64_t height = 0;
  for (uint32_t i = 0; i < s->count; i++) {
    const ash_buffer *b = &s->buffers[i];
    for (uint32_t k = 0; k < i; k++)
      if (!gone[k] && s->buffers[k].upper <= b->lower) {
        const uint64_t lo = (uint64_t)offsets[k];
        gone[k] = true;
        give_back(
            h, lo,
            lo + ash_align_up(s->buffers[k].size, s->buffers[k].alignment));
      }
    offsets[i] = (int64_t)take(h, ash_align_up(b->size, b->alignment));
    height = ash_max_u64(height, (uint64_t)offsets[i] + b->size);
  }
  return height;
}

ash_status ash_plan_pack_greedy(ash_draft *d, ash_place_result *out,
                                const ash_scratch *s, uint64_t capacity) {
  (void)capacity;
  ash_zone *z = &d->ctx->scratch;
  int64_t *offsets = ASH_NEW_ARRAY(z, int64_t, s->count + 1u);
  bool *gone = ASH_NEW_ARRAY(z, bool, s->count + 1u);
  heap h = {.holes = ASH_NEW_ARRAY(z, hole, s->count + 2u)};
  ASH_TRY(ash_zone_check(d->ctx, z));
  const uint64_t height = place_all(s, &h, offsets, gone);
  return ash_plan_pack_result(d, out, s, offsets, height);
}

ASH_PLAN_IN_BANKS(plan, ash_plan_pack_greedy)

const ash_planner ash_planner_greedy = {
    .abi = ASH_PLANNER_ABI,
    .name = "greedy",
    .help = "heliaAOT's offsets: first fit in execution order",
    .plan = plan,
    .views_only = true};
