/* compile.c - the whole compiler in one screen:
 *
 *   bytes -> graph -> lowered graph -> plan -> C
 *
 * Every arrow is verified or checked before the next one starts. */
#include "ashlar/compile.h"

#include "emit/module/module.h"
#include "op/verify.h"
#include "pass/pass.h"
#include "plan/variants.h"

#include <string.h>

ash_status ash_lower(ash_ctx *ctx, ash_graph *g) {
  return ash_lower_without(ctx, g, NULL, 0);
}

ash_status ash_lower_without(ash_ctx *ctx, ash_graph *g,
                             const char *const *passes, size_t count) {
  ASH_TRY(ash_run_passes_but(ctx, g, passes, count));
  return ash_graph_verify(ctx, g);
}

/* ---- the arrow ---------------------------------------------------------- */

typedef struct run {
  ash_ctx *ctx;
  ash_compiled *out;
  const ash_device *device;
  ash_compile_options options;
} run;

/* Dumps what the stage made, if anybody listens; says whether to go on. */
static ash_status after(run *r, ash_stage stage, bool *go_on) {
  const char *text = "";
  size_t count = 0;
  *go_on = !r->options.stop || stage < r->options.stop_after;
  if (!r->options.dump || stage == ASH_STAGE_EMIT)
    return ASH_OK;
  if (stage == ASH_STAGE_PLAN)
    ASH_TRY(ash_plan_json(r->ctx, &text, &count, r->out->plan, r->out->graph));
  else
    ASH_TRY(ash_graph_dump(r->ctx, &text, &count, r->out->graph));
  r->options.dump(r->options.dump_user, stage, text, count);
  return ASH_OK;
}

static uint32_t features_of(const ash_device *d, ash_kernels kernels) {
  if (!d || d->compute_memory != ASH_NO_MEMORY ||
      kernels == ASH_KERNELS_PORTABLE)
    return 0; /* pieces are run by portable kernels */
  return (kernels == ASH_KERNELS_CMSIS_NN ? (uint32_t)ASH_FEATURE_CMSIS_NN
                                          : 0) |
         (d->features.dsp ? (uint32_t)ASH_FEATURE_DSP : 0) |
         (d->features.mve ? (uint32_t)ASH_FEATURE_MVE : 0) |
         (d->features.mve && d->features.fpu ? (uint32_t)ASH_FEATURE_MVE_FLOAT
                                             : 0) |
         (d->features.rvv ? (uint32_t)ASH_FEATURE_RVV : 0);
}

/* The compute memory, as far as it may be used. */
static uint64_t piece_bytes_of(const run *r) {
  const uint32_t m = r->device ? r->device->compute_memory : ASH_NO_MEMORY;
  if (m == ASH_NO_MEMORY)
    return 0;
  uint64_t bytes = r->device->memories[m].bytes;
  for (size_t i = 0; i < r->options.plan.constraint_count; i++) {
    const ash_memory_constraint *c = &r->options.plan.constraints[i];
    if (strcmp(c->memory, r->device->memories[m].name) == 0 &&
        c->max_size < bytes)
      bytes = c->max_size;
  }
  return bytes;
}

/* Deeploy's strategies know no other home than the one that was asked for. */
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

/* Tiles, then a plan with them. What packing wastes is learnt by trying: when
 * it does not fit, homes move on to the next memory, then tiles get less room.
 */
static ash_status plan_tiled(run *r) {
  static const struct {
    uint32_t spill, shrink;
  } tries[] = {{0, 0}, {960, 0}, {896, 64}, {768, 128}, {512, 256}, {0, 0}};
  ash_compiled *out = r->out;
  const size_t diags = r->ctx->diag_count;
  ash_plan_options options = r->options.plan;
  ash_tile_options tile = r->options.tile;
  ash_status status = ASH_NOFIT;
  for (size_t i = 0; i < ASH_COUNT_OF(tries) && status == ASH_NOFIT; i++) {
    r->ctx->diag_count = diags;
    tile.spill = keeps_homes(options.planner) ? 0 : tries[i].spill;
    tile.shrink = tries[i].shrink;
    status = ash_tile_model(r->ctx, &options.tilings, out->graph, r->device,
                            &options, &tile);
    if (status == ASH_OK)
      status =
          ash_plan_model(r->ctx, &out->plan, out->graph, r->device, &options);
  }
  return status;
}

static ash_status plan_memory(run *r) {
  ash_compiled *out = r->out;
  if (r->device->compute_memory != ASH_NO_MEMORY)
    return plan_tiled(r);
  return ash_plan_variants(r->ctx, &out->plan, out->graph, r->device,
                           &r->options.plan);
}

static ash_status compile(run *r, const char *path) {
  ash_compiled *out = r->out;
  const char *prefix =
      r->options.prefix ? r->options.prefix : ash_default_prefix(r->ctx, path);
  bool go_on;
  ash_progress(r->ctx, "reading", 0, 0);
  ASH_TRY(ash_load_model_with(r->ctx, &out->graph, path, &r->options.load));
  ASH_TRY(after(r, ASH_STAGE_READ, &go_on));
  if (!go_on)
    return ASH_OK;
  out->graph->features = features_of(r->device, r->options.kernels);
  out->graph->piece_bytes = piece_bytes_of(r);
  ash_progress(r->ctx, "rewriting", 0, 0);
  ASH_TRY(ash_lower_without(r->ctx, out->graph, r->options.no_passes,
                            r->options.no_pass_count));
  ASH_TRY(after(r, ASH_STAGE_PASS, &go_on));
  if (!go_on)
    return ASH_OK;
  ash_progress(r->ctx, "planning", 0, 0);
  ASH_TRY(plan_memory(r));
  ASH_TRY(after(r, ASH_STAGE_PLAN, &go_on));
  if (!go_on)
    return ASH_OK;
  ASH_TRY(ash_zone_check(r->ctx, &r->ctx->keep));
  ASH_TRY(ash_emit_check_prefix(r->ctx, prefix));
  ASH_TRY(ash_build_render_plan(r->ctx, &out->render, out->plan, out->graph,
                                prefix));
  ASH_TRY(ash_emit_rendered(r->ctx, &out->files, &out->file_count, out->graph,
                            out->plan, out->render, r->device,
                            &r->options.emit));
  return after(r, ASH_STAGE_EMIT, &go_on);
}

ash_status ash_compile(ash_ctx *ctx, ash_compiled *out, const char *path,
                       const ash_device *device,
                       const ash_compile_options *options) {
  run r = {.ctx = ctx, .out = out, .device = device};
  *out = (ash_compiled){0};
  ash_take_options(&r.options, sizeof r.options, options);
  return compile(&r, path);
}

void ash_compiled_drop(ash_compiled *compiled) {
  ash_graph_free(compiled->graph);
  *compiled = (ash_compiled){0};
}
