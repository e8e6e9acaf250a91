/* portfolio.h - parallel portfolio: several threads on one search, each with
 * its own skyline, table and seed; the first answer counts. Refutations and
 * placements are true whoever finds them, so a portfolio is never worse than
 * its first member alone. */
#ifndef ASH_PLACE_PORTFOLIO_H
#define ASH_PLACE_PORTFOLIO_H

#include "place/exact/exact.h"
#include "place/exact/valley.h"

typedef struct ash_place_portfolio ash_place_portfolio;

enum { ASH_PLACE_PORTFOLIO_MAX = 16 };

/* `helpers` members besides the caller; NULL without memory. They live in the
 * zone, but allocate from zones of their own: ash_place_portfolio_drop. */
ash_place_portfolio *ash_place_portfolio_new(ash_place_solve *s, ash_zone *zone,
                                             const ash_place_goal *goal,
                                             ash_place_valley_use use,
                                             uint32_t helpers);
void ash_place_portfolio_drop(ash_place_portfolio *p);

/* Starts the helpers on a capacity. */
void ash_place_portfolio_start(ash_place_portfolio *p, int64_t capacity,
                               uint64_t nodes);
/* Has one of them found an answer? Polled by the caller's own search. */
bool ash_place_portfolio_has_answer(ash_place_portfolio *p);
/* Waits for them, stopping those still at work. If one has an answer it is
 * returned, with a solved one's places in sky->place (unless NULL). */
ash_place_outcome ash_place_portfolio_finish(ash_place_portfolio *p,
                                             ash_place_skyline *sky);

#endif
