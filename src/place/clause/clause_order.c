/* clause_order.c - spans by activity in a binary heap: those that took part in
 * recent conflicts are decided first. Activities are integers, so the order is
 * the same on every machine. */
#include "place/clause/clause.h"

static bool is_before(const ash_place_learner *p, uint32_t a, uint32_t b) {
  return p->activity[a] != p->activity[b] ? p->activity[a] > p->activity[b]
                                          : a < b;
}

static void put(ash_place_learner *p, uint32_t at, uint32_t span) {
  p->heap[at] = span;
  p->heap_place[span] = at;
}

static void rise(ash_place_learner *p, uint32_t at) {
  const uint32_t span = p->heap[at];
  for (; at > 0 && is_before(p, span, p->heap[(at - 1) / 2]); at = (at - 1) / 2)
    put(p, at, p->heap[(at - 1) / 2]);
  put(p, at, span);
}

static void sink(ash_place_learner *p, uint32_t at) {
  const uint32_t span = p->heap[at];
  for (;;) {
    uint32_t child = 2 * at + 1;
    if (child + 1 < p->heap_count &&
        is_before(p, p->heap[child + 1], p->heap[child]))
      child++;
    if (child >= p->heap_count || !is_before(p, p->heap[child], span))
      break;
    put(p, at, p->heap[child]);
    at = child;
  }
  put(p, at, span);
}

void ash_place_learner_offer(ash_place_learner *p, uint32_t span) {
  if (p->heap_place[span] != ASH_PLACE_NONE)
    return;
  put(p, p->heap_count++, span);
  rise(p, p->heap_count - 1);
}

void ash_place_learner_bump(ash_place_learner *p, uint32_t span) {
  p->activity[span] += p->bump;
  if (p->heap_place[span] != ASH_PLACE_NONE)
    rise(p, p->heap_place[span]);
}

/* Later conflicts weigh more. */
void ash_place_learner_cool(ash_place_learner *p) {
  p->bump += p->bump / 16 + 1;
  if (p->bump < (uint64_t)1 << 50)
    return;
  p->bump >>= 40;
  for (uint32_t k = 0; k < p->span_count; k++)
    p->activity[k] >>= 40;
  for (uint32_t at = p->heap_count; at-- > 0;)
    sink(p, at);
}

uint32_t ash_place_learner_most_active(ash_place_learner *p) {
  while (p->heap_count) {
    const uint32_t span = p->heap[0];
    p->heap_place[span] = ASH_PLACE_NONE;
    p->heap_count--;
    if (p->heap_count) {
      put(p, 0, p->heap[p->heap_count]);
      sink(p, 0);
    }
    if (!p->bound[ash_place_side(p, span, true)] &&
        !p->bound[ash_place_side(p, span, false)])
      return span;
  }
  return ASH_PLACE_NONE;
}
