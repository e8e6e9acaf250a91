/* draft.c - the pieces every planner backend uses. */
#include "plan/planner.h"

#include "base/checked.h"
#include "base/sort.h"

#include <inttypes.h>
#include <string.h>

ash_arena *ash_draft_arena(ash_draft *d, ash_role role, uint32_t memory,
                           uint32_t source_memory) {
  const ash_memory *m = &d->device->memories[memory];
  for (uint32_t i = 0; i < d->arena_count; i++)
    if (d->arenas[i].role == role &&
        strcmp(d->arenas[i].memory, m->name) == 0)
      return &d->arenas[i];
  ash_arena *arena = &d->arenas[d->arena_count++];
  *arena = (ash_arena){
      .role = role,
      .memory = m->name,
      .source_memory = d->device->memories[source_memory].name,
      .alignment = m->alignment > d->device->alignment ? m->alignment
                                                       : d->device->alignment,
      .verdict = ASH_OPTIMAL};
  return arena;
}

uint64_t ash_draft_room(const ash_draft *d, uint32_t memory) {
  const ash_memory *m = &d->device->memories[memory];
  uint64_t room = ash_device_memory_budget(m);
  for (uint32_t i = 0; i < d->arena_count; i++)
    if (strcmp(d->arenas[i].memory, m->name) == 0)
      room -= ash_min_u64(
          room, ash_align_up(d->arenas[i].size, d->arenas[i].alignment));
  return room;
}

/* ---- constants and variables -------------------------------------------- */

static bool same_bytes(const ash_draft *d, const ash_slot *a,
                       const ash_slot *b) {
  const ash_tensor *x = &d->g->tensors.items[a->tensor];
  const ash_tensor *y = &d->g->tensors.items[b->tensor];
  return a->size == b->size &&
         (x->data == y->data || memcmp(x->data, y->data, a->size) == 0);
}

/* Slots by content, so that equal constants stand together; among equals the
 * first used comes first. */
static int by_content(const void *a, const void *b, const void *user) {
  const ash_draft *d = user;
  const ash_slot *x = &d->slots.items[*(const uint32_t *)a];
  const ash_slot *y = &d->slots.items[*(const uint32_t *)b];
  if (x->size != y->size)
    return x->size < y->size ? -1 : 1;
  if (x->size == 0)
    return 0;
  return memcmp(d->g->tensors.items[x->tensor].data,
                d->g->tensors.items[y->tensor].data, x->size);
}

/* twin[i]: the first slot with the same bytes as constant slot i (or i). */
static ash_status find_twins(ash_draft *d, uint32_t *twin) {
  const uint32_t count = d->slots.count;
  uint32_t *order = ASH_NEW_ARRAY(&d->ctx->scratch, uint32_t, count + 1u);
  uint32_t *spare = ASH_NEW_ARRAY(&d->ctx->scratch, uint32_t, count + 1u);
  uint32_t constants = 0;
  ASH_TRY(ash_zone_check(d->ctx, &d->ctx->scratch));
  for (uint32_t i = 0; i < count; i++) {
    twin[i] = i;
    if (d->slots.items[i].binding.role == ASH_CONSTANT)
      order[constants++] = i;
  }
  ash_sort(order, spare, constants, sizeof *order, by_content, d);
  for (uint32_t i = 1; i < constants; i++)
    if (same_bytes(d, &d->slots.items[order[i - 1]],
                   &d->slots.items[order[i]]))
      twin[order[i]] = twin[order[i - 1]];
  return ASH_OK;
}

static ash_status bump(ash_draft *d, ash_slot *slot, uint32_t memory) {
  ash_arena *arena =
      ash_draft_arena(d, slot->binding.role, memory, memory);
  uint64_t offset, end;
  if (!ash_align_up_u64(&offset, arena->size, slot->alignment) ||
      !ash_add_u64(&end, offset, slot->size))
    return ash_fail(d->ctx, ASH_LIMIT, ASH_D_plan_nofit,
                    ash_graph_loc(d->g, ASH_NO_ID, slot->tensor),
                    "the sizes of this model's tensors overflow 64 bits");
  slot->bound = true;
  slot->binding = (ash_binding){.role = arena->role,
                                .memory = arena->memory,
                                .offset = offset,
                                .source_memory = arena->source_memory};
  arena->size = end;
  arena->lower_bound = end;
  return ASH_OK;
}

/* Slots of one alignment, one behind the other, waste only what aligning the
 * next one costs; so the slot whose end is furthest from a multiple goes last,
 * and then no order is shorter. Returns that slot of a role, or ASH_NO_ID. */
