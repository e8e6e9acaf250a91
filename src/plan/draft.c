/* draft.c - the pieces every planner backend uses. */
#include "plan/planner.h"

#include "base/checked.h"

#include <inttypes.h>
#include <string.h>

ash_arena *ash_draft_arena(ash_draft *d, ash_role role, uint32_t memory,
                           uint32_t source_memory) {
  ASH_ASSERT(memory < d->ask->device->memory_count);
  ASH_ASSERT(source_memory < d->ask->device->memory_count);
  const ash_device *device = d->ask->device;
  const ash_memory *m = &device->memories[memory];
  ash_plan_answer *a = d->answer;
  for (uint32_t i = 0; i < a->arena_count; i++)
    if (a->arenas[i].role == role && strcmp(a->arenas[i].memory, m->name) == 0)
      return &a->arenas[i];
  ASH_ASSERT(a->arena_count < a->arena_capacity);
  ash_arena *arena = &a->arenas[a->arena_count++];
  *arena =
      (ash_arena){.role = role,
                  .memory = m->name,
                  .source_memory = device->memories[source_memory].name,
                  .alignment = ash_max_u64(m->alignment, device->alignment),
                  .verdict = ASH_OPTIMAL};
  return arena;
}

static bool is_in(const ash_arena *a, const char *memory) {
  ASH_ASSERT(a->memory != NULL && memory != NULL);
  return strcmp(a->memory, memory) == 0;
}

/* The bytes of a staged constant lie in its source memory too. */
static bool is_stored_in(const ash_arena *a, const char *memory) {
  ASH_ASSERT(a->source_memory != NULL);
  return strcmp(a->memory, a->source_memory) != 0 &&
         strcmp(a->source_memory, memory) == 0;
}

uint64_t ash_draft_room(const ash_draft *d, uint32_t memory) {
  ASH_ASSERT(memory < d->ask->memory_count);
  const char *name = d->ask->memories[memory].memory;
  uint64_t room = d->ask->memories[memory].max_size;
  for (uint32_t i = 0; i < d->answer->arena_count; i++) {
    const ash_arena *a = &d->answer->arenas[i];
    const uint64_t bytes = ash_align_up(a->size, a->alignment);
    if (is_in(a, name))
      room -= ash_min_u64(room, bytes);
    if (is_stored_in(a, name))
      room -= ash_min_u64(room, bytes);
  }
  return room;
}

uint32_t ash_draft_candidates(const ash_draft *d, uint32_t *memories) {
  const ash_device *device = d->ask->device;
  uint32_t count = 0;
  memories[count++] = device->default_memory;
  for (uint32_t i = 0; i < device->order_count; i++) {
    const uint32_t m = device->order[i];
    if (m != device->default_memory && d->ask->memories[m].automatic)
      memories[count++] = m;
  }
  ASH_ASSERT(0 < count && count <= ASH_MEMORY_MAX);
  return count;
}

/* ---- scratch ------------------------------------------------------------ */

static ash_buffer buffer_of(const ash_draft *d, uint32_t slot) {
  const ash_slot *s = &d->answer->slots[slot];
  ASH_ASSERT(slot < d->ask->slot_count && s->alias_of == ASH_NO_ID);
  ASH_ASSERT(s->life.first_step < s->life.end_step);
  const uint64_t pin = d->ask->offset[slot];
  return (ash_buffer){.lower = s->life.first_step,
                      .upper = s->life.end_step,
                      .size = s->size,
                      .alignment = s->alignment,
                      .offset =
                          pin == ASH_NO_OFFSET ? ASH_FREE_OFFSET : (int64_t)pin,
                      .hint = ASH_FREE_OFFSET};
}

