/* deeploy_tiler.c - tiling step by step, as Deeploy's Tiler does it: the states
 * a tiler goes through, and one function for each of its methods. */
#include "ashlar/compile.h"
#include "ashlar/deeploy.h"
#include "ashlar/report.h"

#include "api/judge.h"
#include "api/options.h"
#include "ask/ask.h"
#include "emit/module/module.h"
#include "order/order.h"
#include "plan/planner.h"
#include "render/render.h"
#include "tile/tiler.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef enum state { NEW, MODEL, SCHEDULE, MAP, ANNOTATED } state;

struct ash_tiler {
  ash_ctx *ctx;
  const ash_device *device;
  ash_tiler_settings settings;
  state state;
  const ash_graph *g;
  ash_plan_options plan;
  ash_ask ask;
  const ash_tilings *tilings;
  const ash_plan *map;
};

static ash_status too_early(const ash_tiler *t, const char *what,
                            const char *missing) {
  return ash_fail(t->ctx, ASH_MISUSE, ASH_D_tiler_order, ASH_NOWHERE,
                  "%s before %s", what, missing);
}

#define NEED(t, least, missing)                                                \
  do {                                                                         \
    if ((t)->state < (least))                                                  \
      return too_early((t), __func__, missing);                                \
  } while (0)

ash_status ash_tiler_new(ash_ctx *ctx, ash_tiler **out,
                         const ash_device *device,
                         const ash_tiler_settings *settings) {
  ASH_NEED(ctx, ctx && out && device);
  ash_tiler *t = ASH_NEW(&ctx->keep, ash_tiler);
  *out = NULL;
  ASH_TRY(ash_zone_check(ctx, &ctx->keep));
  t->ctx = ctx;
  t->device = device;
  ash_take_options(&t->settings, sizeof t->settings, settings);
  if (device->compute_memory == ASH_NO_MEMORY)
    return ash_fail(ctx, ASH_MISUSE, ASH_D_tile_device, ASH_NOWHERE,
                    "%s has no compute memory: there is nothing to tile for",
                    device->name);
  if (t->settings.arena_prefix)
    ASH_TRY(ash_emit_check_prefix(ctx, t->settings.arena_prefix));
  *out = t;
  return ASH_OK;
}

/* ---- the model ---------------------------------------------------------- */

ash_status ash_tiler_setup_model(ash_tiler *t, const ash_graph *g,
                                 const ash_steps *steps,
                                 const ash_plan_options *plan) {
  ASH_NEED(t ? t->ctx : NULL, t && g);
  t->state = NEW;
  t->g = g;
  t->plan = (ash_plan_options){0};
  ash_take_options(&t->plan, sizeof t->plan, plan);
  t->plan.struct_bytes = sizeof t->plan;
  ASH_TRY(ash_options_plan(t->ctx, &t->plan));
  t->ask = (ash_ask){.graph = g, .device = t->device, .book = t->plan.rules};
  ash_steps made;
  if (!steps && t->settings.scheduler) {
    ASH_TRY(
        t->settings.scheduler(t->settings.scheduler_user, t->ctx, &made, g));
    steps = &made;
  }
  ASH_TRY(ash_options_steps(t->ctx, steps));
  ASH_TRY(ash_order_steps(t->ctx, &t->ask.steps, g, steps));
  ASH_TRY(ash_choose_all(t->ctx, &t->ask.choices, g, NULL));
  ASH_TRY(ash_ask_resolve(t->ctx, &t->ask, t->plan.constraints,
                          t->plan.constraint_count));
  t->state = MODEL;
  return ASH_OK;
}

ash_status ash_tiler_compute_schedule(ash_tiler *t, const ash_tilings **out) {
  ASH_NEED(t ? t->ctx : NULL, t && out);
  *out = NULL;
  NEED(t, MODEL, "ash_tiler_setup_model");
  ash_tile_options tile = {0};
  ash_take_options(&tile, sizeof tile, &t->settings.tile);
  tile.struct_bytes = sizeof tile;
  tile.seed = tile.seed ? tile.seed : t->plan.seed;
  tile.no_residents = true; /* Deeploy has none */
  ASH_TRY(ash_tile_ops(t->ctx, &t->tilings, &t->ask, &tile));
  t->state = SCHEDULE;
  *out = t->tilings;
  return ASH_OK;
}

