/* heuristics.h - first fit in several orders before the exact search, or a
 * named heuristic instead of it. */
#ifndef ASH_PLACE_HEURISTICS_H
#define ASH_PLACE_HEURISTICS_H

#include "place/fit/fit.h"

/* Runs s->options.heuristic. ASH_MISUSE for a name that does not exist. */
ash_status ash_place_heuristic_run(ash_place_solve *s);

/* The first incumbents: first fit in several orders, and a ring. Large
 * instances begin with a few of them; what is left out then is for
 * ash_place_race_rest, so that no named order is better than the answer. */
ash_status ash_place_race_run(ash_place_solve *s);
ash_status ash_place_race_rest(ash_place_solve *s);

/* ring.c: next fit with wrap-around in the order, at several capacities. */
void ash_place_ring_run(ash_place_solve *s, ash_place_fit *fit,
                        const uint32_t *order);

#endif
