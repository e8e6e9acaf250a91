/* clause_pair.c - see clause_pair.h. */
#include "place/clause/clause_pair.h"
#include "base/checked.h"

ash_status ash_place_clause_pair_init(ash_place_clause_pair *p,
                                      ash_place_solve *s,
                                      const ash_place_goal *goal) {
  const ash_allocator *mem = &s->ctx->mem;
  p->is_ready = ash_place_learner_init_cliques(&p->at_bound, &s->reduced,
                                               goal->items, goal->count, mem) &&
                ash_place_learner_init_cliques(&p->below_best, &s->reduced,
                                               goal->items, goal->count, mem);
  ASH_TRY(ash_zone_check(s->ctx, &p->at_bound.zone));
  return ash_zone_check(s->ctx, &p->below_best.zone);
}

void ash_place_clause_pair_drop(ash_place_clause_pair *p) {
  ash_place_learner_drop(&p->at_bound);
  ash_place_learner_drop(&p->below_best);
}

static bool keep_on(void *user, uint64_t ticks) {
  return !ash_place_solve_spend(user, ticks);
}

static void take_bases(const ash_place_learner *l, ash_place_solve *s,
                       ash_place_goal *goal) {
  uint64_t height = 0;
  for (uint32_t i = 0; i < goal->count; i++) {
    const ash_place_item *item = &s->reduced.items[goal->items[i]];
    const int64_t base = l->bound[ash_place_low(i)];
    ASH_ASSERT(base >= 0 && base + item->reach <= l->capacity);
    s->bases[goal->items[i]] = base;
    if (item->reach)
      height = ash_max_u64(height, (uint64_t)(base + item->reach));
  }
  goal->height = height;
}

static void lead(ash_place_learner *l, const int64_t *bases) {
  for (uint32_t k = 0; k < l->span_count; k++) {
    const ash_place_choice *x = &l->spans[k];
    const int64_t apart = bases[l->items[x->j]] - bases[l->items[x->i]];
    l->phase[k] = (uint8_t)(1 + (apart < x->hi));
  }
}

void ash_place_clause_pair_lead(ash_place_clause_pair *p,
                                const int64_t *bases) {
  if (!p->is_ready)
    return;
  ASH_ASSERT(bases != NULL);
  lead(&p->at_bound, bases);
  lead(&p->below_best, bases);
}

ash_status ash_place_clause_pair_try(ash_place_clause_pair *p,
                                     ash_place_outcome *outcome,
                                     ash_place_solve *s, ash_place_goal *goal,
                                     int64_t capacity, bool at_bound,
                                     uint64_t conflicts) {
  ASH_ASSERT(p->is_ready && capacity >= 0);
  ash_place_learner *l = at_bound ? &p->at_bound : &p->below_best;
  *outcome = ash_place_learner_search(l, capacity, conflicts, keep_on, s);
  if (*outcome == ASH_PLACE_SOLVED) {
    take_bases(l, s, goal);
    ash_place_clause_pair_lead(p, s->bases);
  }
  return ash_zone_check(s->ctx, &l->zone);
}
