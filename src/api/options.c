/* options.c - what callers give as options is there and means something. */
#include "api/options.h"

#include "base/ctx.h"

static ash_status refuse(ash_ctx *ctx, const char *what, const char *why) {
  return ash_fail(ctx, ASH_MISUSE, ASH_D_misuse, ASH_NOWHERE, "options: %s %s",
                  what, why);
}

static ash_status want_texts(ash_ctx *ctx, const char *const *list,
                             size_t count, const char *what) {
  if (count && !list)
    return refuse(ctx, what, "are announced and not there");
  for (size_t i = 0; i < count; i++)
    if (!list[i])
      return refuse(ctx, what, "have a hole: one of them is NULL");
  return ASH_OK;
}

static ash_status want_below(ash_ctx *ctx, unsigned value, unsigned count,
                             const char *what) {
  return value < count ? ASH_OK : refuse(ctx, what, "is a number of nothing");
}

ash_status ash_options_load(ash_ctx *ctx, const ash_load_options *o) {
  ASH_TRY(
      want_texts(ctx, o->input_shapes, o->input_shape_count, "input_shapes"));
  ASH_TRY(want_texts(ctx, o->constants, o->constant_count, "constants"));
  ASH_TRY(want_texts(ctx, o->customs, o->custom_count, "customs"));
  ASH_TRY(want_texts(ctx, o->input_types, o->input_type_count, "input_types"));
  ASH_TRY(
      want_texts(ctx, o->output_types, o->output_type_count, "output_types"));
  return want_texts(ctx, o->states, o->state_count, "states");
}

ash_status ash_options_steps(ash_ctx *ctx, const ash_steps *steps) {
  if (!steps)
    return ASH_OK;
  if (steps->count && !steps->items)
    return refuse(ctx, "steps", "are announced and not there");
  for (uint32_t i = 0; i < steps->count; i++)
    if (steps->items[i].op_count && !steps->items[i].ops)
      return refuse(ctx, "operators of a step", "are announced and not there");
  return ASH_OK;
}

/* Whether they are of this model, ash_check_tilings finds out. */
static ash_status want_tilings(ash_ctx *ctx, const ash_tilings *t) {
  return !t || (t->home && t->device && (t->items || t->count == 0))
             ? ASH_OK
             : refuse(ctx, "tilings", "have no operators, homes or device");
}

ash_status ash_options_plan(ash_ctx *ctx, const ash_plan_options *o) {
  if (o->constraint_count && !o->constraints)
    return refuse(ctx, "constraints", "are announced and not there");
  if (o->cores > ASH_CORES_MAX)
    return ash_fail(ctx, ASH_MISUSE, ASH_D_misuse, ASH_NOWHERE,
                    "options: %u cores, at most %u are possible",
                    (unsigned)o->cores, (unsigned)ASH_CORES_MAX);
  ASH_TRY(want_texts(ctx, o->feed, o->feed_count, "feed"));
  ASH_TRY(want_texts(ctx, o->drain, o->drain_count, "drain"));
  ASH_TRY(want_below(ctx, o->order, ASH_ORDER_ROWS + 1, "order"));
  ASH_TRY(want_below(ctx, o->moves, ASH_MOVES_SMALLEST + 1, "moves"));
  ASH_TRY(ash_options_steps(ctx, o->steps));
  return want_tilings(ctx, o->tilings);
}

ash_status ash_options_emit(ash_ctx *ctx, const ash_emit_options *o) {
  ASH_TRY(want_below(ctx, o->constants, ASH_CONSTANTS_COUNT, "constants"));
  ASH_TRY(want_below(ctx, o->module, ASH_MODULE_COUNT, "module"));
  ASH_TRY(want_below(ctx, o->specialise, ASH_SPECIALISE_COUNT, "specialise"));
  return want_below(ctx, o->reserved != 0, 1, "reserved");
}

ash_status ash_options_compile(ash_ctx *ctx, const ash_compile_options *o) {
  ash_load_options load = {0};
  ash_plan_options plan = {0};
  ash_emit_options emit = {0};
  ash_take_options(&load, sizeof load, &o->load);
  ash_take_options(&plan, sizeof plan, &o->plan);
  ash_take_options(&emit, sizeof emit, &o->emit);
  ASH_TRY(ash_options_load(ctx, &load));
  ASH_TRY(ash_options_plan(ctx, &plan));
  ASH_TRY(ash_options_emit(ctx, &emit));
  ASH_TRY(want_below(ctx, o->kernels, ASH_KERNELS_COUNT, "kernels"));
  ASH_TRY(want_below(ctx, o->stop_after, ASH_STAGE_COUNT, "stop_after"));
  return want_texts(ctx, o->no_passes, o->no_pass_count, "no_passes");
}