ash_status ash_draft_scratch(ash_draft *d, ash_scratch *out) {
  ash_zone *z = &d->ctx->scratch;
  out->count = 0;
  out->slot = ASH_NEW_ARRAY(z, uint32_t, d->ask->slot_count + 1u);
  out->buffers = ASH_NEW_ARRAY(z, ash_buffer, d->ask->slot_count + 1u);
  ASH_TRY(ash_zone_check(d->ctx, z));
  for (uint32_t i = 0; i < d->ask->slot_count; i++) {
    const ash_slot *s = &d->answer->slots[i];
    if (s->binding.role != ASH_SCRATCH || s->alias_of != ASH_NO_ID)
      continue;
    out->slot[out->count] = i;
    out->buffers[out->count] = buffer_of(d, i);
    if (d->rows) {
      out->buffers[out->count].gaps = d->rows->gaps[i];
      out->buffers[out->count].gap_count = d->rows->gap_count[i];
    }
    out->count++;
  }
  return ASH_OK;
}

static uint64_t largest_alignment(const ash_draft *d, const ash_scratch *s,
                                  uint64_t least) {
  ASH_ASSERT(least > 0);
  for (uint32_t i = 0; i < s->count; i++)
    least = ash_max_u64(least, d->answer->slots[s->slot[i]].alignment);
  return least;
}

/* The moves that belong to a packing are part of the plan. */
static void take_moves(const ash_draft *d, const ash_place_result *placed) {
  ASH_ASSERT(placed->offsets != NULL);
  for (ash_moves *m = d->moves; m; m = m->next)
    m->is_taken = m->is_taken || m->offsets == placed->offsets;
}

ash_status ash_draft_commit(ash_draft *d, const ash_scratch *s,
                            const ash_place_result *placed, uint32_t memory) {
  if (s->count == 0)
    return ASH_OK;
  ASH_ASSERT(placed->offsets && placed->height >= placed->lower_bound);
  const uint64_t room = ash_draft_room(d, memory);
  ash_arena *arena = ash_draft_arena(d, ASH_SCRATCH, memory, memory);
  for (uint32_t i = 0; i < s->count; i++) {
    ash_slot *slot = &d->answer->slots[s->slot[i]];
    ASH_ASSERT(placed->offsets[i] >= 0);
    slot->bound = true;
    slot->binding = (ash_binding){.role = ASH_SCRATCH,
                                  .memory = arena->memory,
                                  .offset = (uint64_t)placed->offsets[i],
                                  .source_memory = arena->memory};
  }
  take_moves(d, placed);
  arena->size = placed->height;
  arena->total_size = room;
  arena->alignment = largest_alignment(d, s, arena->alignment);
  arena->lower_bound = placed->lower_bound;
  arena->verdict = placed->verdict;
  d->answer->ticks += placed->ticks;
  return ASH_OK;
}

uint64_t ash_peak_live(const ash_scratch *s, uint32_t steps, int64_t *when) {
  uint64_t peak = 0;
  *when = 0;
  for (uint32_t step = 0; step < steps; step++) {
    uint64_t live = 0;
    for (uint32_t i = 0; i < s->count; i++)
      if (s->buffers[i].lower <= step && step < s->buffers[i].upper)
        live += s->buffers[i].size;
    if (live > peak)
      peak = live, *when = step;
  }
  return peak;
}

ash_status ash_plan_pack_result(ash_draft *d, ash_place_result *out,
                                const ash_scratch *s, const int64_t *offsets,
                                uint64_t height) {
  *out = (ash_place_result){.height = height, .offsets = offsets};
  for (uint32_t i = 0; i < s->count; i++)
    if (s->buffers[i].offset != ASH_FREE_OFFSET)
      return ash_fail(d->ctx, ASH_UNSUPPORTED, ASH_D_plan_pin, ASH_NOWHERE,
                      "'%s' is pinned by a rule; only the planner 'exact' can "
                      "do that",
                      d->answer->slots[s->slot[i]].id);
  out->lower_bound = ash_peak_live(s, d->ask->steps.count, &out->witness_time);
  ASH_ASSERT(out->lower_bound <= height);
  out->verdict = out->lower_bound == height ? ASH_OPTIMAL : ASH_FEASIBLE;
  return ASH_OK;
}
