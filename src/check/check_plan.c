/* check_plan.c - is this plan right? Written the slow, obvious way, from the
 * definition, and knowing no solver: every plan, ours or foreign, passes here
 * or is refused with the two tensors that collide. */
#include "check/check_plan.h"
#include "check/check_rows.h"

#include "ashlar/plan.h"

#include "base/checked.h"
#include "base/sort.h"
#include "plan/record/record.h"

#include <inttypes.h>
#include <string.h>

typedef ash_checker checker;

static ash_loc at_slot(const checker *c, const ash_slot *s) {
  ash_loc loc = ASH_NOWHERE;
  loc.file = c->g ? c->g->file : NULL;
  loc.tensor_name = s->name;
  return loc;
}

#define REFUSE(c, id, slot, ...)                                               \
  ash_fail((c)->ctx, ASH_INTERNAL, (id), at_slot((c), (slot)), __VA_ARGS__)

static const ash_arena *arena_of(const checker *c, const ash_slot *s) {
  for (uint32_t i = 0; i < c->plan->arena_count; i++) {
    const ash_arena *a = &c->plan->arenas[i];
    if (a->role == s->binding.role && strcmp(a->memory, s->binding.memory) == 0)
      return a;
  }
  return NULL;
}

static ash_status check_slot(const checker *c, const ash_slot *s) {
  if (!s->bound)
    return REFUSE(c, ASH_D_plan_unbound, s, "the plan gives '%s' no place",
                  s->id);
  const ash_arena *a = arena_of(c, s);
  if (!a)
    return REFUSE(c, ASH_D_plan_no_arena, s,
                  "'%s' is bound to a %s arena in %s, and there is none", s->id,
                  ash_role_text(s->binding.role), s->binding.memory);
  if (s->binding.offset > a->size || s->size > a->size - s->binding.offset)
    return REFUSE(c, ASH_D_plan_beyond_arena, s,
                  "'%s' ends at %" PRIu64 ", its arena at %" PRIu64, s->id,
                  s->binding.offset + s->size, a->size);
  if (strcmp(a->source_memory, s->binding.source_memory) != 0)
    return REFUSE(c, ASH_D_plan_source, s,
                  "'%s' comes from %s, its arena from %s", s->id,
                  s->binding.source_memory, a->source_memory);
  if (s->alignment > 1 && (s->binding.offset % s->alignment != 0 ||
                           a->alignment % s->alignment != 0))
    return REFUSE(c, ASH_D_plan_misaligned, s,
                  "'%s' at %" PRIu64 " needs alignment %" PRIu64, s->id,
                  s->binding.offset, s->alignment);
  if (s->life.first_step >= s->life.end_step)
    return REFUSE(c, ASH_D_plan_never_alive, s, "'%s' is never alive", s->id);
  return ASH_OK;
}

/* ---- aliases ------------------------------------------------------------- */

static ash_status check_alias(const checker *c, uint32_t i) {
  const ash_plan *p = c->plan;
  const ash_slot *s = &p->slots[i];
  if (s->alias_of == ASH_NO_ID)
    return ASH_OK;
  const uint32_t root = c->index.root[i];
  if (root == ASH_NO_ID)
    return REFUSE(c, ASH_D_plan_alias_circle, s, "'%s' is an alias of nothing",
                  s->id);
  const ash_slot *r = &p->slots[root];
  if (r->has_row && !s->has_row)
    return ASH_OK; /* of the whole: check_row_run.c looks where its rows are */
  const bool same =
      s->binding.role == r->binding.role &&
      strcmp(s->binding.memory, r->binding.memory) == 0 &&
      s->binding.offset >= r->binding.offset &&
      s->binding.offset + s->size <= r->binding.offset + r->size &&
      s->life.first_step >= r->life.first_step &&
      s->life.end_step <= r->life.end_step;
  if (same)
    return ASH_OK;
  return REFUSE(c, ASH_D_plan_alias, s,
                "'%s' is a view of '%s' but does not lie inside it", s->id,
                r->id);
}

/* ---- arenas ------------------------------------------------------------- */

