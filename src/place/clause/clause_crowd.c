/* clause_crowd.c - a moment as a machine and its members as jobs: more must lie
 * in some bytes than fit there (overload), and what lies below an item needs
 * room below it (precedences); the same from above. */
#include "place/clause/clause.h"

/* p->order: the members by their edges, the furthest first. */
static void sort_members(ash_place_learner *p, const ash_place_crowd *m,
                         bool up) {
  const ash_place_member *list = p->members + m->first;
  int64_t *edges = p->from;
  for (uint32_t a = 0; a < m->count; a++) {
    const int64_t edge = ash_place_edge(p, &list[a], up);
    uint32_t at = a;
    for (; at > 0 && edges[at - 1] < edge; at--) {
      p->order[at] = p->order[at - 1];
      edges[at] = edges[at - 1];
    }
    p->order[at] = a;
    edges[at] = edge;
  }
}

/* Ends are sorted, the lowest first; starts are tried one after the other. Of
 * those with the same start the one with the lowest end sees most. */
static bool is_overloaded(ash_place_learner *p, uint32_t moment,
                          ash_place_cause *conflict) {
  const ash_place_crowd *m = &p->moments[moment];
  const ash_place_member *list = p->members + m->first;
  for (uint32_t b = 0; b < m->count; b++) {
    p->to[b] = -p->from[b];
    p->from[b] = ash_place_edge(p, &list[p->order[b]], true);
  }
  for (uint32_t a = 0; a < m->count; a++) {
    const int64_t from = p->from[a];
    int64_t sum = from;
    for (uint32_t b = 0; b < m->count; b++) {
      if (p->from[b] < from)
        continue;
      const ash_place_member *x = &list[p->order[b]];
      sum += x->hi - x->lo;
      if (sum <= p->to[b])
        continue;
      *conflict = (ash_place_cause){.kind = ASH_PLACE_BY_CROWD,
                                    .index = moment,
                                    .from = from,
                                    .to = p->to[b]};
      return true;
    }
  }
  return false;
}

/* All that lies on this side of a member, up to some edge, lies between that
 * edge and the member. Edges may have moved since they were sorted: then the
 * moment is looked at again. */
static bool push(ash_place_learner *p, uint32_t moment, uint32_t b, bool up,
                 ash_place_cause *conflict) {
  const ash_place_crowd *m = &p->moments[moment];
  const ash_place_member *list = p->members + m->first, *y = &list[b];
  const uint32_t *sides = p->side_of + m->sides + b;
  int64_t sum = 0, best = ash_place_edge(p, y, up), from = 0;
  for (uint32_t k = 0; k < m->count; k++) {
    const uint32_t a = p->order[k];
    if (a == b || !p->bound[sides[(size_t)a * m->count] ^ !up])
      continue;
    sum += list[a].hi - list[a].lo;
    if (p->from[k] + sum > best) {
      best = p->from[k] + sum;
      from = p->from[k];
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
  p->work += (uint64_t)m->count * m->count / 4;
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
