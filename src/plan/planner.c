/* planner.c - from a graph to a checked plan: constraints, steps, slots,
 * aliases, the backend's policy, the checker. */
#include "plan/planner.h"

#include "ask/rules.h"
#include "base/checked.h"
#include "base/nearest.h"
#include "base/sort.h"
#include "plan/cores.h"
#include "plan/record/record.h"
#include "plan/row_order.h"
#include "plan/share/row_overlap.h"

#include <inttypes.h>
#include <string.h>

typedef struct planning {
  ash_ctx *ctx;
  ash_plan_options options;
  const ash_planner *backend;
  bool foreign; /* the backend, or a part of it */
  const ash_ask *asked;
  ash_constraints rules; /* and the homes of tilings */
  ash_slots slots;
  ash_row_layout rows; /* of an order of rows */
  ash_moves *moves;    /* likewise            */
  ash_order_proof order;
  uint32_t *memory;    /* by slot */
  uint64_t *offset;    /* by slot */
  bool *aligned;       /* by slot: a rule asks for its alignment */
  ash_choice *choices; /* of the request */
  ash_plan_request ask;
  ash_plan_answer answer;
} planning;

/* ---- the backend --------------------------------------------------------- */

ash_status ash_plan_choose_planner(ash_ctx *ctx, const ash_planner **out,
                                   const char *name) {
  ash_nearest near;
  const ash_planner *p;
  if (!name)
    name = "exact";
  *out = ash_find_planner(ctx, name);
  if (!*out)
    *out = ash_find_mixed(ctx, name);
  if (*out)
    return ASH_OK;
  if (strncmp(name, "exec:", 5) == 0)
    return ash_exec_planner(ctx, out, name);
  if (strchr(name, '/'))
    return ash_load_planner(ctx, out, name);
  (void)ash_fail(ctx, ASH_MISUSE, ASH_D_planner_unknown, ASH_NOWHERE,
                 "there is no planner called '%s'", name);
  ash_nearest_init(&near, name);
  for (size_t i = 0; (p = ash_planner_at(ctx, i)); i++)
    ash_nearest_offer(&near, p->name);
  if (ash_nearest_word(&near))
    ash_hint(ctx, "did you mean '%s'?", ash_nearest_word(&near));
  else
    ash_hint(ctx, "built in: exact, greedy, first-fit, naive; also ./FILE.so "
                  "and 'exec:PROGRAM'");
  return ASH_MISUSE;
}

/* Given directly, or by name. */
static ash_status find_backend(planning *p) {
  const ash_planner *given = p->options.backend;
  if (!given)
    return ash_plan_choose_planner(p->ctx, &p->backend, p->options.planner);
  p->backend = given;
  return ash_planner_check(p->ctx, given, "the backend given", false);
}

static const char *name_of(const ash_planner *p) {
  ASH_ASSERT(p != NULL);
  return p->name ? p->name : "unnamed";
}

static bool has_rows(const planning *p) {
  return p->options.order == ASH_ORDER_ROWS;
}

/* Its answer, or why there is none. */
static ash_status hear_backend(planning *p) {
  ash_draft d = {.ctx = p->ctx, .ask = &p->ask, .answer = &p->answer};
  ash_slot *const slots = p->answer.slots;
  ash_arena *const arenas = p->answer.arenas;
  const uint32_t capacity = p->answer.arena_capacity;
  const ash_status status =
      p->backend->plan(p->backend->user, p->ctx, &p->ask, &p->answer);
  if (status != ASH_OK || !p->foreign)
    return status;
  return ash_planner_take(&d, slots, arenas, capacity);
}

static ash_status call_backend(planning *p) {
  ASH_ASSERT(p->backend->plan != NULL && p->answer.slots != NULL);
  const size_t said = p->ctx->diag_count;
  if (has_rows(p)) {
    ash_draft d = {
        .ctx = p->ctx, .ask = &p->ask, .answer = &p->answer, .rows = &p->rows};
    ASH_TRY(ash_plan_banks(&d, ash_plan_pack_rows));
    p->moves = d.moves;
    return ASH_OK;
  }
  const ash_status status = hear_backend(p);
  if (status == ASH_OK || p->ctx->diag_count > said)
    return status;
  return ash_fail(p->ctx, status,
                  status == ASH_NOFIT ? ASH_D_plan_nofit : ASH_D_planner_failed,
                  ASH_NOWHERE, "planner '%s': %s", name_of(p->backend),
                  p->answer.message ? p->answer.message
                                    : ash_status_text(status));
}

/* ---- what rules ask of slots --------------------------------------------- */