static uint32_t last_of_role(const ash_draft *d, const uint32_t *twin,
                             ash_role role) {
  uint32_t last = ASH_NO_ID;
  uint64_t most = 0;
  for (uint32_t i = 0; i < d->slots.count; i++) {
    const ash_slot *s = &d->slots.items[i];
    if (s->binding.role != role || twin[i] != i)
      continue;
    const uint64_t slack = (s->alignment - s->size % s->alignment) %
                           s->alignment;
    if (last == ASH_NO_ID || slack >= most)
      last = i, most = slack;
  }
  return last;
}

/* All slots of a role that is never reused, into one memory. */
static ash_status bump_role(ash_draft *d, const uint32_t *twin, ash_role role,
                            uint32_t memory) {
  const uint32_t last = last_of_role(d, twin, role);
  for (uint32_t i = 0; i < d->slots.count; i++)
    if (d->slots.items[i].binding.role == role && twin[i] == i && i != last)
      ASH_TRY(bump(d, &d->slots.items[i], memory));
  if (last != ASH_NO_ID)
    ASH_TRY(bump(d, &d->slots.items[last], memory));
  for (uint32_t i = 0; i < d->slots.count; i++) {
    ash_slot *slot = &d->slots.items[i];
    if (slot->binding.role != role || twin[i] == i)
      continue;
    slot->binding = d->slots.items[twin[i]].binding;
    slot->bound = true;
  }
  return ASH_OK;
}

static ash_status check_bumped(ash_draft *d, uint32_t memory) {
  const ash_memory *m = &d->device->memories[memory];
  uint64_t need = 0;
  for (uint32_t i = 0; i < d->arena_count; i++)
    if (strcmp(d->arenas[i].memory, m->name) == 0)
      need += ash_align_up(d->arenas[i].size, d->arenas[i].alignment);
  if (need <= ash_device_memory_budget(m))
    return ASH_OK;
  (void)ash_fail(d->ctx, ASH_NOFIT, ASH_D_plan_nofit,
                 ash_graph_loc(d->g, ASH_NO_ID, ASH_NO_ID),
                 "constants need %" PRIu64 " bytes of %s on %s, which has "
                 "%" PRIu64 ": %" PRIu64 " bytes short",
                 need, m->name, d->device->name, ash_device_memory_budget(m),
                 need - ash_device_memory_budget(m));
  ash_hint(d->ctx, "what if it were larger: --set %s=%" PRIu64, m->name,
           need + m->reserve_bytes);
  return ASH_NOFIT;
}

ash_status ash_draft_bump(ash_draft *d) {
  uint32_t *twin =
      ASH_NEW_ARRAY(&d->ctx->scratch, uint32_t, d->slots.count + 1u);
  ASH_TRY(ash_zone_check(d->ctx, &d->ctx->scratch));
  ASH_TRY(find_twins(d, twin));
  ASH_TRY(bump_role(d, twin, ASH_CONSTANT, d->device->constant_memory));
  ASH_TRY(bump_role(d, twin, ASH_PERSISTENT, d->device->default_memory));
  for (uint32_t i = 0; i < d->arena_count; i++)
    d->arenas[i].total_size = d->arenas[i].size;
  ASH_TRY(check_bumped(d, d->device->constant_memory));
  return check_bumped(d, d->device->default_memory);
}

/* ---- scratch ------------------------------------------------------------ */

ash_status ash_draft_scratch(ash_draft *d, ash_scratch *out) {
  ash_zone *z = &d->ctx->scratch;
  out->count = 0;
  out->slot = ASH_NEW_ARRAY(z, uint32_t, d->slots.count + 1u);
  out->buffers = ASH_NEW_ARRAY(z, ash_buffer, d->slots.count + 1u);
  ASH_TRY(ash_zone_check(d->ctx, z));
  for (uint32_t i = 0; i < d->slots.count; i++) {
    const ash_slot *s = &d->slots.items[i];
    if (s->binding.role != ASH_SCRATCH || s->alias_of != ASH_NO_ID)
      continue;
    out->slot[out->count] = i;
    out->buffers[out->count++] = (ash_buffer){.lower = s->life.first_step,
                                              .upper = s->life.end_step,
                                              .size = s->size,
                                              .alignment = s->alignment,
                                              .offset = ASH_FREE_OFFSET,
                                              .hint = ASH_FREE_OFFSET};
  }
  return ASH_OK;
}

