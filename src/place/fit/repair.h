/* repair.h - what brings large instances to their bound when a plain order does
 * not: linear memory, a few passes. */
#ifndef ASH_PLACE_REPAIR_H
#define ASH_PLACE_REPAIR_H

#include "base/rng.h"
#include "place/exact/valley.h"
#include "place/fit/fit.h"
#include "place/fit/orders.h"
#include "place/solve.h"

typedef struct ash_place_repair {
  ash_place_solve *solve;
  ash_place_fit fit;
  ash_place_traits traits;
  uint32_t *order, *critical;
  uint64_t mend_ticks;
} ash_place_repair;

ash_status ash_place_repair_init(ash_place_repair *r, ash_place_solve *s);

/* squeaky.c: some rounds from an order. */
void ash_place_squeaky_run(ash_place_repair *r, ash_place_order kind,
                           unsigned rounds);

/* lns.c: mends the places that are too high; for sparse instances. From the
 * best placement so far, or from what is in the fit. Ends after r->mend_ticks:
 * where almost every place is too high, other passes are better. */
void ash_place_lns_run(ash_place_repair *r);
void ash_place_lns_mend(ash_place_repair *r);

/* window.c: places the items that meet a load of at least `permille` of the
 * bound first, by a dive on the skyline, and the others around them. */
ash_status ash_place_window_run(ash_place_repair *r, uint64_t permille);

/* The whole sequence. */
ash_status ash_place_repair_run(ash_place_solve *s);

#endif