/* ---- the map ------------------------------------------------------------ */

static ash_status choose_planner(ash_tiler *t) {
  const char *outer = t->settings.outer ? t->settings.outer : t->plan.planner;
  const char *inner = t->settings.inner;
  t->plan.planner = outer;
  if (!inner || (outer && strcmp(inner, outer) == 0))
    return ASH_OK;
  t->plan.planner =
      ash_zone_format(&t->ctx->keep, "%s+%s", inner, outer ? outer : "exact");
  return ash_zone_check(t->ctx, &t->ctx->keep);
}

ash_status ash_tiler_compute_memory_map(ash_tiler *t, const ash_plan **out) {
  ASH_NEED(t ? t->ctx : NULL, t && out);
  *out = NULL;
  NEED(t, SCHEDULE, "ash_tiler_compute_schedule");
  ASH_TRY(choose_planner(t));
  t->plan.tilings = t->tilings;
  ASH_TRY(ash_plan_once(t->ctx, &t->map, &t->ask, &t->plan));
  ASH_TRY(ash_judge_plan(t->ctx, t->map, t->g, t->device, &t->plan));
  t->state = MAP;
  *out = t->map;
  return t->settings.visualise ? ash_tiler_plot(t, NULL) : ASH_OK;
}

/* Can slots be given to its buffers at all? */
static ash_status check_given(const ash_tiler *t, const ash_tilings *given) {
  bool sound = given->count == t->g->op_count && given->items && given->home;
  for (uint32_t i = 0; sound && i < given->count; i++) {
    const ash_tiling *x = &given->items[i];
    sound = !x->space || (x->level_count <= ASH_TILE_LEVELS && x->buffers);
  }
  if (sound)
    return ASH_OK;
  return ash_fail(t->ctx, ASH_MALFORMED, ASH_D_tile_op, ASH_NOWHERE,
                  "the solution is not one of the model's %zu operators",
                  t->g->op_count);
}

/* Do the slots of a map belong to operators of the model? */
static ash_status check_owners(const ash_tiler *t, const ash_plan *map) {
  for (uint32_t i = 0; i < map->slot_count; i++) {
    const ash_slot *s = &map->slots[i];
    if (s->tensor == ASH_NO_ID && s->op >= t->g->op_count)
      return ash_fail(t->ctx, ASH_MALFORMED, ASH_D_plan_missing, ASH_NOWHERE,
                      "slot %u of the map is of no operator", (unsigned)i);
  }
  return ASH_OK;
}

/* The map with the solution's buffers in its slots, and with the buffers of a
 * pattern alive as long as it runs. */
static ash_status join(ash_tiler *t, const ash_tilings *tilings,
                       const ash_plan *map, const ash_plan **out) {
  ash_plan *made = ASH_NEW(&t->ctx->keep, ash_plan);
  ash_slot *slots =
      ASH_NEW_ARRAY(&t->ctx->keep, ash_slot, map->slot_count + 1u);
  ASH_TRY(ash_zone_check(t->ctx, &t->ctx->keep));
  for (uint32_t i = 0; i < map->slot_count; i++)
    slots[i] = map->slots[i];
  *made = *map;
  made->slots = slots;
  ash_tiler_propagate_io_buffers(slots, map->slot_count, &map->steps);
  ASH_TRY(ash_plan_tile_bind(t->ctx, &made->tilings, tilings, slots,
                             map->slot_count));
  *out = made;
  return ASH_OK;
}

ash_status ash_tiler_use(ash_tiler *t, const ash_tilings *tilings,
                         const ash_plan *map) {
  ASH_NEED(NULL, t);
  const ash_plan *joined;
  NEED(t, MODEL, "ash_tiler_setup_model");
  if (!tilings || !map)
    return ash_fail(t->ctx, ASH_MISUSE, ASH_D_tiler_order, ASH_NOWHERE,
                    "a solution and a map made for it must come together");
  ASH_TRY(check_given(t, tilings));
  ASH_TRY(check_owners(t, map));
  ASH_TRY(join(t, tilings, map, &joined));
  const size_t said = t->ctx->diag_count;
  const ash_status status = ash_check_plan(t->ctx, joined, t->g, t->device);
  ASH_TRY(ash_planner_blame(t->ctx, status, said));
  t->tilings = joined->tilings;
  t->map = joined;
  t->state = MAP;
  return ASH_OK;
}

