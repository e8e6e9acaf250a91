/* residents.h - which results stay in the compute memory until their last
 * reader, instead of going home and coming back. */
#ifndef ASH_TILE_RESIDENTS_H
#define ASH_TILE_RESIDENTS_H

#include "tile/hierarchy.h"

/* The best that the search finds for an op; `fits` false: nothing, or the op
 * is not cut. */
typedef struct ash_op_price {
  bool fits;
  ash_tile_value value;
} ash_op_price;

/* With the homes and the limit that the hierarchy has now. */
typedef ash_status ash_op_pricer(void *user, uint32_t op, ash_op_price *out);

/* Makes the compute memory the home of results for which that makes no
 * operator slower and all of them together cheaper. */
ash_status ash_residents_choose(ash_hierarchy *h, ash_op_pricer *price,
                                void *user);

#endif
