/* moments.h - coordinate compression of time: the moments of a reduced problem
 * are the maximal cliques of the interval graph of its rects. */
#ifndef ASH_PLACE_MOMENTS_H
#define ASH_PLACE_MOMENTS_H

#include "place/reduce.h"

/* Gives every rect its moments from its times. */
ash_status ash_place_find_moments(ash_ctx *ctx, ash_place_reduced *out,
                                  const int64_t *lower, const int64_t *upper);

#endif