static ash_status check_arena(const checker *c, const ash_arena *a) {
  const bool beyond = a->lower_bound > a->size;
  if (beyond || (a->verdict == ASH_OPTIMAL && a->lower_bound != a->size))
    return ash_fail(c->ctx, ASH_INTERNAL,
                    beyond ? ASH_D_plan_bound : ASH_D_plan_verdict, ASH_NOWHERE,
                    "the %s arena in %s has size %" PRIu64 ", bound %" PRIu64
                    " and verdict %s",
                    ash_role_text(a->role), a->memory, a->size, a->lower_bound,
                    ash_verdict_text(a->verdict));
  if (a->alignment == 0 || (a->alignment & (a->alignment - 1)) != 0)
    return ash_fail(c->ctx, ASH_INTERNAL, ASH_D_plan_arena_alignment,
                    ASH_NOWHERE, "the %s arena in %s has alignment %" PRIu64,
                    ash_role_text(a->role), a->memory, a->alignment);
  return ASH_OK;
}

static const ash_memory *memory_of(const checker *c, const char *name) {
  for (uint32_t i = 0; i < c->device->memory_count; i++)
    if (strcmp(c->device->memories[i].name, name) == 0)
      return &c->device->memories[i];
  return NULL;
}

static ash_status check_arena_memory(const checker *c, const ash_arena *a) {
  const ash_memory *m = memory_of(c, a->memory);
  if (!m || !memory_of(c, a->source_memory))
    return ash_fail(c->ctx, ASH_INTERNAL, ASH_D_plan_memory, ASH_NOWHERE,
                    "%s has no memory %s for a %s arena", c->device->name,
                    a->memory, ash_role_text(a->role));
  if (m->kind == ASH_MEMORY_NVM && a->role != ASH_CONSTANT)
    return ash_fail(c->ctx, ASH_INTERNAL, ASH_D_plan_read_only, ASH_NOWHERE,
                    "a %s arena is planned in %s of %s, which cannot be "
                    "written",
                    ash_role_text(a->role), a->memory, c->device->name);
  uint64_t sum = 0;
  for (uint32_t i = 0; i < c->plan->arena_count; i++) {
    const ash_arena *other = &c->plan->arenas[i];
    const bool staged = strcmp(other->memory, other->source_memory) != 0;
    if (strcmp(other->memory, a->memory) == 0 ||
        (staged && strcmp(other->source_memory, a->memory) == 0))
      sum += other->size;
  }
  if (sum > ash_device_memory_budget(m))
    return ash_fail(c->ctx, ASH_INTERNAL, ASH_D_plan_capacity, ASH_NOWHERE,
                    "%" PRIu64 " bytes are planned in %s, which gives %" PRIu64,
                    sum, a->memory, ash_device_memory_budget(m));
  return ASH_OK;
}

/* ---- steps -------------------------------------------------------------- */

/* A value read from a variable may lie where the variable lies. */
static bool is_view_of_state(const checker *c, uint32_t slot, ash_role role) {
  const uint32_t root = c->index.root[slot];
  if (role != ASH_SCRATCH || root == ASH_NO_ID || root == slot)
    return false;
  const uint32_t tensor = c->plan->slots[root].tensor;
  return c->plan->slots[slot].binding.role == ASH_PERSISTENT &&
         tensor != ASH_NO_ID &&
         c->g->tensors.items[tensor].kind == ASH_TENSOR_VARIABLE;
}

static ash_status check_use(const checker *c, uint32_t tensor, uint32_t step,
                            ash_role role) {
  const uint32_t i = c->index.of_tensor[tensor];
  const ash_tensor *t = &c->g->tensors.items[tensor];
  if (i == ASH_NO_ID)
    return ash_fail(c->ctx, ASH_INTERNAL,
                    role == ASH_CONSTANT ? ASH_D_plan_constant_missing
                                         : ASH_D_plan_missing,
                    ash_graph_loc(c->g, ASH_NO_ID, tensor),
                    "the plan has no place for '%s'", t->id);
  const ash_slot *s = &c->plan->slots[i];
  if (s->binding.role != role && !is_view_of_state(c, i, role))
    return REFUSE(c, ASH_D_plan_role, s, "'%s' is planned as %s, it is %s",
                  s->id, ash_role_text(s->binding.role), ash_role_text(role));
  if (s->size < t->bytes)
    return REFUSE(c, ASH_D_plan_undersized, s,
                  "'%s' has %" PRIu64 " bytes, the plan gives it %" PRIu64,
                  s->id, t->bytes, s->size);
  const uint64_t element = ash_max_u64(1, ash_type_bits(t->type) / 8);
  if (s->binding.offset % element != 0)
    return REFUSE(c, ASH_D_plan_element_misaligned, s,
                  "'%s' at %" PRIu64 " has elements of %" PRIu64 " bytes",
                  s->id, s->binding.offset, element);
  if (step < s->life.first_step || step >= s->life.end_step)
    return REFUSE(c, ASH_D_plan_lifetime, s,
                  "'%s' is used at step %u but alive only during [%u, %u)",
                  s->id, (unsigned)step, (unsigned)s->life.first_step,
                  (unsigned)s->life.end_step);
  return ASH_OK;
}

