/* attempts.c - the one policy of retries. What packing wastes is learnt by
 * trying: with a compute memory, results that stay there get less room, then
 * go home, tensors spill to the next memory, tiles get less room; without one,
 * operators give up kernels that want work memory (variants.c). */
#include "plan/attempts.h"

#include "plan/planner.h"
#include "plan/variants.h"
#include "tile/tiler.h"

#include <string.h>

/* One attempt at a tiled model, in 1024ths (ash_tile_options). The last one
 * says what is short when nothing is spilt. */
static const struct {
  uint32_t spill, shrink;
  bool residents;
} tiled_attempts[] = {{0, 0, true},     {0, 32, true},     {0, 96, true},
                      {0, 0, false},    {960, 0, true},    {960, 0, false},
                      {896, 64, false}, {768, 128, false}, {512, 256, false},
                      {0, 0, false}};

/* Deeploy's strategies never spill a tensor, and keep none. */
static bool keeps_homes(const char *planner) {
  static const char *const names[] = {"TetrisRandom", "TetrisCo-Opt",
                                      "MiniMalloc"};
  const char *plus = planner ? strchr(planner, '+') : NULL;
  const char *outer = plus ? plus + 1 : planner;
  for (size_t i = 0; outer && i < ASH_COUNT_OF(names); i++)
    if (strcmp(outer, names[i]) == 0)
      return true;
  return false;
}

static ash_status attempt_tiled(ash_ctx *ctx, const ash_plan **out,
                                const ash_ask *ask,
                                const ash_plan_options *options,
                                const ash_tile_options *tile) {
  ash_plan_options with_tiles = *options;
  ASH_TRY(ash_tile_ops(ctx, &with_tiles.tilings, ask, tile));
  return ash_plan_once(ctx, out, ask, &with_tiles);
}

static ash_status plan_tiled(ash_ctx *ctx, const ash_plan **out,
                             const ash_ask *ask,
                             const ash_plan_options *options,
                             const ash_tile_options *tile) {
  const size_t diags = ctx->diag_count;
  const bool spills = !keeps_homes(options->planner);
  ash_tile_options tried = {0};
  ash_status status = ASH_NOFIT;
  ash_take_options(&tried, sizeof tried, tile);
  tried.struct_bytes = sizeof tried;
  tried.seed = tried.seed ? tried.seed : options->seed;
  const bool residents = spills && !tried.no_residents;
  for (size_t i = 0; i < ASH_COUNT_OF(tiled_attempts) && status == ASH_NOFIT;
       i++) {
    ctx->diag_count = diags;
    if (tiled_attempts[i].residents && !residents)
      continue;
    tried.spill = spills ? tiled_attempts[i].spill : 0;
    tried.shrink = tiled_attempts[i].shrink;
    tried.no_residents = !tiled_attempts[i].residents;
    status = attempt_tiled(ctx, out, ask, options, &tried);
  }
  return status;
}

ash_status ash_plan_attempts(ash_ctx *ctx, const ash_plan **out,
                             const ash_ask *ask, const ash_target *target,
                             const ash_plan_options *options,
                             const ash_tile_options *tile) {
  ASH_ASSERT(ask->graph && ask->device && ask->memories);
  ash_plan_options known = {0};
  *out = NULL;
  ash_take_options(&known, sizeof known, options);
  known.struct_bytes = sizeof known;
  return ask->device->compute_memory == ASH_NO_MEMORY
             ? ash_plan_variants(ctx, out, ask, target, &known)
             : plan_tiled(ctx, out, ask, &known, tile);
}