ash_status ash_draft_commit(ash_draft *d, const ash_scratch *s,
                            const ash_place_result *placed, uint32_t memory) {
  if (s->count == 0)
    return ASH_OK;
  const uint64_t room = ash_draft_room(d, memory);
  ash_arena *arena = ash_draft_arena(d, ASH_SCRATCH, memory, memory);
  for (uint32_t i = 0; i < s->count; i++) {
    ash_slot *slot = &d->slots.items[s->slot[i]];
    slot->bound = true;
    slot->binding = (ash_binding){.role = ASH_SCRATCH,
                                  .memory = arena->memory,
                                  .offset = (uint64_t)placed->offsets[i],
                                  .source_memory = arena->memory};
  }
  arena->size = placed->height;
  arena->total_size = room;
  arena->lower_bound = placed->lower_bound;
  arena->verdict = placed->verdict;
  d->ticks += placed->ticks;
  return ASH_OK;
}

static bool usable(const ash_memory *m) {
  return m->kind == ASH_MEMORY_RAM && m->linkable && m->reach_cpu;
}

uint32_t ash_draft_candidates(const ash_draft *d, uint32_t *memories) {
  uint32_t count = 0;
  memories[count++] = d->device->default_memory;
  for (uint32_t i = 0; i < d->device->order_count; i++) {
    const uint32_t m = d->device->order[i];
    if (m != d->device->default_memory && usable(&d->device->memories[m]))
      memories[count++] = m;
  }
  return count;
}

/* The largest sum of sizes alive at one step: no packing is lower. */
static uint64_t peak_live(const ash_draft *d, const ash_scratch *s,
                          int64_t *when) {
  uint64_t peak = 0;
  *when = 0;
  for (uint32_t step = 0; step < d->steps.count; step++) {
    uint64_t live = 0;
    for (uint32_t i = 0; i < s->count; i++)
      if (s->buffers[i].lower <= step && step < s->buffers[i].upper)
        live += s->buffers[i].size;
    if (live > peak)
      peak = live, *when = step;
  }
  return peak;
}

ash_status ash_draft_settle(ash_draft *d, const ash_scratch *s,
                            const int64_t *offsets, uint64_t height) {
  uint32_t memories[ASH_MEMORY_MAX + 1];
  ash_place_result placed = {.height = height, .offsets = offsets};
  placed.lower_bound = peak_live(d, s, &placed.witness_time);
  placed.verdict =
      placed.lower_bound == height ? ASH_OPTIMAL : ASH_FEASIBLE;
  const uint32_t count = ash_draft_candidates(d, memories);
  for (uint32_t i = 0; i < count; i++)
    if (height <= ash_draft_room(d, memories[i]))
      return ash_draft_commit(d, s, &placed, memories[i]);
  return ash_draft_nofit(d, s, &placed, memories[0]);
}

/* Names the largest of the buffers that are alive where the bound is forced. */
static void note_witness(ash_draft *d, const ash_scratch *s,
                         const ash_place_result *best) {
  for (size_t i = 0; i < best->witness_count && i < 8; i++) {
    const ash_slot *slot = &d->slots.items[s->slot[best->witness[i]]];
    ash_note(d->ctx, ASH_D_plan_nofit, ASH_NOWHERE,
             "alive at the peak (step %" PRId64 "): '%s' %" PRIu64 " bytes",
             best->witness_time, slot->name, slot->size);
  }
}

ash_status ash_draft_nofit(ash_draft *d, const ash_scratch *s,
                           const ash_place_result *best, uint32_t memory) {
  const ash_memory *m = &d->device->memories[memory];
  const uint64_t room = ash_draft_room(d, memory);
  const uint64_t need = best->offsets ? best->height : best->lower_bound;
  (void)ash_fail(d->ctx, ASH_NOFIT, ASH_D_plan_nofit,
                 ash_graph_loc(d->g, ASH_NO_ID, ASH_NO_ID),
                 "does not fit %s: activations need %" PRIu64
                 " bytes (no plan needs fewer than %" PRIu64 "), %s has room "
                 "for %" PRIu64 ": %" PRIu64 " bytes short",
                 d->device->name, need, best->lower_bound, m->name, room,
                 need > room ? need - room : 0);
  ash_hint(d->ctx, "it would fit with --set %s=%" PRIu64, m->name,
           need + ash_device_memory_budget(m) - room + m->reserve_bytes);
  note_witness(d, s, best);
  return ASH_NOFIT;
}