static void take_demands(planning *p, uint32_t i) {
  ash_slot *s = &p->slots.items[i];
  ASH_ASSERT(i < p->slots.count &&
             (s->tensor != ASH_NO_ID || s->op != ASH_NO_ID));
  p->memory[i] = ASH_NO_MEMORY;
  p->offset[i] = ASH_NO_OFFSET;
  if (p->options.tilings && s->binding.role == ASH_SCRATCH)
    p->memory[i] = ash_plan_tile_demand(p->options.tilings, p->ask.device, s);
  if (p->options.tilings && s->tensor == ASH_NO_ID)
    return;
  if (s->tensor == ASH_NO_ID) {
    p->memory[i] = p->rules.ops[s->op].scratch_placement;
    return;
  }
  const ash_tensor_attributes *a = &p->rules.tensors[s->tensor];
  if (a->alignment && s->row == 0)
    s->alignment = a->alignment;
  p->aligned[i] = a->alignment != 0;
  if (s->binding.role == ASH_CONSTANT)
    return;
  p->memory[i] = a->memory;
  if (s->binding.role != ASH_SCRATCH)
    return;
  p->offset[i] = a->offset;
  if (s->has_row && a->offset != ASH_NO_OFFSET)
    p->offset[i] += s->row * s->size;
}

/* Two pins on the same bytes at the same time cannot both be obeyed. */
static ash_status check_pins(planning *p, uint32_t i) {
  ASH_ASSERT(i < p->slots.count && p->offset[i] != ASH_NO_OFFSET);
  const ash_slot *x = &p->slots.items[i];
  for (uint32_t k = 0; k < i; k++) {
    const ash_slot *y = &p->slots.items[k];
    if (p->offset[k] == ASH_NO_OFFSET || p->memory[k] != p->memory[i] ||
        x->life.first_step >= y->life.end_step ||
        y->life.first_step >= x->life.end_step ||
        p->offset[i] >= p->offset[k] + y->size ||
        p->offset[k] >= p->offset[i] + x->size)
      continue;
    return ash_fail(p->ctx, ASH_MALFORMED, ASH_D_rule_conflict,
                    ash_graph_loc(p->ask.graph, ASH_NO_ID, x->tensor),
                    "'%s' is pinned at %" PRIu64 " and '%s' at %" PRIu64
                    ": they overlap while both are alive",
                    x->id, p->offset[i], y->id, p->offset[k]);
  }
  return ASH_OK;
}

static ash_status apply_rules(planning *p) {
  ash_zone *z = &p->ctx->scratch;
  const size_t n = p->slots.count + 1u;
  p->memory = ASH_NEW_ARRAY(z, uint32_t, n);
  p->offset = ASH_NEW_ARRAY(z, uint64_t, n);
  p->aligned = ASH_NEW_ARRAY(z, bool, n);
  ASH_TRY(ash_zone_check(p->ctx, z));
  for (uint32_t i = 0; i < p->slots.count; i++) {
    take_demands(p, i);
    if (p->offset[i] != ASH_NO_OFFSET)
      ASH_TRY(check_pins(p, i));
  }
  return ASH_OK;
}

/* Storage is placed whole: what one member must have, its root must. */
static ash_status lift_demands(planning *p) {
  ash_zone *z = &p->ctx->scratch;
  uint32_t *root = ASH_NEW_ARRAY(z, uint32_t, p->slots.count + 1u);
  ASH_TRY(ash_zone_check(p->ctx, z));
  ash_alias_roots(root, p->slots.items, p->slots.count);
  for (uint32_t i = 0; i < p->slots.count; i++) {
    ASH_ASSERT(root[i] < p->slots.count); /* no chain of aliases is a circle */
    if (p->memory[i] != ASH_NO_MEMORY)
      p->memory[root[i]] = p->memory[i];
  }
  return ASH_OK;
}

/* ---- the request --------------------------------------------------------- */

/* Slots that share storage, as far as they are not rows. */
static ash_status find_aliases(planning *p, const uint32_t *slot_of) {
  ash_aliaser a = {.ctx = p->ctx,
                   .g = p->ask.graph,
                   .steps = &p->ask.steps,
                   .choices = p->ask.choices,
                   .slots = &p->slots,
                   .slot_of = slot_of,
                   .memory = p->memory,
                   .offset = p->offset,
                   .aligned = p->aligned,
                   .tilings = p->options.tilings,
                   .shrinks = p->backend == &ash_planner_exact};
  ASH_TRY(ash_find_aliases(&a, &p->options, p->backend->views_only));
  if (p->options.tilings) {
    ash_demands demands = {p->memory, p->offset, p->aligned};
    ASH_TRY(ash_plan_tile_settle(&a, &demands));
    p->options.tilings = a.tilings;
  }
  return ASH_OK;
}

