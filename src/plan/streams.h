/* streams.h - inputs whose rows arrive, and outputs whose rows leave, while the
 * model runs. */
#ifndef ASH_PLAN_STREAMS_H
#define ASH_PLAN_STREAMS_H

#include "ashlar/plan.h"
#include "ask/ask.h"

/* Fills `ask->is_fed` and `ask->is_drained` from the names in the options; kept
 * by `ctx`. */
ash_status ash_plan_streams(ash_ctx *ctx, ash_ask *ask,
                            const ash_plan_options *options);

#endif
