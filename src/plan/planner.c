/* planner.c - from a graph to a checked plan: steps, slots, the backend's
 * policy, aliases, the checker. */
#include "plan/planner.h"

#include "base/sort.h"
#include "order/order.h"

#include <string.h>

const char *ash_role_text(ash_role role) {
  static const char *const text[] = {"scratch", "persistent", "constant"};
  return text[role];
}

static const ash_planner *const builtin[] = {
    &ash_planner_exact, &ash_planner_greedy, &ash_planner_first_fit,
    &ash_planner_naive};

const ash_planner *ash_planner_at(size_t index) {
  return index < ASH_COUNT_OF(builtin) ? builtin[index] : NULL;
}

const ash_planner *ash_find_planner(const char *name) {
  for (size_t i = 0; i < ASH_COUNT_OF(builtin); i++)
    if (strcmp(builtin[i]->name, name) == 0)
      return builtin[i];
  return NULL;
}

static ash_status find_backend(ash_draft *d, const ash_planner **out) {
  const char *name = d->options.planner ? d->options.planner : "exact";
  *out = ash_find_planner(name);
  if (*out)
    return ASH_OK;
  (void)ash_fail(d->ctx, ASH_MISUSE, ASH_D_planner_unknown, ASH_NOWHERE,
                 "there is no planner called '%s'", name);
  ash_hint(d->ctx, "planners: exact, greedy, first-fit, naive");
  return ASH_MISUSE;
}

static int by_role_and_name(const void *a, const void *b, const void *user) {
  const ash_arena *x = a, *y = b;
  (void)user;
  if (x->role != y->role)
    return (int)x->role - (int)y->role;
  return strcmp(x->memory, y->memory);
}

static ash_status sort_arenas(ash_draft *d) {
  ash_arena *spare = ASH_NEW_ARRAY(&d->ctx->scratch, ash_arena,
                                   d->arena_count + 1u);
  ASH_TRY(ash_zone_check(d->ctx, &d->ctx->scratch));
  ash_sort(d->arenas, spare, d->arena_count, sizeof *spare, by_role_and_name,
           NULL);
  return ASH_OK;
}

/* A plan is as well proved as its worst arena. */
static ash_verdict worst_verdict(const ash_draft *d) {
  for (uint32_t i = 0; i < d->arena_count; i++)
    if (d->arenas[i].verdict != ASH_OPTIMAL)
      return d->arenas[i].verdict;
  return ASH_OPTIMAL;
}

static ash_status finish(ash_draft *d, const ash_planner *backend,
                         const ash_plan **out) {
  ash_plan *plan = ASH_NEW(d->zone, ash_plan);
  const char *model = ash_zone_string(d->zone, d->g->name);
  ASH_TRY(ash_zone_check(d->ctx, d->zone));
  ash_populate_alias_bindings(d->slots.items, d->slots.count);
  ASH_TRY(sort_arenas(d));
  *plan = (ash_plan){.model = model,
                     .target = d->device->name,
                     .planner = backend->name,
                     .verdict = worst_verdict(d),
                     .steps = d->steps,
                     .slots = d->slots.items,
                     .slot_count = d->slots.count,
                     .arenas = d->arenas,
                     .arena_count = d->arena_count,
                     .ticks = d->ticks};
  ASH_TRY(ash_check_plan(d->ctx, plan, d->g, d->device));
  *out = plan;
  return ASH_OK;
}

static ash_status plan(ash_draft *d, const ash_plan **out) {
  const ash_planner *backend;
  ASH_TRY(find_backend(d, &backend));
  d->arenas = ASH_NEW_ARRAY(d->zone, ash_arena,
                            (size_t)ASH_ROLE_COUNT * d->device->memory_count);
  ASH_TRY(ash_zone_check(d->ctx, d->zone));
  ASH_TRY(ash_order_as_given(d->ctx, d->zone, &d->steps, d->g));
  ASH_TRY(ash_collect_slots(d->ctx, d->zone, &d->slots, d->g, &d->steps,
                            d->device->alignment));
  ASH_TRY(ash_draft_bump(d));
  ASH_TRY(backend->plan(d));
  return finish(d, backend, out);
}

ash_status ash_plan_memory(ash_ctx *ctx, const ash_plan **out,
                           const ash_graph *g, const ash_device *device,
                           const ash_plan_options *options) {
  ash_draft d = {.ctx = ctx, .zone = &ctx->keep, .g = g, .device = device};
  if (options)
    d.options = *options;
  *out = NULL;
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  const ash_status status = plan(&d, out);
  ash_zone_rewind(&ctx->scratch, mark);
  return status;
}

uint32_t ash_plan_slot_of_tensor(const ash_plan *plan, uint32_t tensor) {
  for (uint32_t i = 0; i < plan->slot_count; i++)
    if (plan->slots[i].tensor == tensor)
      return i;
  return ASH_NO_ID;
}

uint32_t ash_plan_slot_of_op(const ash_plan *plan, uint32_t op) {
  for (uint32_t i = 0; i < plan->slot_count; i++)
    if (plan->slots[i].op == op)
      return i;
  return ASH_NO_ID;
}
