/* heuristics.h - first fit in several orders before the exact search, or a
 * named heuristic instead of it. */
#ifndef ASH_PLACE_HEURISTICS_H
#define ASH_PLACE_HEURISTICS_H

#include "place/solve.h"

/* Runs s->options.heuristic. ASH_MISUSE for a name that does not exist. */
ash_status ash_place_heuristic_run(ash_place_solve *s);

/* The first incumbents: first fit in several orders. */
ash_status ash_place_race_run(ash_place_solve *s);

#endif
