/* variants.h - fast kernels where their work memory fits, small ones where it
 * must be. */
#ifndef ASH_PLAN_VARIANTS_H
#define ASH_PLAN_VARIANTS_H

#include "ashlar/plan.h"
#include "ask/ask.h"

/* ash_plan_once; and if that does not fit, operators give up their fast
 * kernels, no more of them than must. A note names them. */
ash_status ash_plan_variants(ash_ctx *ctx, const ash_plan **out,
                             const ash_ask *ask, const ash_target *target,
                             const ash_plan_options *options);

#endif
