/* portfolio.h - several threads on one search: each has its own skyline, table
 * and seed; the first answer counts. Refutations and placements are true
 * whoever finds them, so a team is never worse than its first member alone. */
#ifndef ASH_PLACE_PORTFOLIO_H
#define ASH_PLACE_PORTFOLIO_H

#include "place/exact/exact.h"
#include "place/exact/valley.h"

typedef struct ash_team ash_team;

enum { ASH_TEAM_MAX = 16 };

/* `helpers` members besides the caller; NULL without memory. They live in the
 * zone, but allocate from zones of their own: ash_team_drop. */
ash_team *ash_team_new(ash_solve *s, ash_zone *zone, const ash_goal *goal,
                       ash_valley_use use, uint32_t helpers);
void ash_team_drop(ash_team *t);

/* Starts the helpers on a capacity. */
void ash_team_start(ash_team *t, int64_t capacity, uint64_t nodes);
/* Has one of them found an answer? Polled by the caller's own search. */
bool ash_team_has_answer(ash_team *t);
/* Waits for them, stopping those still at work. If one has an answer it is
 * returned, with a solved one's places in sky->place (unless NULL). */
ash_outcome ash_team_finish(ash_team *t, ash_skyline *sky);

#endif