static ash_status collect_slots(planning *p) {
  ash_ctx *ctx = p->ctx;
  uint32_t *slot_of;
  ash_ask asked = *p->asked;
  asked.steps = p->ask.steps;
  asked.order = p->order;
  asked.choices = p->choices;
  if (has_rows(p)) {
    ASH_TRY(ash_collect_row_slots(ctx, &ctx->keep, &p->slots, &p->rows, &asked,
                                  !p->options.no_in_place));
    return apply_rules(p);
  }
  ASH_TRY(ash_collect_slots(ctx, &ctx->keep, &p->slots, &slot_of, &asked,
                            p->options.tilings));
  ASH_TRY(apply_rules(p));
  return find_aliases(p, slot_of);
}

static ash_status make_request(planning *p) {
  ash_ctx *ctx = p->ctx;
  ash_plan_request *ask = &p->ask;
  p->rules = p->asked->rules;
  if (p->options.tilings)
    ASH_TRY(
        ash_plan_tile_homes(ctx, &p->rules, ask->graph, p->options.tilings));
  ASH_TRY(collect_slots(p));
  ASH_TRY(lift_demands(p));
  ASH_ASSERT(ask->memory_count <= ASH_MEMORY_MAX);
  ask->slot_count = p->slots.count;
  ask->memory = p->memory;
  ask->offset = p->offset;
  return ASH_OK;
}

/* The answer starts with constants and variables in place; what the backend is
 * asked is a copy of that. */
static ash_status start_answer(planning *p) {
  ASH_ASSERT(p->ask.slot_count == p->slots.count);
  const uint32_t roles = ASH_ROLE_COUNT;
  ash_plan_answer *a = &p->answer;
  ash_draft d = {.ctx = p->ctx, .ask = &p->ask, .answer = a};
  a->struct_bytes = sizeof *a;
  a->arena_capacity = roles * p->ask.device->memory_count;
  a->arenas = ASH_NEW_ARRAY(&p->ctx->keep, ash_arena, a->arena_capacity);
  ash_slot *copy =
      ASH_NEW_ARRAY(&p->ctx->scratch, ash_slot, p->slots.count + 1u);
  ASH_TRY(ash_zone_check(p->ctx, &p->ctx->keep));
  ASH_TRY(ash_zone_check(p->ctx, &p->ctx->scratch));
  a->slots = p->slots.items;
  ASH_TRY(ash_plan_place_constants(&d, &p->rules, p->asked->book));
  for (uint32_t i = 0; i < p->slots.count; i++)
    copy[i] = p->slots.items[i];
  p->ask.slots = copy;
  return ASH_OK;
}

/* ---- the plan ------------------------------------------------------------ */

static ash_status sort_arenas(planning *p) {
  ASH_ASSERT(p->answer.arena_count <= p->answer.arena_capacity);
  ash_plan_answer *a = &p->answer;
  ash_arena *spare =
      ASH_NEW_ARRAY(&p->ctx->scratch, ash_arena, a->arena_count + 1u);
  ASH_TRY(ash_zone_check(p->ctx, &p->ctx->scratch));
  ash_sort(a->arenas, spare, a->arena_count, sizeof *spare, ash_arena_order,
           NULL);
  return ASH_OK;
}

/* A plan is as well proved as its worst arena, and which tensor goes to which
 * of several memories is chosen, not proved. */
static ash_verdict verdict_of(const planning *p) {
  ASH_ASSERT(p->answer.slots != NULL || p->ask.slot_count == 0);
  uint32_t scratch = 0;
  for (uint32_t i = 0; i < p->answer.arena_count; i++) {
    if (p->answer.arenas[i].verdict != ASH_OPTIMAL)
      return p->answer.arenas[i].verdict;
    scratch += p->answer.arenas[i].role == ASH_SCRATCH;
  }
  for (uint32_t i = 0; scratch > 1 && i < p->ask.slot_count; i++) {
    const ash_slot *s = &p->answer.slots[i];
    if (s->binding.role == ASH_SCRATCH && s->alias_of == ASH_NO_ID &&
        p->memory[i] == ASH_NO_MEMORY)
      return ASH_FEASIBLE;
  }
  return ASH_OPTIMAL;
}

static ash_status list_code(planning *p, const char *const **out) {
  const ash_graph *g = p->ask.graph;
  const char **list =
      ASH_NEW_ARRAY(&p->ctx->keep, const char *, g->op_count + 1);
  bool any = false;
  ASH_TRY(ash_zone_check(p->ctx, &p->ctx->keep));
  for (uint32_t op = 0; op < g->op_count; op++) {
    const uint32_t memory = p->rules.ops[op].code_placement;
    if (memory == ASH_NO_MEMORY)
      continue;
    ASH_ASSERT(memory < p->ask.device->memory_count);
    list[op] = p->ask.device->memories[memory].name;
    any = true;
  }
  *out = any ? list : NULL;
  return ASH_OK;
}

