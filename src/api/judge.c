/* judge.c - see judge.h. */
#include "api/judge.h"

#include "plan/planner.h"

ash_status ash_judge_plan(ash_ctx *ctx, const ash_plan *plan,
                          const ash_graph *g, const ash_device *device,
                          const ash_plan_options *options) {
  const size_t said = ctx->diag_count;
  const ash_status status = ash_check_plan(ctx, plan, g, device);
  return ash_planner_is_foreign(ctx, options)
             ? ash_planner_blame(ctx, status, said)
             : status;
}
