/* clause_analyse.c - conflict analysis: the reasons of a contradiction are
 * followed back along the trail until one atom of the newest level is left
 * (first unique implication point). Steps are undone on the way, so that the
 * bounds are always those under which the step was made; a reason is weakened
 * to what the step was needed for. */
#include "place/clause/clause.h"

/* The atom is part of the reason. Facts of level 0 need none. */
static void need(ash_place_learner *p, uint32_t var, int64_t value) {
  uint32_t at = p->last[var];
  ASH_ASSERT(p->bound[var] >= value);
  while (at != ASH_PLACE_NONE && p->trail.items[at].old >= value)
    at = p->trail.items[at].before;
  if (at == ASH_PLACE_NONE || at < p->levels.items[1])
    return;
  if (p->need_step[var] == ASH_PLACE_NONE) {
    p->touched[p->touched_count++] = var;
    p->need[var] = value;
    p->need_step[var] = at;
  }
  if (value > p->need[var])
    p->need[var] = value;
  if (at > p->need_step[var])
    p->need_step[var] = at;
}

static void bump(ash_place_learner *p, uint32_t var) {
  if (!ash_place_is_offset(p, var))
    ash_place_learner_bump(p, var / 2 - p->item_count);
}

static void explain_clause(ash_place_learner *p, const ash_place_step *s) {
  const ash_place_clause *c = &p->clauses.items[s->reason.index];
  for (uint32_t k = 0; k < c->count; k++) {
    const ash_place_atom a = p->atoms.items[c->first + k];
    const ash_place_atom no = ash_place_not(p, a);
    if (a.var != s->var)
      need(p, no.var, no.value);
  }
}

static void explain_side(ash_place_learner *p, const ash_place_step *s,
                         int64_t value) {
  const ash_place_arc arc = ash_place_learner_arc(p, s->reason.index, s->var);
  ash_place_learner_bump(p, s->reason.index);
  need(p, arc.side, 1);
  need(p, arc.from, ash_place_learner_weakest(p, s->var, value) - arc.weight);
}

static void explain_room(ash_place_learner *p, const ash_place_step *s) {
  const ash_place_choice *x = &p->spans[s->reason.index];
  const bool above = s->var == ash_place_side(p, s->reason.index, true);
  const uint32_t a = 2 * x->j + !above, b = 2 * x->i + above;
  need(p, a, p->bound[a]);
  need(p, b, (above ? x->lo : -x->hi) + 1 - p->bound[a]);
}

/* Those of the stack lie beyond a common edge, which may be as far away as the
 * value allows. */
static void explain_stack(ash_place_learner *p, ash_place_step *s,
                          int64_t value) {
  const uint32_t moment = s->reason.index, item = s->var / 2;
  const ash_place_crowd *m = &p->moments[moment];
  const ash_place_member *list = p->members + m->first;
  const bool up = !(s->var & 1);
  uint32_t b = 0;
  int64_t sum = 0;
  while (list[b].item != item)
    b++;
  for (uint32_t a = 0; a < m->count; a++)
    if (a != b && p->bound[ash_place_beyond(p, moment, a, b, up)] &&
        ash_place_edge(p, &list[a], up) >= s->reason.from)
      sum += list[a].hi - list[a].lo;
  const int64_t least = ash_place_learner_weakest(p, s->var, value) +
                        (up ? list[b].lo : -list[b].hi) - sum;
  ASH_ASSERT(least <= s->reason.from);
  for (uint32_t a = 0; a < m->count; a++) {
    if (a == b)
      continue;
    const uint32_t side = ash_place_beyond(p, moment, a, b, up);
    if (!p->bound[side] || ash_place_edge(p, &list[a], up) < s->reason.from)
      continue;
    bump(p, side);
    need(p, side, 1);
    need(p, 2 * list[a].item + !up, least - (up ? list[a].lo : -list[a].hi));
  }
  s->reason.from = least;
}

/* The bytes may be as many as are still too few. */
static void explain_crowd(ash_place_learner *p, ash_place_cause *why) {
  const ash_place_crowd *m = &p->moments[why->index];
  const ash_place_member *list = p->members + m->first;
  int64_t spare = why->from - why->to - 1;
  for (int pass = 0; pass < 2; pass++)
    for (uint32_t a = 0; a < m->count; a++) {
      const ash_place_member *x = &list[a];
      if (ash_place_edge(p, x, true) < why->from ||
          -ash_place_edge(p, x, false) > why->to)
        continue;
      if (pass == 0) {
        spare += x->hi - x->lo;
        continue;
      }
      need(p, 2 * x->item, why->from - spare / 2 - x->lo);
      need(p, 2 * x->item + 1, x->hi - (why->to + spare - spare / 2));
    }
  ASH_ASSERT(spare >= 0);
  why->from -= spare / 2;
  why->to += spare - spare / 2;
}

static void explain(ash_place_learner *p, ash_place_step *s, int64_t value) {
  bump(p, s->var);
  switch (s->reason.kind) {
  case ASH_PLACE_BY_CLAUSE:
    explain_clause(p, s);
    break;
  case ASH_PLACE_BY_SIDE:
    explain_side(p, s, value);
    break;
  case ASH_PLACE_BY_ROOM:
    explain_room(p, s);
    break;
  case ASH_PLACE_BY_STACK:
    explain_stack(p, s, value);
    break;
  case ASH_PLACE_DECISION:
  case ASH_PLACE_BY_CROWD:
  case ASH_PLACE_BY_BOUNDS:
    ASH_ASSERT(false); /* no step has this reason, or it is not followed */
  }
}

