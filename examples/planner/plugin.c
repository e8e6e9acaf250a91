/* plugin.c - a planner backend as a shared object:
 *
 *   ashlar plan model.tflite --target apollo510 --planner ./libby_size.so
 *
 * It needs nothing of libashlar but its headers. Storage is placed by size,
 * the largest first, at the lowest offset where nothing that lives at the same
 * time is in the way, in the first memory that has room. Whatever it answers
 * is checked by Ashlar before anyone uses it. */
#include "ashlar/plan.h"

#include <string.h>

/* What this backend has to place: scratch that is nobody's alias. */
static bool is_mine(const ash_slot *s) {
  return s->binding.role == ASH_SCRATCH && s->alias_of == ASH_NO_ID;
}

static bool clash(const ash_slot *a, uint64_t at, const ash_slot *b,
                  const char *memory) {
  return b->bound && is_mine(b) && strcmp(b->binding.memory, memory) == 0 &&
         a->life.first_step < b->life.end_step &&
         b->life.first_step < a->life.end_step &&
         at < b->binding.offset + b->size && b->binding.offset < at + a->size;
}

static uint64_t lowest(const ash_plan_request *ask, const ash_slot *slots,
                       uint32_t i, const char *memory) {
  const uint64_t alignment = slots[i].alignment;
  uint64_t at = 0;
  for (uint32_t k = 0; k < ask->slot_count; k++)
    if (clash(&slots[i], at, &slots[k], memory)) {
      at = slots[k].binding.offset + slots[k].size;
      at = (at + alignment - 1) / alignment * alignment;
      k = UINT32_MAX; /* from the start again */
    }
  return at;
}

/* Bytes that constants and variables have taken of a memory. */
static uint64_t taken(const ash_plan_answer *answer, const char *memory) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < answer->arena_count; i++) {
    const ash_arena *a = &answer->arenas[i];
    if (strcmp(a->memory, memory) == 0 || strcmp(a->source_memory, memory) == 0)
      sum += (a->size + a->alignment - 1) / a->alignment * a->alignment;
  }
  return sum;
}

static bool put(const ash_plan_request *ask, ash_plan_answer *answer,
                uint32_t i, uint32_t memory) {
  const ash_memory_budget *m = &ask->memories[memory];
  const uint64_t at = lowest(ask, answer->slots, i, m->memory);
  ash_slot *s = &answer->slots[i];
  if (at + s->size + taken(answer, m->memory) > m->max_size)
    return false;
  s->bound = true;
  s->binding.memory = s->binding.source_memory = m->memory;
  s->binding.offset = at;
  s->reason = "first memory with room, largest first";
  return true;
}

/* A rule's choice, else the default memory, else any that may be used. */
static bool place(const ash_plan_request *ask, ash_plan_answer *answer,
                  uint32_t i) {
  if (ask->memory[i] != ASH_NO_MEMORY)
    return put(ask, answer, i, ask->memory[i]);
  if (put(ask, answer, i, ask->device->default_memory))
    return true;
  for (uint32_t m = 0; m < ask->memory_count; m++)
    if (ask->memories[m].automatic && put(ask, answer, i, m))
      return true;
  return false;
}

static uint32_t largest_left(const ash_plan_request *ask,
                             const ash_slot *slots) {
  uint32_t best = ASH_NO_ID;
  for (uint32_t i = 0; i < ask->slot_count; i++)
    if (is_mine(&slots[i]) && !slots[i].bound &&
        (best == ASH_NO_ID || slots[i].size > slots[best].size))
      best = i;
  return best;
}

static ash_status plan(void *user, ash_ctx *ctx, const ash_plan_request *ask,
                       ash_plan_answer *answer) {
  (void)user, (void)ctx;
  for (;;) {
    const uint32_t i = largest_left(ask, answer->slots);
    if (i == ASH_NO_ID)
      return ASH_OK;
    if (ask->offset[i] != ASH_NO_OFFSET) {
      answer->message = "this planner cannot pin tensors";
      return ASH_UNSUPPORTED;
    }
    if (!place(ask, answer, i)) {
      answer->message = "no memory has room for what is left";
      return ASH_NOFIT;
    }
  }
}

ASH_API extern const ash_planner ashlar_planner;
const ash_planner ashlar_planner = {
    .abi = ASH_PLANNER_ABI,
    .name = "by-size",
    .help = "largest first at the lowest free offset",
    .plan = plan};
