/* check_tiles.h - how the judges of tilings talk: check_tiles.c looks at cuts,
 * boxes and buffers, check_tile_moves.c runs the loops. */
#ifndef ASH_CHECK_CHECK_TILES_H
#define ASH_CHECK_CHECK_TILES_H

#include "check/check_plan.h"

/* [lo, hi) */
typedef struct ash_interval {
  int64_t lo, hi;
} ash_interval;

/* What positions [at, at + n) of an axis need of a dimension of `size`, as
 * ashlar/tile.h says. */
ash_interval ash_check_interval(const ash_tile_dim *d, int64_t size, int64_t at,
                                int64_t n);

/* Are the bytes that a tiling says it moves those that its loops move? Its
 * cuts have been checked. */
ash_status ash_check_tile_moves(ash_ctx *ctx, const ash_graph *g,
                                const ash_tiling *t);

#endif
