/* finish.c - what is left to do when a backend has answered: arenas it did
 * not mention, bounds that are not its own to claim, and the question whether
 * it kept to budgets and rules. */
#include "plan/planner.h"

#include "base/checked.h"
#include "device/device.h"

#include <inttypes.h>
#include <string.h>

static ash_status unknown_memory(ash_draft *d, const ash_slot *s,
                                 const char *memory) {
  return ash_fail(d->ctx, ASH_INTERNAL, ASH_D_plan_memory, ASH_NOWHERE,
                  "the planner puts '%s' into %s, which %s does not have",
                  s->id, memory ? memory : "no memory", d->ask->device->name);
}

/* Names are made the device's own, so that others may compare pointers or
 * words as they like. */
static ash_status take_slot(ash_draft *d, ash_slot *s) {
  const ash_device *device = d->ask->device;
  ash_binding *at = &s->binding;
  uint64_t end;
  if (!at->source_memory)
    at->source_memory = at->memory;
  const uint32_t memory =
      at->memory ? ash_device_memory_named(device, at->memory) : ASH_NO_MEMORY;
  const uint32_t source =
      at->source_memory ? ash_device_memory_named(device, at->source_memory)
                        : ASH_NO_MEMORY;
  if (memory == ASH_NO_MEMORY)
    return unknown_memory(d, s, at->memory);
  if (source == ASH_NO_MEMORY)
    return unknown_memory(d, s, at->source_memory);
  if (!ash_add_u64(&end, at->offset, s->size))
    return ash_fail(d->ctx, ASH_INTERNAL, ASH_D_plan_beyond_arena, ASH_NOWHERE,
                    "the offset of '%s' overflows", s->id);
  at->memory = device->memories[memory].name;
  at->source_memory = device->memories[source].name;
  ash_arena *arena = ash_draft_arena(d, at->role, memory, source);
  arena->size = ash_max_u64(arena->size, end);
  arena->alignment = ash_max_u64(arena->alignment, s->alignment);
  return ASH_OK;
}

/* Bytes alive at once in one arena: no plan is smaller, and nothing else is
 * believed of a foreign backend. */
static uint64_t bound_of(const ash_draft *d, const ash_arena *a) {
  uint64_t peak = 0, sum = 0;
  for (uint32_t step = 0; step < d->ask->steps.count; step++) {
    sum = 0;
    for (uint32_t i = 0; i < d->ask->slot_count; i++) {
      const ash_slot *s = &d->answer->slots[i];
      if (s->alias_of == ASH_NO_ID && s->binding.role == a->role &&
          strcmp(s->binding.memory, a->memory) == 0 &&
          s->life.first_step <= step && step < s->life.end_step)
        sum += s->size;
    }
    peak = ash_max_u64(peak, sum);
  }
  ASH_ASSERT(a->role == ASH_SCRATCH);
  return ash_min_u64(peak, a->size);
}

static ash_status judge(ash_draft *d) {
  for (uint32_t i = 0; i < d->answer->arena_count; i++) {
    ash_arena *a = &d->answer->arenas[i];
    if (a->role != ASH_SCRATCH) {
      a->total_size = a->size;
      ASH_TRY(ash_bound_packed(d, a));
      continue;
    }
    a->lower_bound = bound_of(d, a);
    a->verdict = a->lower_bound == a->size ? ASH_OPTIMAL : ASH_FEASIBLE;
    const uint32_t m = ash_device_memory_named(d->ask->device, a->memory);
    ASH_ASSERT(m != ASH_NO_MEMORY && a->lower_bound <= a->size);
    a->total_size = a->size + ash_draft_room(d, m);
  }
  return ASH_OK;
}

ash_status ash_complete_arenas(ash_draft *d, bool trusted) {
  if (trusted)
    return ASH_OK;
  d->answer->arena_count = 0;
  for (uint32_t i = 0; i < d->ask->slot_count; i++) {
    ash_slot *s = &d->answer->slots[i];
    if (!s->bound)
      return ash_fail(d->ctx, ASH_INTERNAL, ASH_D_plan_unbound, ASH_NOWHERE,
                      "the planner gives '%s' no place", s->id);
    ASH_TRY(take_slot(d, s));
  }
  return judge(d);
}

/* ---- demands ------------------------------------------------------------- */

static uint64_t used_in(const ash_draft *d, const char *memory) {
  ASH_ASSERT(memory != NULL);
  uint64_t sum = 0;
  for (uint32_t i = 0; i < d->answer->arena_count; i++) {
    const ash_arena *a = &d->answer->arenas[i];
    if (strcmp(a->memory, memory) == 0)
      sum += a->size;
    if (strcmp(a->memory, a->source_memory) != 0 &&
        strcmp(a->source_memory, memory) == 0)
      sum += a->size;
  }
  return sum;
}

/* Those that were asked for; what the device has is for the checker. */
static ash_status check_budgets(ash_draft *d) {
  for (uint32_t i = 0; i < d->ask->memory_count; i++) {
    const ash_memory_budget *b = &d->ask->memories[i];
    const uint64_t used = used_in(d, b->memory);
    if (b->constrained && used > b->max_size)
      return ash_fail(d->ctx, ASH_INTERNAL, ASH_D_plan_budget, ASH_NOWHERE,
                      "%" PRIu64 " bytes are planned in %s, whose budget is "
                      "%" PRIu64,
                      used, b->memory, b->max_size);
  }
  return ASH_OK;
}

static ash_status check_slot(ash_draft *d, uint32_t i) {
  const ash_slot *s = &d->answer->slots[i];
  const uint32_t asked = d->ask->memory[i];
  const uint32_t given =
      ash_device_memory_named(d->ask->device, s->binding.memory);
  const bool pinned = d->ask->offset[i] != ASH_NO_OFFSET;
  ASH_ASSERT(i < d->ask->slot_count && given != ASH_NO_MEMORY);
  if (asked != ASH_NO_MEMORY && asked != given)
    return ash_fail(d->ctx, ASH_INTERNAL, ASH_D_plan_demand, ASH_NOWHERE,
                    "a rule wants '%s' in %s, the plan has it in %s", s->id,
                    d->ask->memories[asked].memory, s->binding.memory);
  if (pinned && d->ask->offset[i] != s->binding.offset)
    return ash_fail(d->ctx, ASH_INTERNAL, ASH_D_plan_demand, ASH_NOWHERE,
                    "a rule pins '%s' at %" PRIu64 ", the plan has it at "
                    "%" PRIu64,
                    s->id, d->ask->offset[i], s->binding.offset);
  if (s->binding.role == ASH_SCRATCH && asked == ASH_NO_MEMORY &&
      !d->ask->memories[given].automatic &&
      given != d->ask->device->default_memory)
    return ash_fail(d->ctx, ASH_INTERNAL, ASH_D_plan_demand, ASH_NOWHERE,
                    "'%s' is in %s, which must not be used without a rule",
                    s->id, s->binding.memory);
  return ASH_OK;
}

ash_status ash_plan_check_demands(ash_draft *d) {
  for (uint32_t i = 0; i < d->ask->slot_count; i++)
    ASH_TRY(check_slot(d, i));
  return check_budgets(d);
}
