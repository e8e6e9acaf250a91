/* stages.c - single stages of the pipeline for callers that walk it
 * themselves: passes, tiles, a plan. */
#include "ashlar/compile.h"

#include "api/judge.h"
#include "api/options.h"
#include "ask/ask.h"
#include "op/verify.h"
#include "order/order.h"
#include "pass/pass.h"
#include "plan/orders.h"
#include "plan/streams.h"
#include "tile/tiler.h"

ash_status ash_lower(ash_ctx *ctx, ash_graph *g) {
  return ash_lower_without(ctx, g, NULL, 0);
}

ash_status ash_lower_without(ash_ctx *ctx, ash_graph *g,
                             const char *const *passes, size_t count) {
  ASH_NEED(ctx, ctx && g && (passes || count == 0));
  for (size_t i = 0; i < count; i++)
    ASH_NEED(ctx, passes[i]);
  const ash_target portable = {0};
  ASH_TRY(ash_pass_run_for(ctx, g, &portable, passes, count));
  return ash_op_verify(ctx, g);
}

static ash_status order_and_ask(ash_ctx *ctx, ash_ask *ask,
                                const ash_plan_options *options) {
  ash_plan_options known = {0};
  ash_take_options(&known, sizeof known, options);
  ASH_TRY(ash_options_plan(ctx, &known));
  ask->book = known.rules;
  ASH_TRY(ash_plan_streams(ctx, ask, &known));
  ASH_TRY(ash_order_steps(ctx, &ask->steps, ask->graph, known.steps));
  ASH_TRY(ash_choose_all(ctx, &ask->choices, ask->graph, NULL));
  return ash_ask_resolve(ctx, ask, known.constraints, known.constraint_count);
}

ash_status ash_tile_model(ash_ctx *ctx, const ash_tilings **out,
                          const ash_graph *g, const ash_device *device,
                          const ash_plan_options *plan,
                          const ash_tile_options *options) {
  ASH_NEED(ctx, ctx && out && g && device);
  const size_t said = ctx->diag_count;
  ash_ask ask = {.graph = g, .device = device};
  *out = NULL;
  ASH_TRY(order_and_ask(ctx, &ask, plan));
  ctx->diag_count = said; /* ash_plan_model will warn */
  return ash_tile_ops(ctx, out, &ask, options);
}

ash_status ash_plan_model(ash_ctx *ctx, const ash_plan **out,
                          const ash_graph *g, const ash_device *device,
                          const ash_plan_options *options) {
  ASH_NEED(ctx, ctx && out && g && device);
  ash_ask ask = {.graph = g, .device = device};
  const ash_plan *plan;
  *out = NULL;
  ASH_TRY(order_and_ask(ctx, &ask, options));
  ASH_TRY(ash_plan_orders(ctx, &plan, &ask, NULL, options, NULL));
  ASH_TRY(ash_judge_plan(ctx, plan, g, device, options));
  *out = plan;
  return ASH_OK;
}
