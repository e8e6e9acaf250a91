/* tiler.h - the stage between order and plan, for devices with a compute
 * memory. */
#ifndef ASH_TILE_TILER_H
#define ASH_TILE_TILER_H

#include "ashlar/tile.h"
#include "ask/ask.h"

/* Homes of all tensors and the tiling of every operator (ash_tile_model). */
ash_status ash_tile_ops(ash_ctx *ctx, const ash_tilings **out,
                        const ash_ask *ask, const ash_tile_options *options);

#endif
