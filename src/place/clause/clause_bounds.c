/* clause_bounds.c - bounds that only grow, and the trail of their steps. */
#include "place/clause/clause.h"

static const ash_place_item *item_of(const ash_place_learner *p, uint32_t var) {
  ASH_ASSERT(ash_place_is_offset(p, var));
  return &p->in->items[p->items[var / 2]];
}

/* The least value of the variable at or above this one. */
static int64_t round_up(const ash_place_learner *p, uint32_t var, int64_t at) {
  const ash_place_item *x = item_of(p, var);
  if (x->modulus == 1)
    return at;
  if (var % 2 == 0)
    return ash_place_item_round_up(x, at);
  const int64_t up = ash_place_item_round_up(x, -at);
  return up == -at ? at : x->modulus - up;
}

int64_t ash_place_learner_weakest(const ash_place_learner *p, uint32_t var,
                                  int64_t value) {
  const int64_t up = round_up(p, var, value);
  return up - item_of(p, var)->modulus + 1;
}

bool ash_place_learner_set(ash_place_learner *p, ash_place_atom a,
                           ash_place_cause why, ash_place_cause *conflict) {
  if (ash_place_holds(p, a))
    return true;
  const bool is_offset = ash_place_is_offset(p, a.var);
  if (!ASH_GROW(&p->zone, &p->trail, p->trail_count))
    return true; /* the zone's flag ends the search */
  if (is_offset)
    a.value = round_up(p, a.var, a.value);
  ASH_ASSERT(a.value > p->bound[a.var]);
  p->trail.items[p->trail_count] =
      (ash_place_step){a.var, p->last[a.var], p->bound[a.var], a.value, why};
  p->last[a.var] = p->trail_count++;
  p->bound[a.var] = a.value;
  *conflict = (ash_place_cause){
      .kind = ASH_PLACE_BY_BOUNDS, .index = a.var, .from = 0, .to = 0};
  return is_offset ? p->bound[a.var] + p->bound[a.var ^ 1] <= 0
                   : p->bound[a.var ^ 1] == 0;
}

void ash_place_learner_undo(ash_place_learner *p) {
  ASH_ASSERT(p->trail_count > 0);
  const ash_place_step *s = &p->trail.items[--p->trail_count];
  p->bound[s->var] = s->old;
  p->last[s->var] = s->before;
  if (!ash_place_is_offset(p, s->var)) {
    const uint32_t span = s->var / 2 - p->item_count;
    p->phase[span] = (uint8_t)(1 + (s->var & 1));
    ash_place_learner_offer(p, span);
  }
}

void ash_place_learner_back_to(ash_place_learner *p, uint32_t level) {
  if (level >= p->level)
    return;
  const uint32_t first = p->levels.items[level + 1];
  while (p->trail_count > first)
    ash_place_learner_undo(p);
  p->propagated = first;
  p->level = level;
  while (p->dirty_count)
    p->dirty[p->dirty_list[--p->dirty_count]] = 0;
}

/* above: offset[j] >= offset[i] + hi; below: offset[i] >= offset[j] - lo; and
 * the same of the negated offsets. */
ash_place_arc ash_place_learner_arc(const ash_place_learner *p, uint32_t span,
                                    uint32_t to) {
  const ash_place_choice *s = &p->spans[span];
  const bool is_j = to / 2 == s->j, negated = to & 1;
  ASH_ASSERT(is_j || to / 2 == s->i);
  const bool above = is_j != negated;
  return (ash_place_arc){.from = 2 * (is_j ? s->i : s->j) + negated,
                         .side = ash_place_side(p, span, above),
                         .weight = above ? s->hi : -s->lo};
}