static ash_role true_role(const ash_tensor *t) {
  if (t->kind == ASH_TENSOR_CONSTANT)
    return ASH_CONSTANT;
  return t->kind == ASH_TENSOR_VARIABLE ? ASH_PERSISTENT : ASH_SCRATCH;
}

static ash_status check_step_uses(const checker *c, uint32_t op,
                                  uint32_t step) {
  const ash_op *o = &c->g->ops.items[op];
  for (uint32_t k = 0; k < o->input_count; k++)
    if (o->inputs[k] != ASH_NO_ID && ash_plan_reads(c->plan, c->g, op, k))
      ASH_TRY(check_use(c, o->inputs[k], step,
                        true_role(&c->g->tensors.items[o->inputs[k]])));
  for (uint32_t k = 0; k < o->output_count; k++)
    ASH_TRY(check_use(c, o->outputs[k], step,
                      true_role(&c->g->tensors.items[o->outputs[k]])));
  return ASH_OK;
}

static ash_status bad_order(const checker *c, uint32_t op, ash_diag_id id,
                            const char *what) {
  return ash_fail(c->ctx, ASH_INTERNAL, id, ash_graph_loc(c->g, op, ASH_NO_ID),
                  "%s", what);
}

/* Runs through the steps as the device would, noting what has been written. */
static ash_status check_order(const checker *c) {
  const ash_graph *g = c->g;
  bool *ran = ASH_NEW_ARRAY(&c->ctx->scratch, bool, g->op_count + 1);
  bool *made = ASH_NEW_ARRAY(&c->ctx->scratch, bool, g->tensor_count + 1);
  ASH_TRY(ash_zone_check(c->ctx, &c->ctx->scratch));
  for (size_t i = 0; i < g->tensor_count; i++)
    made[i] = g->tensors.items[i].kind != ASH_TENSOR_ACTIVATION;
  for (uint32_t s = 0; s < c->plan->steps.count; s++)
    for (uint32_t k = 0; k < c->plan->steps.items[s].op_count; k++) {
      const uint32_t op = c->plan->steps.items[s].ops[k];
      if (op >= g->op_count || ran[op])
        return bad_order(c, op, ASH_D_plan_step_twice,
                         "an operator runs twice or does not exist");
      ran[op] = true;
      const ash_op *o = &g->ops.items[op];
      for (uint32_t n = 0; n < o->input_count; n++)
        if (o->inputs[n] != ASH_NO_ID && !made[o->inputs[n]])
          return bad_order(c, op, ASH_D_plan_step,
                           "an operator runs before its input exists");
      for (uint32_t n = 0; n < o->output_count; n++)
        made[o->outputs[n]] = true;
      ASH_TRY(check_step_uses(c, op, s));
    }
  for (uint32_t op = 0; op < g->op_count; op++)
    if (!ran[op])
      return bad_order(c, op, ASH_D_plan_step_missing,
                       "an operator never runs");
  return ASH_OK;
}

/* Inputs must be there when the run starts, outputs when it ends. */
static ash_status check_ends(const checker *c) {
  const uint32_t last = c->plan->steps.count ? c->plan->steps.count - 1 : 0;
  for (size_t i = 0; i < c->g->input_count; i++)
    ASH_TRY(check_use(c, c->g->inputs[i], 0, ASH_SCRATCH));
  for (size_t i = 0; i < c->g->output_count; i++)
    ASH_TRY(check_use(c, c->g->outputs[i], last,
                      true_role(&c->g->tensors.items[c->g->outputs[i]])));
  return ASH_OK;
}

/* One arena a role and memory, in the order that region ids rely on. */
static ash_status check_arena_order(const checker *c, uint32_t i) {
  const ash_arena *a = &c->plan->arenas[i - 1], *b = &c->plan->arenas[i];
  if (ash_arena_compare(a, b) < 0)
    return ASH_OK;
  return ash_fail(c->ctx, ASH_INTERNAL, ASH_D_plan_arena_twice, ASH_NOWHERE,
                  "the %s arena in %s stands behind the %s arena in %s",
                  ash_role_text(b->role), b->memory, ash_role_text(a->role),
                  a->memory);
}

