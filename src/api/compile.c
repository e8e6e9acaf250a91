/* compile.c - the whole compiler on one screen:
 *
 *   bytes -read-> graph -pass-> graph -order-> steps -tile, plan-> plan
 * -check-> plan -render-> facts -emit-> C
 *
 * Every arrow is verified or checked before the next one starts. */
#include "ashlar/compile.h"

#include "api/judge.h"
#include "api/options.h"
#include "emit/module/module.h"
#include "op/verify.h"
#include "order/order.h"
#include "pass/pass.h"
#include "plan/orders.h"
#include "plan/streams.h"
#include "render/code.h"

typedef struct run {
  ash_ctx *ctx;
  ash_compiled *out;
  const char *path;
  const ash_device *device;
  ash_target target;
  ash_compile_options options;
} run;

static ash_status read(run *r) {
  return ash_load_model_with(r->ctx, &r->out->graph, r->path, &r->options.load);
}

static ash_status pass(run *r) {
  ASH_TRY(ash_pass_run_for(r->ctx, r->out->graph, &r->target,
                           r->options.no_passes, r->options.no_pass_count));
  return ash_op_verify(r->ctx, r->out->graph);
}

/* Says so where --fast-math chooses no kernel. */
static void note_fast_math(const run *r, const ash_choice *choices) {
  for (uint32_t op = 0; op < r->out->graph->op_count; op++)
    if (choices[op].kernel && ash_kernel_is_fast_math(choices[op].kernel))
      return;
  ash_note(r->ctx, ASH_D_plan_fast_math, ASH_NOWHERE,
           "--fast-math changes nothing: no operator has a kernel for it here");
}

static ash_status plan(run *r) {
  const ash_plan_options *options = &r->options.plan;
  const ash_graph *g = r->out->graph;
  ash_ask ask = {.graph = g, .device = r->device, .book = options->rules};
  ASH_TRY(ash_plan_streams(r->ctx, &ask, options));
  ASH_TRY(ash_order_steps(r->ctx, &ask.steps, g, options->steps));
  ASH_TRY(ash_choose_all(r->ctx, &ask.choices, g, &r->target));
  if (r->options.fast_math)
    note_fast_math(r, ask.choices);
  ASH_TRY(ash_ask_resolve(r->ctx, &ask, options->constraints,
                          options->constraint_count));
  ASH_TRY(ash_plan_orders(r->ctx, &r->out->plan, &ask, &r->target, options,
                          &r->options.tile));
  return ash_judge_plan(r->ctx, r->out->plan, g, r->device, options);
}

ash_status ash_emit_module(ash_ctx *ctx, ash_compiled *c,
                           const ash_device *device, const char *prefix,
                           const ash_emit_options *options) {
  ASH_NEED(ctx, ctx && c && c->graph && c->plan && device && prefix);
  const ash_code *code;
  ash_emit_options chosen = {0};
  ash_take_options(&chosen, sizeof chosen, options);
  ASH_TRY(ash_options_emit(ctx, &chosen));
  c->files = NULL;
  c->file_count = 0;
  ASH_TRY(ash_emit_check_prefix(ctx, prefix));
  ASH_TRY(ash_emit_check_device(ctx, c->plan, device));
  ASH_TRY(ash_build_render_plan(ctx, &c->render, c->plan, c->graph, prefix));
  ASH_TRY(ash_settle_code(ctx, &code, c->plan, c->graph, chosen.specialise));
  return ash_emit_rendered(ctx, c, code, device, &chosen);
}

static ash_status emit(run *r) {
  const char *prefix = r->options.prefix ? r->options.prefix
                                         : ash_default_prefix(r->ctx, r->path);
  ASH_TRY(ash_zone_check(r->ctx, &r->ctx->keep));
  return ash_emit_module(r->ctx, r->out, r->device, prefix, &r->options.emit);
}

static const struct {
  const char *progress;
  ash_status (*run)(run *r);
} stages[ASH_STAGE_COUNT] = {[ASH_STAGE_READ] = {"reading", read},
                             [ASH_STAGE_PASS] = {"rewriting", pass},
                             [ASH_STAGE_PLAN] = {"planning", plan},
                             [ASH_STAGE_EMIT] = {"writing C", emit}};

/* Hands out what a stage made, as text. */
static ash_status dump(const run *r, ash_stage stage) {
  const char *text = "";
  size_t count = 0;
  if (!r->options.dump || stage == ASH_STAGE_EMIT)
    return ASH_OK;
  if (stage == ASH_STAGE_PLAN)
    ASH_TRY(ash_plan_json(r->ctx, &text, &count, r->out->plan, r->out->graph));
  else
    ASH_TRY(ash_graph_dump(r->ctx, &text, &count, r->out->graph));
  r->options.dump(r->options.dump_user, stage, text, count);
  return ASH_OK;
}

ash_status ash_compile(ash_ctx *ctx, ash_compiled *out, const char *path,
                       const ash_device *device,
                       const ash_compile_options *options) {
  ASH_NEED(ctx, ctx && out && path && device);
  run r = {.ctx = ctx, .out = out, .path = path, .device = device};
  *out = (ash_compiled){0};
  ash_take_options(&r.options, sizeof r.options, options);
  ASH_TRY(ash_options_compile(ctx, &r.options));
  r.target = ash_target_of(device, &r.options);
  const ash_stage last = r.options.stop ? r.options.stop_after : ASH_STAGE_EMIT;
  for (unsigned stage = 0; stage <= last && stage < ASH_STAGE_COUNT; stage++) {
    if (stages[stage].progress)
      ash_progress(ctx, stages[stage].progress, 0, 0);
    ASH_TRY(stages[stage].run(&r));
    ASH_TRY(dump(&r, (ash_stage)stage));
  }
  return ASH_OK;
}

void ash_compiled_drop(ash_compiled *compiled) {
  if (!compiled)
    return;
  ash_graph_free(compiled->graph);
  *compiled = (ash_compiled){0};
}
