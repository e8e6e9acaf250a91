/* check_fields.c - what every other check relies on: the plan's names are
 * there, and its numbers point at something. */
#include "check/check_plan.h"

#define REFUSE(c, id, ...)                                                     \
  ash_fail((c)->ctx, ASH_INTERNAL, (id), ASH_NOWHERE, __VA_ARGS__)

static ash_status check_arena(const ash_checker *c, uint32_t i) {
  const ash_arena *a = &c->plan->arenas[i];
  if ((unsigned)a->role > ASH_CONSTANT)
    return REFUSE(c, ASH_D_plan_role, "arena %u has role %u", (unsigned)i,
                  (unsigned)a->role);
  if ((unsigned)a->verdict > ASH_INFEASIBLE)
    return REFUSE(c, ASH_D_plan_verdict, "arena %u has verdict %u", (unsigned)i,
                  (unsigned)a->verdict);
  if (!a->memory || !a->source_memory)
    return REFUSE(c, ASH_D_plan_memory, "arena %u is in no memory",
                  (unsigned)i);
  return ASH_OK;
}

/* Slots without a place are refused later, by name. */
static ash_status check_binding(const ash_checker *c, const ash_slot *s) {
  if (s->bound && (unsigned)s->binding.role > ASH_CONSTANT)
    return REFUSE(c, ASH_D_plan_role, "'%s' has role %u", s->id,
                  (unsigned)s->binding.role);
  if (s->bound && (!s->binding.memory || !s->binding.source_memory))
    return REFUSE(c, ASH_D_plan_memory, "'%s' is in no memory", s->id);
  return ASH_OK;
}

static bool is_below(uint32_t index, size_t count) {
  return index == ASH_NO_ID || index < count;
}

static ash_status check_slot(const ash_checker *c, uint32_t i) {
  const ash_slot *s = &c->plan->slots[i];
  if (!s->id)
    return REFUSE(c, ASH_D_plan_missing, "slot %u has no id", (unsigned)i);
  if (c->g && (!is_below(s->tensor, c->g->tensor_count) ||
               !is_below(s->op, c->g->op_count)))
    return REFUSE(c, ASH_D_plan_missing,
                  "'%s' is of a tensor or an operator that the model lacks",
                  s->id);
  if (!is_below(s->alias_of, c->plan->slot_count))
    return REFUSE(c, ASH_D_plan_alias_circle, "'%s' is an alias of nothing",
                  s->id);
  if (!is_below(s->follows, c->plan->slot_count))
    return REFUSE(c, ASH_D_plan_alias_circle, "'%s' follows nothing", s->id);
  return check_binding(c, s);
}

ash_status ash_check_fields(const ash_checker *c) {
  const ash_plan *p = c->plan;
  if (!p || (p->slot_count && !p->slots) || (p->arena_count && !p->arenas) ||
      (p->steps.count && !p->steps.items))
    return ash_fail(c->ctx, ASH_MISUSE, ASH_D_plan_missing, ASH_NOWHERE,
                    "there is no plan");
  if ((unsigned)p->verdict > ASH_INFEASIBLE)
    return REFUSE(c, ASH_D_plan_verdict, "the plan has verdict %u",
                  (unsigned)p->verdict);
  if (p->arena_count > 3 * ASH_MEMORY_MAX) /* others look through all */
    return REFUSE(c, ASH_D_plan_arena_twice,
                  "%u arenas, of three roles in at most %u memories",
                  (unsigned)p->arena_count, (unsigned)ASH_MEMORY_MAX);
  for (uint32_t i = 0; i < p->arena_count; i++)
    ASH_TRY(check_arena(c, i));
  for (uint32_t i = 0; i < p->slot_count; i++)
    ASH_TRY(check_slot(c, i));
  return ASH_OK;
}
