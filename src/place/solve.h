/* solve.h - what the stages of one call to ash_place share. */
#ifndef ASH_PLACE_SOLVE_H
#define ASH_PLACE_SOLVE_H

#include "place/bound.h"
#include "place/fit/fit.h"
#include "place/fit/orders.h"
#include "place/reduce.h"

typedef struct ash_solve {
  ash_ctx *ctx;
  const ash_place_problem *problem;
  ash_place_options options;
  ash_model model;
  ash_bound bound;
  uint64_t lower;  /* proved: no placement is lower                        */
  uint64_t limit;  /* the capacity: what is higher is of no use            */
  uint64_t target; /* what is at most this high is good enough             */
  int64_t *bases;  /* the best placement so far                            */
  uint64_t height; /* of it; UINT64_MAX: none yet                          */
  uint64_t ticks, tick_limit;
  bool stopped;
} ash_solve;

/* Is there nothing left to do? */
bool ash_solve_done(const ash_solve *s);
/* Remembers the bases if they are lower than the best so far. */
void ash_solve_offer(ash_solve *s, const int64_t *bases, uint64_t height);
/* Counts work; true: the budget is spent or the caller wants to stop. */
bool ash_solve_spend(ash_solve *s, uint64_t ticks);

/* The first incumbents: first fit in several orders. */
ash_status ash_race_run(ash_solve *s);

#endif
