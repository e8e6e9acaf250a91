/* constraints.c - what is asked of a plan: budgets of memories, and what the
 * rules give each tensor and operator. */
#include "ask/ask.h"
#include "ask/rules.h"
#include "device/device.h"

#include <inttypes.h>
#include <string.h>

/* ---- memories ------------------------------------------------------------ */

static bool in_order(const ash_device *device, uint32_t memory) {
  ASH_ASSERT(memory < device->memory_count);
  if (memory == device->default_memory)
    return true;
  for (uint32_t i = 0; i < device->order_count; i++)
    if (device->order[i] == memory)
      return true;
  return false;
}

static ash_memory_budget budget_of(const ash_device *device, uint32_t i) {
  ASH_ASSERT(i < device->memory_count);
  const ash_memory *m = &device->memories[i];
  const bool writable = m->kind == ASH_MEMORY_RAM;
  return (ash_memory_budget){.memory = m->name,
                             .max_size = ash_device_memory_budget(m),
                             .writable = writable,
                             .automatic = writable && m->linkable &&
                                          m->reach_cpu && in_order(device, i)};
}

ash_status ash_fill_memory_constraints(ash_ctx *ctx,
                                       const ash_memory_budget **out,
                                       const ash_device *device,
                                       const ash_memory_constraint *constraints,
                                       size_t count) {
  ASH_NEED(ctx, ctx && out && device && (constraints || count == 0));
  ash_memory_budget *made =
      ASH_NEW_ARRAY(&ctx->keep, ash_memory_budget, device->memory_count);
  *out = NULL;
  ASH_TRY(ash_zone_check(ctx, &ctx->keep));
  for (uint32_t i = 0; i < device->memory_count; i++)
    made[i] = budget_of(device, i);
  for (size_t k = 0; k < count; k++) {
    uint32_t memory;
    ASH_TRY(
        ash_device_find_memory(ctx, &memory, device, constraints[k].memory));
    ASH_ASSERT(memory < device->memory_count);
    const uint64_t most = device->memories[memory].bytes;
    if (constraints[k].max_size == ASH_NO_LIMIT) {
      made[memory] = budget_of(device, memory); /* as if none came before */
      continue;
    }
    if (constraints[k].max_size > most)
      return ash_fail(ctx, ASH_MISUSE, ASH_D_plan_budget, ASH_NOWHERE,
                      "a budget of %" PRIu64
                      " bytes for %s, which has %" PRIu64,
                      constraints[k].max_size, made[memory].memory, most);
    made[memory].max_size = constraints[k].max_size;
    made[memory].constrained = true;
  }
  *out = made;
  return ASH_OK;
}

/* ---- rules --------------------------------------------------------------- */

typedef struct filler {
  ash_ctx *ctx;
  const ash_graph *g;
  const ash_device *device;
  const ash_rules *rules;
  bool *used; /* by rule */
} filler;

/* The rule that gives `field`: the most specific, among equals the last. */
static uint32_t giver(const filler *f, const ash_subject *s,
                      ash_rule_field field) {
  ASH_ASSERT(field < ASH_FIELD_COUNT);
  uint32_t best = ASH_NO_RULE;
  for (uint32_t i = 0; i < ash_rules_count(f->rules); i++) {
    const ash_rule *rule = &f->rules->items[i];
    if (!rule->text[field] || !ash_ask_rule_matches(rule, s))
      continue;
    f->used[i] = true;
    if (best == ASH_NO_RULE ||
        ash_ask_rule_specificity(rule) >=
            ash_ask_rule_specificity(&f->rules->items[best]))
      best = i;
  }
  return best;
}

static ash_status impossible(const filler *f, uint32_t rule, const char *id,
                             const ash_memory *m, const char *why) {
  ASH_ASSERT(rule < f->rules->count);
  return ash_fail(f->ctx, ASH_MALFORMED, ASH_D_rule_conflict,
                  ash_ask_rule_loc(&f->rules->items[rule]),
                  "'%s' cannot be in %s: %s", id, m->name, why);
}

