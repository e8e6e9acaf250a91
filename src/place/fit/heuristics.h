/* heuristics.h - named heuristics instead of the exact search. */
#ifndef ASH_PLACE_HEURISTICS_H
#define ASH_PLACE_HEURISTICS_H

#include "place/solve.h"

/* Runs s->options.heuristic. ASH_MISUSE for a name that does not exist. */
ash_status ash_heuristic_run(ash_solve *s);

#endif
