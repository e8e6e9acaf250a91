/* clause_search.c - conflict-driven search with restarts. Dives take turns: the
 * span that took part in most conflicts, or the lowest that the least offsets
 * violate. Where none is violated, the least offsets are a placement. */
#include "place/clause/clause.h"

enum { DIVE = 100, KEEP = 4000 };

/* Luby's sequence: 1 1 2 1 1 2 4 ..; number i, from 1. A number that ends no
 * run of 2^k - 1 is one of the run before it. */
static uint64_t luby(uint64_t i) {
  ASH_ASSERT(i > 0);
  uint64_t run = 1;
  while (run < i)
    run = 2 * run + 1;
  while (run != i) {
    run /= 2;
    i -= i > run ? run : 0;
  }
  return (run + 1) / 2;
}

static uint32_t find_violated(ash_place_learner *p) {
  uint32_t best = ASH_PLACE_NONE;
  int64_t lowest = INT64_MAX, size = 0;
  for (uint32_t k = 0; k < p->span_count; k++) {
    const ash_place_choice *s = &p->spans[k];
    const int64_t x = p->bound[2 * (size_t)s->i],
                  y = p->bound[2 * (size_t)s->j];
    if (y - x <= s->lo || y - x >= s->hi)
      continue;
    const int64_t at = x > y ? x : y;
    if (at < lowest || (at == lowest && s->hi - s->lo > size)) {
      lowest = at;
      size = s->hi - s->lo;
      best = k;
    }
  }
  p->work += p->span_count / 4;
  return best;
}

/* The side that it had last; at first the one that moves its item less. */
static bool goes_above(const ash_place_learner *p, uint32_t span) {
  const ash_place_choice *s = &p->spans[span];
  const int64_t x = p->bound[2 * (size_t)s->i], y = p->bound[2 * (size_t)s->j];
  return p->phase[span] ? p->phase[span] == 1 : x + s->hi - y <= y - s->lo - x;
}

/* False: nothing is left to decide. */
static bool decide(ash_place_learner *p, bool lowest_first) {
  const uint32_t violated = find_violated(p);
  ash_place_cause none;
  if (violated == ASH_PLACE_NONE)
    return false;
  uint32_t span = lowest_first ? violated : ash_place_learner_most_active(p);
  span = span == ASH_PLACE_NONE ? violated : span;
  p->level++;
  if (!ASH_GROW(&p->zone, &p->levels, p->level))
    return false;
  p->levels.items[p->level] = p->trail_count;
  const ash_place_atom a = {ash_place_side(p, span, goes_above(p, span)), 1};
  (void)ash_place_learner_set(
      p, a, (ash_place_cause){.kind = ASH_PLACE_DECISION, .index = 0}, &none);
  return true;
}

typedef struct budget {
  bool (*keep_on)(void *user, uint64_t ticks);
  void *user;
  uint64_t spent; /* of the learner's work */
} budget;

static bool is_spent(const ash_place_learner *p, budget *b) {
  const uint64_t ticks = (p->work - b->spent) / 64;
  if (ticks < 64 && !p->zone.failed)
    return false;
  b->spent = p->work;
  return p->zone.failed || !b->keep_on(b->user, ticks);
}

/* Without memory, nothing that is missing was ever there to contradict. */
static ash_place_outcome unless_failed(const ash_place_learner *p,
                                       ash_place_outcome outcome) {
  return p->zone.failed ? ASH_PLACE_CUT : outcome;
}

/* From the root until `until` conflicts were met. */
static ash_place_outcome dive(ash_place_learner *p, uint64_t until,
                              bool lowest_first, budget *b) {
  for (;;) {
    ash_place_cause conflict;
    bool consistent = ash_place_learner_propagate(p, &conflict);
    while (!consistent && !p->zone.failed)
      if (!ash_place_learner_learn(p, &conflict, &consistent))
        return unless_failed(p, ASH_PLACE_REFUTED);
      else if (consistent)
        consistent = ash_place_learner_propagate(p, &conflict);
    if (p->level == 0)
      ash_place_learner_log_facts(p);
    if (is_spent(p, b) || p->conflicts >= until)
      return ASH_PLACE_CUT;
    if (!decide(p, lowest_first))
      return unless_failed(p, ASH_PLACE_SOLVED);
  }
}

ash_place_outcome ash_place_learner_search(
    ash_place_learner *p, int64_t capacity, uint64_t conflicts,
    bool (*keep_on)(void *user, uint64_t ticks), void *user) {
  const uint64_t end = p->conflicts + conflicts;
  ash_place_cause conflict;
  budget b = {keep_on, user, p->work};
  if (!ash_place_learner_reset(p, capacity, &conflict)) {
    ash_place_learner_log_end(p, &conflict);
    return unless_failed(p, ASH_PLACE_REFUTED);
  }
  uint32_t most = KEEP;
  for (uint64_t i = 1;; i++) {
    const ash_place_outcome o =
        dive(p, p->conflicts + DIVE * luby(i), i % 2, &b);
    if (o != ASH_PLACE_CUT || p->conflicts >= end || p->zone.failed ||
        !keep_on(user, 0))
      return o;
    ash_place_learner_back_to(p, 0);
    if (p->clause_count < most)
      continue;
    most += KEEP / 8;
    ash_place_learner_forget(p);
    if (!ash_place_learner_rewatch(p, &conflict)) {
      ash_place_learner_log_end(p, &conflict);
      return unless_failed(p, ASH_PLACE_REFUTED);
    }
  }
}