static ash_status finish(planning *p, const ash_plan **out) {
  ash_draft d = {.ctx = p->ctx,
                 .ask = &p->ask,
                 .answer = &p->answer,
                 .rows = &p->rows,
                 .moves = p->moves};
  ash_plan *plan = ASH_NEW(&p->ctx->keep, ash_plan);
  const char *model = ash_zone_string(&p->ctx->keep, p->ask.graph->name);
  const char *planner = ash_zone_string(&p->ctx->keep, name_of(p->backend));
  ASH_TRY(ash_zone_check(p->ctx, &p->ctx->keep));
  if (p->options.tilings)
    ash_plan_tile_reasons(p->answer.slots, p->ask.slot_count,
                          p->options.tilings);
  ash_populate_alias_allocations(p->answer.slots, p->ask.slot_count);
  ash_slot *slots = p->answer.slots;
  uint32_t slot_count = p->ask.slot_count;
  if (has_rows(p))
    ASH_TRY(ash_plan_put_moves(&d, &slots, &slot_count));
  if (has_rows(p) && p->options.overlap)
    ash_mark_row_overlaps(&d, slots, slot_count);
  ASH_TRY(ash_complete_arenas(&d, ash_planner_is_builtin(p->backend)));
  ASH_TRY(sort_arenas(p));
  *plan = (ash_plan){.model = model,
                     .target = p->ask.device->name,
                     .device = p->ask.device,
                     .planner = planner,
                     .verdict = verdict_of(p),
                     .steps = p->ask.steps,
                     .slots = slots,
                     .slot_count = slot_count,
                     .arenas = p->answer.arenas,
                     .arena_count = p->answer.arena_count,
                     .ticks = p->answer.ticks,
                     .choices = p->choices,
                     .order = p->order,
                     .is_drained = p->asked->is_drained};
  if (slot_count > p->ask.slot_count)
    plan->cycles =
        ash_plan_cycles(plan, p->ask.graph, p->ask.device, &plan->move_cycles);
  ASH_TRY(list_code(p, &plan->code_memory));
  ASH_TRY(ash_count_power(&d, plan));
  if (p->options.tilings)
    ASH_TRY(ash_plan_tile_bind(p->ctx, &plan->tilings, p->options.tilings,
                               plan->slots, plan->slot_count));
  ASH_TRY(ash_plan_check_demands(&d));
  ASH_TRY(ash_plan_keep_apart(p->ctx, p->choices, plan, p->ask.graph));
  *out = plan;
  return ASH_OK;
}

/* Rows are made one after the other: an order of rows has one core. */
static ash_status share_out(planning *p) {
  const uint32_t asked = p->options.cores || !p->options.tilings
                             ? p->options.cores
                             : p->ask.device->features.cores;
  const uint32_t cores = has_rows(p) ? 1 : asked;
  ASH_TRY(ash_plan_share_out(p->ctx, &p->choices, p->asked, cores,
                             p->options.tilings));
  p->ask.choices = p->choices;
  return ASH_OK;
}

static ash_status run(planning *p, const ash_plan **out) {
  ASH_TRY(find_backend(p));
  ASH_TRY(share_out(p));
  if (has_rows(p))
    ASH_TRY(ash_plan_find_order(p->ctx, &p->ask.steps, &p->order, NULL,
                                p->asked, &p->options));
  ASH_TRY(make_request(p));
  ASH_TRY(start_answer(p));
  const size_t said = p->ctx->diag_count;
  ash_status status = call_backend(p);
  if (status == ASH_OK)
    status = finish(p, out);
  return p->foreign && !has_rows(p) ? ash_planner_blame(p->ctx, status, said)
                                    : status;
}

ash_status ash_plan_once(ash_ctx *ctx, const ash_plan **out, const ash_ask *ask,
                         const ash_plan_options *options) {
  planning p = {.ctx = ctx, .asked = ask, .order = ask->order};
  ash_take_options(&p.options, sizeof p.options, options);
  if (p.order.kind == ASH_ORDER_AUTO)
    p.order.kind = ASH_ORDER_GIVEN;
  if (p.options.tilings)
    p.options.overlap = false; /* tiles do not read pixel by pixel */
  p.ask = (ash_plan_request){.struct_bytes = sizeof p.ask,
                             .graph = ask->graph,
                             .device = ask->device,
                             .options = &p.options,
                             .steps = ask->steps,
                             .memories = ask->memories,
                             .memory_count = ask->device->memory_count};
  *out = NULL;
  p.foreign = ash_planner_is_foreign(ctx, &p.options);
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  const ash_status status = run(&p, out);
  ash_zone_rewind(&ctx->scratch, mark);
  return status;
}
