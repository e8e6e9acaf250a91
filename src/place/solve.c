/* solve.c - the state that the stages of one call to ash_place share: the best
 * placement so far (the incumbent) and the budget. */
#include "place/solve.h"

#include <string.h>

bool ash_place_solve_done(const ash_place_solve *s) {
  ASH_ASSERT(s->height >= s->bound.height);
  if (s->stopped || s->ticks >= s->tick_limit)
    return true;
  if (s->height == UINT64_MAX)
    return false;
  return s->height <= s->target;
}

void ash_place_solve_offer(ash_place_solve *s, const int64_t *bases,
                           uint64_t height) {
  ASH_ASSERT(height >= s->bound.height);
  if (height >= s->height)
    return;
  memcpy(s->bases, bases, s->reduced.item_count * sizeof *bases);
  s->height = height;
}

bool ash_place_solve_spend(ash_place_solve *s, uint64_t ticks) {
  s->ticks += ticks;
  ash_progress(s->ctx, "placing", s->ticks, s->tick_limit);
  if (s->options.stop && s->options.stop(s->options.stop_user))
    s->stopped = true;
  return s->stopped || s->ticks >= s->tick_limit;
}
