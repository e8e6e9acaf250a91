/* clause_propagate.c - what follows from the newest steps: over the spans of an
 * item, through the clauses that watch an atom, and at the moments of an item
 * when nothing else follows. */
#include "place/clause/clause.h"

static bool carry(ash_place_learner *p, uint32_t span, uint32_t to,
                  ash_place_cause *conflict) {
  const ash_place_arc arc = ash_place_learner_arc(p, span, to);
  if (!p->bound[arc.side])
    return true;
  const ash_place_atom a = {to, p->bound[arc.from] + arc.weight};
  return ash_place_learner_set(
      p, a, (ash_place_cause){.kind = ASH_PLACE_BY_SIDE, .index = span},
      conflict);
}

/* A side that has no room leaves the other one. */
static bool decide(ash_place_learner *p, uint32_t span,
                   ash_place_cause *conflict) {
  const ash_place_choice *s = &p->spans[span];
  const ash_place_cause why = {.kind = ASH_PLACE_BY_ROOM, .index = span};
  const uint32_t above = ash_place_side(p, span, true);
  const uint32_t below = ash_place_side(p, span, false);
  if (p->bound[2 * (size_t)s->j] + p->bound[2 * (size_t)s->i + 1] > s->lo &&
      !ash_place_learner_set(p, (ash_place_atom){above, 1}, why, conflict))
    return false;
  if (p->bound[2 * (size_t)s->j + 1] + p->bound[2 * (size_t)s->i] > -s->hi &&
      !ash_place_learner_set(p, (ash_place_atom){below, 1}, why, conflict))
    return false;
  return true;
}

static bool follow_span(ash_place_learner *p, uint32_t span,
                        ash_place_cause *conflict) {
  const ash_place_choice *s = &p->spans[span];
  const bool any = p->bound[ash_place_side(p, span, true)] ||
                   p->bound[ash_place_side(p, span, false)];
  if (!any)
    return decide(p, span, conflict);
  return carry(p, span, 2 * s->i, conflict) &&
         carry(p, span, 2 * s->j, conflict) &&
         carry(p, span, 2 * s->i + 1, conflict) &&
         carry(p, span, 2 * s->j + 1, conflict);
}

static void soil(ash_place_learner *p, uint32_t item) {
  for (uint32_t k = p->moment_at[item]; k < p->moment_at[item + 1]; k++) {
    const uint32_t s = p->moment_list[k];
    if (!p->dirty[s]) {
      p->dirty[s] = 1;
      p->dirty_list[p->dirty_count++] = s;
    }
  }
}

static bool is_false(const ash_place_learner *p, ash_place_atom a) {
  return ash_place_holds(p, ash_place_not(p, a));
}

/* An atom that is not false yet takes the place of a watched one. */
static bool rewatch(ash_place_learner *p, uint32_t c, uint32_t which) {
  const ash_place_clause *clause = &p->clauses.items[c];
  ash_place_atom *atoms = p->atoms.items + clause->first;
  for (uint32_t k = 2; k < clause->count; k++)
    if (!is_false(p, atoms[k])) {
      const ash_place_atom a = atoms[k];
      atoms[k] = atoms[which];
      atoms[which] = a;
      ash_place_learner_watch(p, c, which);
      return true;
    }
  return false;
}

static bool follow_clauses(ash_place_learner *p, uint32_t var,
                           ash_place_cause *conflict) {
  uint32_t *link = &p->watched[var];
  while (*link != ASH_PLACE_NONE) {
    const uint32_t c = *link / 2, which = *link % 2;
    ash_place_clause *clause = &p->clauses.items[c];
    const ash_place_atom *atoms = p->atoms.items + clause->first;
    p->work++;
    if (is_false(p, atoms[which]) && !ash_place_holds(p, atoms[!which])) {
      const uint32_t next = clause->next[which];
      if (rewatch(p, c, which)) {
        *link = next;
        continue;
      }
      if (!ash_place_learner_set(
              p, atoms[!which],
              (ash_place_cause){.kind = ASH_PLACE_BY_CLAUSE, .index = c},
              conflict))
        return false;
    }
    link = &clause->next[which];
  }
  return true;
}

static bool follow_step(ash_place_learner *p, uint32_t var,
                        ash_place_cause *conflict) {
  if (!follow_clauses(p, var, conflict))
    return false;
  if (!ash_place_is_offset(p, var)) {
    const uint32_t span = var / 2 - p->item_count;
    soil(p, p->spans[span].i);
    p->work += 4;
    return follow_span(p, span, conflict);
  }
  const uint32_t item = var / 2;
  soil(p, item);
  p->work += p->span_at[item + 1] - p->span_at[item];
  for (uint32_t k = p->span_at[item]; k < p->span_at[item + 1]; k++)
    if (!follow_span(p, p->span_list[k], conflict))
      return false;
  return true;
}

static bool follow_start(ash_place_learner *p, ash_place_cause *conflict) {
  for (uint32_t k = 0; k < p->span_count; k++)
    if (!follow_span(p, k, conflict))
      return false;
  return true;
}

bool ash_place_learner_propagate(ash_place_learner *p,
                                 ash_place_cause *conflict) {
  if (p->propagated == 0 && !follow_start(p, conflict))
    return false;
  for (;;) {
    while (p->propagated < p->trail_count)
      if (!follow_step(p, p->trail.items[p->propagated++].var, conflict))
        return false;
    if (p->dirty_count == 0 || p->zone.failed)
      return true;
    const uint32_t s = p->dirty_list[--p->dirty_count];
    p->dirty[s] = 0;
    if (!ash_place_learner_crowd(p, s, conflict))
      return false;
  }
}
