/* judge.h - the check that every plan passes before anyone sees it. */
#ifndef ASH_API_JUDGE_H
#define ASH_API_JUDGE_H

#include "ashlar/plan.h"

/* ash_check_plan; what a planner that is not ours did wrong is ASH_MALFORMED,
 * what one of ours did is ASH_INTERNAL. */
ash_status ash_judge_plan(ash_ctx *ctx, const ash_plan *plan,
                          const ash_graph *g, const ash_device *device,
                          const ash_plan_options *options);

#endif
