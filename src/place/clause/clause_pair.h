/* clause_pair.h - two learners for one component: what one has learned holds at
 * its capacity and below, so one goes down from the best placement, and the
 * other is at the bound and starts afresh when that rises. */
#ifndef ASH_PLACE_CLAUSE_PAIR_H
#define ASH_PLACE_CLAUSE_PAIR_H

#include "place/clause/clause.h"
#include "place/exact/exact.h"

typedef struct ash_place_clause_pair {
  ash_place_learner at_bound, below_best;
  bool is_ready;
} ash_place_clause_pair;

/* is_ready: false if the component has relations or is too large. */
ash_status ash_place_clause_pair_init(ash_place_clause_pair *p,
                                      ash_place_solve *s,
                                      const ash_place_goal *goal);
/* Pairs are tried first as they lie in this placement. */
void ash_place_clause_pair_lead(ash_place_clause_pair *p, const int64_t *bases);
void ash_place_clause_pair_drop(ash_place_clause_pair *p);

/* Is there a placement within the capacity? If so, it is in s->bases and its
 * height in goal->height. */
ash_status ash_place_clause_pair_try(ash_place_clause_pair *p,
                                     ash_place_outcome *outcome,
                                     ash_place_solve *s, ash_place_goal *goal,
                                     int64_t capacity, bool at_bound,
                                     uint64_t conflicts);

#endif