static int by_id(const void *a, const void *b, const void *user) {
  const ash_plan *p = user;
  return strcmp(p->slots[*(const uint32_t *)a].id,
                p->slots[*(const uint32_t *)b].id);
}

static int by_tensor(const void *a, const void *b, const void *user) {
  const ash_plan *p = user;
  const uint32_t x = p->slots[*(const uint32_t *)a].tensor;
  const uint32_t y = p->slots[*(const uint32_t *)b].tensor;
  return x == y ? 0 : x < y ? -1 : 1;
}

/* Rows of one tensor have its id; check_row_slots.c counts them. */
static bool are_rows(const ash_slot *a, const ash_slot *b) {
  return a->has_row && b->has_row && a->tensor == b->tensor &&
         a->tensor != ASH_NO_ID;
}

/* Sorted, those that are the same stand side by side. */
static ash_status check_unique(const checker *c, ash_compare *compare) {
  const ash_plan *p = c->plan;
  ash_zone *z = &c->ctx->scratch;
  uint32_t *order = ASH_NEW_ARRAY(z, uint32_t, p->slot_count + 1u);
  uint32_t *spare = ASH_NEW_ARRAY(z, uint32_t, p->slot_count + 1u);
  ASH_TRY(ash_zone_check(c->ctx, z));
  for (uint32_t i = 0; i < p->slot_count; i++)
    order[i] = i;
  ash_sort(order, spare, p->slot_count, sizeof *order, compare, p);
  for (uint32_t i = 1; i < p->slot_count; i++) {
    const ash_slot *s = &p->slots[order[i]];
    if (compare(&order[i - 1], &order[i], p) == 0 &&
        (compare == by_id || s->tensor != ASH_NO_ID) &&
        !are_rows(s, &p->slots[order[i - 1]]))
      return REFUSE(c, ASH_D_plan_duplicate, s, "'%s' is planned twice", s->id);
  }
  return ASH_OK;
}

static ash_status check_arenas(const checker *c) {
  const ash_plan *p = c->plan;
  for (uint32_t i = 0; i < p->arena_count; i++) {
    ASH_TRY(check_arena(c, &p->arenas[i]));
    if (i)
      ASH_TRY(check_arena_order(c, i));
    if (c->device)
      ASH_TRY(check_arena_memory(c, &p->arenas[i]));
  }
  return ASH_OK;
}

static ash_status check_slots(const checker *c) {
  const ash_plan *p = c->plan;
  ASH_TRY(check_unique(c, by_id));
  ASH_TRY(check_unique(c, by_tensor));
  for (uint32_t i = 0; i < p->slot_count; i++)
    ASH_TRY(check_slot(c, &p->slots[i]));
  const bool in_rows = ash_plan_in_rows(p);
  for (uint32_t i = 0; i < p->slot_count; i++)
    ASH_TRY(check_alias(c, i));
  ASH_TRY(ash_check_constants(c));
  return in_rows ? ash_check_row_slots(c) : ash_check_overlap(c);
}

static ash_status check(checker *c) {
  ASH_TRY(ash_check_fields(c));
  ASH_TRY(ash_check_find(c));
  ASH_TRY(check_arenas(c));
  ASH_TRY(check_slots(c));
  if (!c->g)
    return ash_check_order_proof(c);
  if (ash_plan_in_rows(c->plan)) {
    ASH_TRY(ash_check_row_run(c));
    return ash_check_order_proof(c);
  }
  ASH_TRY(check_order(c));
  ASH_TRY(check_ends(c));
  if (c->plan->tilings && c->device)
    ASH_TRY(ash_check_all_tilings(c));
  ASH_TRY(ash_check_run(c));
  ASH_TRY(ash_check_cores(c));
  return ash_check_order_proof(c);
}

ash_status ash_check_plan(ash_ctx *ctx, const ash_plan *plan,
                          const ash_graph *g, const ash_device *device) {
  ASH_NEED(ctx, ctx && plan);
  checker c = {.ctx = ctx, .plan = plan, .g = g, .device = device};
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  const ash_status status = check(&c);
  ash_zone_rewind(&ctx->scratch, mark);
  return status;
}
