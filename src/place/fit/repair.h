/* repair.h - what brings large instances to their bound when a plain order does
 * not: linear memory, a few passes. */
#ifndef ASH_PLACE_REPAIR_H
#define ASH_PLACE_REPAIR_H

#include "base/rng.h"
#include "place/exact/valley.h"
#include "place/solve.h"

typedef struct ash_repair {
  ash_solve *solve;
  ash_fit fit;
  ash_traits traits;
  uint32_t *order, *critical;
} ash_repair;

ash_status ash_repair_init(ash_repair *r, ash_solve *s);

/* squeaky.c: some rounds from an order. */
void ash_squeaky_run(ash_repair *r, ash_order_kind kind, unsigned rounds);

/* lns.c: mends the places that are too high; for sparse instances. From the
 * best placement so far, or from what is in the fit. */
void ash_lns_run(ash_repair *r);
void ash_lns_mend(ash_repair *r);

/* window.c: places the items that meet a load of at least `permille` of the
 * bound first, by a dive on the skyline, and the others around them. */
ash_status ash_window_run(ash_repair *r, uint64_t permille);

/* valley_soft.c: places everything once, without going back; where that does
 * not fit, the capacity rises. The capacity it took. */
int64_t ash_valley_drop(ash_valley *v, int64_t capacity);

/* The whole sequence. */
ash_status ash_repair_run(ash_solve *s);

#endif
