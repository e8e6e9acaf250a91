/* solve.h - what the stages of one call to ash_place share. */
#ifndef ASH_PLACE_SOLVE_H
#define ASH_PLACE_SOLVE_H

#include "place/bound.h"
#include "place/reduce.h"

typedef struct ash_place_solve {
  ash_ctx *ctx;
  const ash_place_problem *problem;
  ash_place_options options;
  ash_place_reduced reduced;
  ash_place_bound bound;
  uint64_t lower;  /* proved: no placement is lower                        */
  uint64_t limit;  /* the capacity: what is higher is of no use            */
  uint64_t target; /* what is at most this high is good enough             */
  int64_t *bases;  /* the best placement so far                            */
  uint64_t height; /* of it; UINT64_MAX: none yet                          */
  uint64_t ticks, tick_limit;
  bool stopped;
} ash_place_solve;

/* Is there nothing left to do? */
bool ash_place_solve_done(const ash_place_solve *s);
/* Remembers the bases if they are lower than the best so far. */
void ash_place_solve_offer(ash_place_solve *s, const int64_t *bases,
                           uint64_t height);
/* Counts work; true: the budget is spent or the caller wants to stop. */
bool ash_place_solve_spend(ash_place_solve *s, uint64_t ticks);

/* without_gaps.c: the same buffers without their gaps, as a first incumbent. */
ash_status ash_place_without_gaps(ash_place_solve *s);

#endif