static ash_status find_memory(const filler *f, uint32_t *out, uint32_t rule,
                              ash_rule_field field) {
  ASH_ASSERT(rule < f->rules->count && f->rules->items[rule].text[field]);
  const ash_rule *r = &f->rules->items[rule];
  *out = ash_device_memory_named(f->device, r->text[field]);
  if (*out != ASH_NO_MEMORY)
    return ASH_OK;
  (void)ash_fail(f->ctx, ASH_MALFORMED, ASH_D_rule_memory, ash_ask_rule_loc(r),
                 "%s has no memory '%.60s'", f->device->name, r->text[field]);
  ash_device_hint_memory(f->ctx, f->device, r->text[field]);
  return ASH_MALFORMED;
}

static bool field_is_home(ash_rule_field field) {
  return field == ASH_FIELD_MEMORY || field == ASH_FIELD_DESTINATION;
}

/* With a compute memory, tensors come from wherever DMA reaches them. */
static bool is_staged(const filler *f, uint32_t memory) {
  ASH_ASSERT(memory < f->device->memory_count);
  uint32_t path[ASH_MEMORY_MAX];
  return f->device->compute_memory != ASH_NO_MEMORY &&
         ash_device_path(f->device, memory, f->device->compute_memory, path);
}

/* The memory a rule gives for `field`, if the subject can be there. */
static ash_status give_memory(const filler *f, const ash_subject *s,
                              ash_rule_field field, bool must_write,
                              uint32_t *memory, uint32_t *rule) {
  *memory = ASH_NO_MEMORY;
  *rule = giver(f, s, field);
  if (*rule == ASH_NO_RULE)
    return ASH_OK;
  ASH_TRY(find_memory(f, memory, *rule, field));
  const ash_memory *m = &f->device->memories[*memory];
  if (must_write && m->kind != ASH_MEMORY_RAM)
    return impossible(f, *rule, s->id, m, "it is written at run time");
  if (!m->reach_cpu && !(field_is_home(field) && is_staged(f, *memory)))
    return impossible(f, *rule, s->id, m, "the processor does not reach it");
  return ASH_OK;
}

static ash_status check_pin(const filler *f, const ash_tensor_attributes *a,
                            const char *id) {
  const uint64_t alignment = a->alignment ? a->alignment : f->device->alignment;
  ASH_ASSERT(alignment > 0);
  if (a->offset == ASH_NO_OFFSET || a->offset % alignment == 0)
    return ASH_OK;
  return ash_fail(f->ctx, ASH_MALFORMED, ASH_D_rule_conflict,
                  ash_ask_rule_loc(&f->rules->items[a->offset_rule]),
                  "'%s' is pinned at %" PRIu64 ", which is no multiple of its "
                  "alignment %" PRIu64,
                  id, a->offset, alignment);
}

static ash_status fill_tensor(const filler *f, ash_tensor_attributes *a,
                              uint32_t tensor) {
  ASH_ASSERT(tensor < f->g->tensor_count);
  const ash_tensor *t = &f->g->tensors.items[tensor];
  const ash_subject s = {
      .id = t->id, .name = t->name, .role = ash_ask_tensor_role(t)};
  const bool constant = s.role == ASH_CONSTANT;
  *a = (ash_tensor_attributes){.destination = ASH_NO_MEMORY,
                               .offset = ASH_NO_OFFSET,
                               .destination_rule = ASH_NO_RULE,
                               .offset_rule = ASH_NO_RULE};
  ASH_TRY(give_memory(f, &s, ASH_FIELD_MEMORY, !constant, &a->memory,
                      &a->memory_rule));
  if (constant)
    ASH_TRY(give_memory(f, &s, ASH_FIELD_DESTINATION, false, &a->destination,
                        &a->destination_rule));
  a->alignment_rule = giver(f, &s, ASH_FIELD_ALIGNMENT);
  if (a->alignment_rule != ASH_NO_RULE)
    a->alignment =
        f->rules->items[a->alignment_rule].number[ASH_FIELD_ALIGNMENT];
  if (s.role == ASH_SCRATCH)
    a->offset_rule = giver(f, &s, ASH_FIELD_OFFSET);
  if (a->offset_rule != ASH_NO_RULE)
    a->offset = f->rules->items[a->offset_rule].number[ASH_FIELD_OFFSET];
  return check_pin(f, a, t->id);
}

/* A copy in memory that cannot be written makes no sense; where the bytes are
 * stored anyway, it is none. */
