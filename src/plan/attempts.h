/* attempts.h - the stages tile and plan, tried with ever smaller demands until
 * the model fits. */
#ifndef ASH_PLAN_ATTEMPTS_H
#define ASH_PLAN_ATTEMPTS_H

#include "ashlar/plan.h"
#include "ask/ask.h"

/* The first plan that fits, not yet checked; ASH_NOFIT with the diagnostics of
 * the last attempt if none does. `tile` counts for devices with a compute
 * memory alone, and options->tilings is ignored there. */
ash_status ash_plan_attempts(ash_ctx *ctx, const ash_plan **out,
                             const ash_ask *ask, const ash_target *target,
                             const ash_plan_options *options,
                             const ash_tile_options *tile);

#endif