ash_status ash_tiler_annotate_memory_level(ash_tiler *t,
                                           const ash_tilings **out) {
  ASH_NEED(t ? t->ctx : NULL, t && out);
  *out = NULL;
  NEED(t, MAP, "ash_tiler_compute_memory_map");
  t->tilings = t->map->tilings;
  t->state = ANNOTATED;
  *out = t->tilings;
  return ASH_OK;
}

ash_status ash_tiler_address_space(const ash_tiler *t, uint32_t op,
                                   uint32_t level, uint32_t operand,
                                   uint32_t copy, uint64_t *start,
                                   uint64_t *end) {
  ASH_NEED(t ? t->ctx : NULL, t && start && end);
  *start = *end = 0;
  NEED(t, ANNOTATED, "ash_tiler_annotate_memory_level");
  const ash_tiling *x = op < t->tilings->count ? &t->tilings->items[op] : NULL;
  if (!x || !x->space || level >= x->level_count ||
      operand >= x->space->operand_count)
    return ash_fail(t->ctx, ASH_MISUSE, ASH_D_tiler_order, ASH_NOWHERE,
                    "operator %u has no operand %u at level %u", (unsigned)op,
                    (unsigned)operand, (unsigned)level);
  const ash_tile_buffer *b =
      &x->buffers[level * x->space->operand_count + operand];
  if (copy >= b->copies)
    return ash_fail(t->ctx, ASH_MISUSE, ASH_D_tiler_order, ASH_NOWHERE,
                    "the operand has %u copies there", (unsigned)b->copies);
  const ash_slot *s = &t->map->slots[b->slot + copy];
  *start = s->binding.offset;
  *end = s->binding.offset + s->size;
  return ASH_OK;
}

/* ---- copies ------------------------------------------------------------- */

uint32_t ash_multi_buffer_double(void *user, const ash_graph *g, uint32_t op,
                                 const ash_tile_operand *operand,
                                 const uint32_t *path, uint32_t count,
                                 uint32_t hop) {
  (void)user, (void)g, (void)op, (void)operand, (void)path, (void)count,
      (void)hop;
  return 2;
}

uint32_t ash_multi_buffer_single(void *user, const ash_graph *g, uint32_t op,
                                 const ash_tile_operand *operand,
                                 const uint32_t *path, uint32_t count,
                                 uint32_t hop) {
  (void)user, (void)g, (void)op, (void)operand, (void)path, (void)count,
      (void)hop;
  return 1;
}

uint32_t ash_multi_buffer_outer(void *user, const ash_graph *g, uint32_t op,
                                const ash_tile_operand *operand,
                                const uint32_t *path, uint32_t count,
                                uint32_t hop) {
  (void)user, (void)g, (void)op, (void)operand, (void)path;
  return hop + 1 == count ? 1 : 2;
}

/* The step that runs an op, the count if none does. */
static uint32_t step_of(const ash_steps *steps, uint32_t op) {
  for (uint32_t s = 0; s < steps->count; s++)
    for (uint32_t k = 0; k < steps->items[s].op_count; k++)
      if (steps->items[s].ops[k] == op)
        return s;
  return steps->count;
}

void ash_tiler_propagate_io_buffers(ash_slot *slots, uint32_t count,
                                    const ash_steps *steps) {
  if (!(slots && steps))
    return;
  for (uint32_t i = 0; i < count; i++) {
    if (slots[i].kind != ASH_SLOT_TILE)
      continue;
    const uint32_t s = step_of(steps, slots[i].op);
    if (s < steps->count && slots[i].life.first_step > s)
      slots[i].life.first_step = s;
    if (s < steps->count && slots[i].life.end_step < s + 1)
      slots[i].life.end_step = s + 1;
  }
}

/* ---- questions ---------------------------------------------------------- */

bool ash_tiler_is_layer_wise(const ash_steps *steps) {
  if (!(steps && steps->items))
    return true;
  for (uint32_t i = 0; i < steps->count; i++)
    if (steps->items[i].op_count > 1)
      return false;
  return true;
}

