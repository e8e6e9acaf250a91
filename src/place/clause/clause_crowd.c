/* clause_crowd.c - a moment as a machine and its members as jobs: more must lie
 * in some bytes than fit there (overload), and what lies below an item needs
 * room below it (precedences); the same from above. */
#include "place/clause/clause.h"

uint32_t ash_place_learner_beyond(const ash_place_learner *p, uint32_t moment,
                                  uint32_t a, uint32_t b, bool up) {
  const ash_place_crowd *m = &p->moments[moment];
  const uint32_t span = p->span_of[m->spans + a * m->count + b];
  ASH_ASSERT(span != ASH_PLACE_NONE && a != b);
  const bool b_is_j = p->spans[span].j == p->members[m->first + b].item;
  return ash_place_side(p, span, b_is_j == up);
}

/* p->order: the members by their edges, the furthest first. */
static void sort_members(ash_place_learner *p, const ash_place_crowd *m,
                         bool up) {
  for (uint32_t a = 0; a < m->count; a++) {
    const int64_t edge = ash_place_edge(p, &p->members[m->first + a], up);
    uint32_t at = a;
    for (; at > 0 && ash_place_edge(p, &p->members[m->first + p->order[at - 1]],
                                    up) < edge;
         at--)
      p->order[at] = p->order[at - 1];
    p->order[at] = a;
  }
}

/* Ends are sorted, the lowest first; starts are tried one after the other. */
static bool is_overloaded(ash_place_learner *p, uint32_t moment,
                          ash_place_cause *conflict) {
  const ash_place_crowd *m = &p->moments[moment];
  for (uint32_t a = 0; a < m->count; a++) {
    const int64_t from = ash_place_edge(p, &p->members[m->first + a], true);
    int64_t sum = 0;
    for (uint32_t b = 0; b < m->count; b++) {
      const ash_place_member *x = &p->members[m->first + p->order[b]];
      if (ash_place_edge(p, x, true) < from)
        continue;
      const int64_t to = -ash_place_edge(p, x, false);
      sum += x->hi - x->lo;
      if (sum <= to - from)
        continue;
      *conflict = (ash_place_cause){
          .kind = ASH_PLACE_BY_CROWD, .index = moment, .from = from, .to = to};
      return true;
    }
  }
  return false;
}

/* All that lies on this side of a member, up to some edge, lies between that
 * edge and the member. */
static bool push(ash_place_learner *p, uint32_t moment, uint32_t b, bool up,
                 ash_place_cause *conflict) {
  const ash_place_crowd *m = &p->moments[moment];
  const ash_place_member *y = &p->members[m->first + b];
  int64_t sum = 0, best = ash_place_edge(p, y, up), from = 0;
  int64_t least = INT64_MAX; /* edges move while the order stays */
  for (uint32_t k = 0; k < m->count; k++) {
    const uint32_t a = p->order[k];
    if (a == b || !p->bound[ash_place_learner_beyond(p, moment, a, b, up)])
      continue;
    const ash_place_member *x = &p->members[m->first + a];
    const int64_t edge = ash_place_edge(p, x, up);
    least = edge < least ? edge : least;
    sum += x->hi - x->lo;
    if (least + sum > best) {
      best = least + sum;
      from = least;
    }
  }
  const ash_place_atom atom = {2 * y->item + !up, best - (up ? y->lo : -y->hi)};
  return ash_place_learner_set(
      p, atom,
      (ash_place_cause){
          .kind = ASH_PLACE_BY_STACK, .index = moment, .from = from, .to = 0},
      conflict);
}

bool ash_place_learner_crowd(ash_place_learner *p, uint32_t moment,
                             ash_place_cause *conflict) {
  const ash_place_crowd *m = &p->moments[moment];
  p->work += (uint64_t)m->count * m->count / 2;
  sort_members(p, m, false);
  if (is_overloaded(p, moment, conflict))
    return false;
  for (int up = 0; up < 2; up++) {
    sort_members(p, m, up);
    for (uint32_t b = 0; b < m->count; b++)
      if (!push(p, moment, b, up, conflict))
        return false;
  }
  return true;
}