static void remember(ash_place_learner *p, const ash_place_step *s) {
  if (p->log && ASH_GROW(&p->zone, &p->path, p->path_count))
    p->path.items[p->path_count++] = *s;
}

/* Where two bounds contradict each other, the reasons of the newer one are
 * needed, not itself: against a fact it would teach that the fact holds. */
static void explain_conflict(ash_place_learner *p, ash_place_cause *conflict) {
  if (conflict->kind == ASH_PLACE_BY_CROWD) {
    explain_crowd(p, conflict);
    return;
  }
  ASH_ASSERT(conflict->kind == ASH_PLACE_BY_BOUNDS);
  const ash_place_atom a = {conflict->index, p->bound[conflict->index]};
  const ash_place_atom no = ash_place_not(p, a);
  ash_place_step s = p->trail.items[p->trail_count - 1];
  need(p, no.var, no.value);
  if (s.var != a.var || s.reason.kind == ASH_PLACE_DECISION) {
    need(p, a.var, a.value);
    return;
  }
  ash_place_learner_undo(p);
  explain(p, &s, a.value);
  remember(p, &s);
}

/* ---- the clause ---------------------------------------------------------- */

static uint32_t level_of(const ash_place_learner *p, uint32_t step) {
  uint32_t low = 0, high = p->level + 1;
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    if (p->levels.items[middle] <= step)
      low = middle;
    else
      high = middle;
  }
  return low;
}

static uint32_t count_since(const ash_place_learner *p, uint32_t step) {
  uint32_t count = 0;
  for (uint32_t k = 0; k < p->touched_count; k++) {
    const uint32_t at = p->need_step[p->touched[k]];
    count += at != ASH_PLACE_NONE && at >= step;
  }
  return count;
}

/* Follows steps of the newest level back until one of them is left. */
static uint32_t follow_back(ash_place_learner *p) {
  const uint32_t first = p->levels.items[p->level];
  for (;;) {
    ash_place_step s = p->trail.items[p->trail_count - 1];
    if (p->need_step[s.var] != p->trail_count - 1) {
      ash_place_learner_undo(p);
      continue;
    }
    if (count_since(p, first) == 1)
      return s.var;
    const int64_t value = p->need[s.var];
    p->need_step[s.var] = ASH_PLACE_NONE;
    ash_place_learner_undo(p);
    p->need[s.var] = INT64_MIN;
    for (uint32_t k = 0; k < p->touched_count; k++)
      if (p->touched[k] == s.var)
        p->touched[k] = p->touched[--p->touched_count];
    explain(p, &s, value);
    remember(p, &s);
  }
}

static void add_atom(ash_place_learner *p, uint32_t var) {
  const ash_place_atom a = {var, p->need[var]};
  if (ASH_GROW(&p->zone, &p->lesson, p->lesson_count))
    p->lesson.items[p->lesson_count++] = ash_place_not(p, a);
}

/* The newest atom first, then that of the highest level below, which is
 * returned. */
static uint32_t write_lesson(ash_place_learner *p, uint32_t newest,
                             uint32_t *levels) {
  uint32_t back = 0;
  uint64_t seen = 0;
  p->lesson_count = 0;
  add_atom(p, newest);
  for (uint32_t k = 0; k < p->touched_count; k++) {
    const uint32_t var = p->touched[k];
    if (var == newest)
      continue;
    const uint32_t level = level_of(p, p->need_step[var]);
    add_atom(p, var);
    bump(p, var);
    seen |= (uint64_t)1 << level % 64;
    if (level > back && p->lesson_count > 1) {
      back = level;
      const ash_place_atom x = p->lesson.items[1];
      p->lesson.items[1] = p->lesson.items[p->lesson_count - 1];
      p->lesson.items[p->lesson_count - 1] = x;
    }
  }
  *levels = 1;
  for (; seen; seen &= seen - 1)
    ++*levels;
  return back;
}

static void clear_needs(ash_place_learner *p) {
  for (uint32_t k = 0; k < p->touched_count; k++)
    p->need_step[p->touched[k]] = ASH_PLACE_NONE;
  p->touched_count = 0;
}

bool ash_place_learner_learn(ash_place_learner *p, ash_place_cause *conflict,
                             bool *consistent) {
  p->conflicts++;
  p->path_count = 0;
  *consistent = true;
  if (p->level == 0) {
    ash_place_learner_log_end(p, conflict);
    return false;
  }
  explain_conflict(p, conflict);
  while (p->level > 0 && count_since(p, p->levels.items[p->level]) == 0)
    ash_place_learner_back_to(p, p->level - 1);
  if (p->level == 0) { /* facts alone contradict each other */
    clear_needs(p);
    ash_place_learner_log_end(p, conflict);
    return false;
  }
  uint32_t levels;
  const uint32_t newest = follow_back(p);
  const uint32_t back = write_lesson(p, newest, &levels);
  clear_needs(p);
  ash_place_learner_log_lesson(p, conflict);
  ash_place_learner_back_to(p, back);
  if (p->zone.failed)
    return true;
  const uint32_t c =
      ash_place_learner_add(p, p->lesson.items, p->lesson_count, levels);
  if (c != ASH_PLACE_NONE)
    *consistent = ash_place_learner_set(
        p, p->lesson.items[0],
        (ash_place_cause){.kind = ASH_PLACE_BY_CLAUSE, .index = c}, conflict);
  ash_place_learner_cool(p);
  return true;
}