bool ash_tiler_is_uniform(const ash_tilings *tilings, const ash_graph *g,
                          uint32_t memory) {
  if (!(tilings && tilings->home && g))
    return false;
  for (size_t i = 0; i < g->tensor_count; i++) {
    const ash_tensor *t = &g->tensors.items[i];
    if (t->kind == ASH_TENSOR_ACTIVATION && !t->is_output &&
        tilings->home[i] != memory)
      return false;
  }
  return true;
}

ash_status ash_tiler_test_solution(const ash_tiler *t) {
  ASH_NEED(t ? t->ctx : NULL, t);
  NEED(t, ANNOTATED, "ash_tiler_annotate_memory_level");
  return ash_check_tilings(t->ctx, t->map, t->g, t->device);
}

ash_status ash_tiler_test_memory_map(const ash_tiler *t) {
  ASH_NEED(t ? t->ctx : NULL, t);
  NEED(t, MAP, "ash_tiler_compute_memory_map");
  return ash_check_plan(t->ctx, t->map, t->g, t->device);
}

ash_status ash_tiler_worst_case_buffer_sizes(const ash_tiler *t,
                                             uint64_t *bytes) {
  ASH_NEED(t ? t->ctx : NULL, t && bytes);
  for (uint32_t m = 0; m < t->device->memory_count; m++)
    bytes[m] = 0;
  NEED(t, MAP, "ash_tiler_compute_memory_map");
  for (uint32_t i = 0; i < t->map->arena_count; i++)
    for (uint32_t m = 0; m < t->device->memory_count; m++)
      if (t->map->arenas[i].role != ASH_CONSTANT &&
          strcmp(t->map->arenas[i].memory, t->device->memories[m].name) == 0)
        bytes[m] += t->map->arenas[i].size;
  return ASH_OK;
}

const char *ash_tiler_arena_name(const ash_tiler *t, char *buf, size_t size,
                                 uint32_t memory) {
  if (!(t && buf && size))
    return NULL;
  const char *prefix =
      t->settings.arena_prefix ? t->settings.arena_prefix : "model";
  const ash_mark mark = ash_zone_mark(&t->ctx->scratch);
  (void)snprintf(buf, size, "%s",
                 memory < t->device->memory_count
                     ? ash_render_symbol(&t->ctx->scratch, prefix, ASH_SCRATCH,
                                         t->device->memories[memory].name)
                     : "");
  ash_zone_rewind(&t->ctx->scratch, mark);
  return buf;
}

ash_status ash_tiler_minimalloc(ash_tiler *t, const ash_buffer *blocks,
                                size_t count, uint64_t capacity,
                                const int64_t **offsets) {
  ASH_NEED(t ? t->ctx : NULL, t && (blocks || count == 0) && offsets);
  const ash_place_problem problem = {
      .buffers = blocks, .buffer_count = count, .capacity = capacity};
  ash_place_result result;
  *offsets = NULL;
  ASH_TRY(ash_place(t->ctx, &result, &problem, NULL));
  if (!result.offsets || result.height > capacity)
    return ash_fail(t->ctx, ASH_NOFIT, ASH_D_plan_nofit, ASH_NOWHERE,
                    "no placement of %zu blocks within %" PRIu64 " bytes (%s)",
                    count, capacity, ash_verdict_text(result.verdict));
  *offsets = result.offsets;
  return ASH_OK;
}

/* ---- a picture ---------------------------------------------------------- */

/* Folders do not belong into the name of a file. */
static const char *page_name(const ash_tiler *t) {
  const char *test = t->settings.test_name;
  char *name = ash_zone_format(&t->ctx->keep, "memory_alloc%s%s.html",
                               test ? "_" : "", test ? test : "");
  for (char *c = name; c && *c; c++)
    if (*c == '/' || *c == '\\')
      *c = '_';
  return name;
}

ash_status ash_tiler_plot(const ash_tiler *t, const char *folder) {
  ASH_NEED(t ? t->ctx : NULL, t);
  ash_generated page = {0};
  NEED(t, MAP, "ash_tiler_compute_memory_map");
  if (!folder)
    folder = t->settings.work_folder ? t->settings.work_folder : ".";
  page.name = page_name(t);
  ASH_TRY(ash_zone_check(t->ctx, &t->ctx->keep));
  ASH_TRY(ash_report_html(t->ctx, &page.bytes, &page.count, t->map, t->g));
  return ash_write_files(t->ctx, folder, &page, 1);
}