static ash_status check_staging(const filler *f, const ash_tensor_attributes *a,
                                const char *id) {
  ASH_ASSERT(a->destination == ASH_NO_MEMORY ||
             a->destination < f->device->memory_count);
  if (a->destination == ASH_NO_MEMORY)
    return ASH_OK;
  const uint32_t source =
      a->memory == ASH_NO_MEMORY ? f->device->constant_memory : a->memory;
  const ash_memory *m = &f->device->memories[a->destination];
  if (a->destination == source || m->kind == ASH_MEMORY_RAM)
    return ASH_OK;
  return impossible(f, a->destination_rule, id, m,
                    "constants are copied there at boot, and it is read only");
}

static ash_status fill_op(const filler *f, ash_op_attributes *a, uint32_t op) {
  ASH_ASSERT(op < f->g->op_count);
  const ash_op *o = &f->g->ops.items[op];
  const ash_subject s = {
      .id = o->id, .name = o->name, .is_op = true, .op = ash_row_of(o)};
  ASH_TRY(give_memory(f, &s, ASH_FIELD_SCRATCH_PLACEMENT, true,
                      &a->scratch_placement, &a->scratch_rule));
  ASH_TRY(give_memory(f, &s, ASH_FIELD_CODE_PLACEMENT, false,
                      &a->code_placement, &a->code_rule));
  if (a->scratch_rule != ASH_NO_RULE)
    return ASH_OK;
  /* Work memory is scratch like any other: rules for that kind reach it. */
  const char *id = ash_zone_format(&f->ctx->scratch, "%s_scratch", o->id);
  ASH_TRY(ash_zone_check(f->ctx, &f->ctx->scratch));
  const ash_subject work = {.id = id, .role = ASH_SCRATCH};
  return give_memory(f, &work, ASH_FIELD_MEMORY, true, &a->scratch_placement,
                     &a->scratch_rule);
}

static void warn_unused(const filler *f) {
  for (uint32_t i = 0; i < ash_rules_count(f->rules); i++)
    if (!f->used[i]) {
      ash_warn(f->ctx, ASH_D_rule_unused, ash_ask_rule_loc(&f->rules->items[i]),
               "no tensor and no operator of this model matches '%s'",
               f->rules->items[i].words);
      ash_hint(f->ctx, "ids: 'ashlar plan MODEL --json -' lists them");
    }
}

static ash_status fill(const filler *f, ash_tensor_attributes *tensors,
                       ash_op_attributes *ops) {
  for (uint32_t i = 0; i < f->g->tensor_count; i++) {
    ASH_TRY(fill_tensor(f, &tensors[i], i));
    ASH_TRY(check_staging(f, &tensors[i], f->g->tensors.items[i].id));
  }
  for (uint32_t i = 0; i < f->g->op_count; i++)
    ASH_TRY(fill_op(f, &ops[i], i));
  warn_unused(f);
  return ASH_OK;
}

ash_status ash_fill_tensor_constraints(ash_ctx *ctx, ash_constraints *out,
                                       const ash_graph *g,
                                       const ash_device *device,
                                       const ash_rules *rules) {
  ASH_NEED(ctx, ctx && out && g && device);
  filler f = {ctx, g, device, rules, NULL};
  *out = (ash_constraints){0};
  ash_tensor_attributes *tensors =
      ASH_NEW_ARRAY(&ctx->keep, ash_tensor_attributes, g->tensor_count + 1);
  ash_op_attributes *ops =
      ASH_NEW_ARRAY(&ctx->keep, ash_op_attributes, g->op_count + 1);
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  f.used = ASH_NEW_ARRAY(&ctx->scratch, bool, ash_rules_count(rules) + 1);
  ash_status status = ash_zone_check(ctx, &ctx->keep);
  if (status == ASH_OK)
    status = ash_zone_check(ctx, &ctx->scratch);
  if (status == ASH_OK)
    status = fill(&f, tensors, ops);
  ash_zone_rewind(&ctx->scratch, mark);
  if (status == ASH_OK)
    *out = (ash_constraints){tensors, ops};
  return status;
}

ash_status ash_ask_resolve(ash_ctx *ctx, ash_ask *ask,
                           const ash_memory_constraint *constraints,
                           size_t constraint_count) {
  ASH_TRY(ash_fill_memory_constraints(ctx, &ask->memories, ask->device,
                                      constraints, constraint_count));
  return ash_fill_tensor_constraints(ctx, &ask->rules, ask->graph, ask->device,
                                     ask->book);
}
