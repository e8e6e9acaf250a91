/* place_constants.c - constants and variables: one behind the other in the
 * order of first use, in arenas of their own. Equal constants share a place.
 *
 * A constant is stored in its source memory and read in its destination. Both
 * are the device's memory for constants unless a rule says otherwise; when
 * they differ the arena is staged, filled by one copy, and so all its
 * constants must come from one memory. */
#include "plan/planner.h"

#include "ask/rules.h"
#include "base/checked.h"
#include "base/sort.h"

#include <inttypes.h>
#include <string.h>

typedef struct packer {
  ash_draft *d;
  const ash_constraints *rules;
  const ash_rules *book;
  uint32_t *twin;   /* by slot: the first with the same bytes and place */
  uint32_t *memory; /* by slot: where kernels find it                   */
  uint32_t *source; /* by slot: where it is stored                      */
} packer;

static const ash_slot *slot_at(const packer *p, uint32_t i) {
  ASH_ASSERT(i < p->d->ask->slot_count);
  return &p->d->answer->slots[i];
}

static const uint8_t *bytes_of(const packer *p, const ash_slot *s) {
  ASH_ASSERT(s->tensor < p->d->ask->graph->tensor_count);
  return p->d->ask->graph->tensors.items[s->tensor].data;
}

/* ---- where --------------------------------------------------------------- */

/* Read-only memories the linker knows, the device's choice first. */
static uint32_t storage_with_room(const packer *p, uint64_t size) {
  const ash_device *device = p->d->ask->device;
  uint32_t best = device->constant_memory;
  if (ash_draft_room(p->d, best) >= size)
    return best;
  for (uint32_t i = 0; i < device->order_count; i++) {
    const ash_memory *m = &device->memories[device->order[i]];
    if (m->kind == ASH_MEMORY_NVM && m->linkable && m->reach_cpu &&
        ash_draft_room(p->d, device->order[i]) >= size)
      return device->order[i];
  }
  return best;
}

static uint32_t state_with_room(const packer *p, uint64_t size) {
  uint32_t memories[ASH_MEMORY_MAX + 1];
  const uint32_t count = ash_draft_candidates(p->d, memories);
  for (uint32_t i = 0; i < count; i++)
    if (ash_draft_room(p->d, memories[i]) >= size)
      return memories[i];
  return memories[0];
}

static void choose(const packer *p, uint32_t slot) {
  ASH_ASSERT(slot_at(p, slot)->binding.role != ASH_SCRATCH);
  const ash_slot *s = slot_at(p, slot);
  const ash_tensor_attributes *a = &p->rules->tensors[s->tensor];
  uint32_t source = a->memory;
  if (source == ASH_NO_MEMORY)
    source = s->binding.role == ASH_CONSTANT ? storage_with_room(p, s->size)
                                             : state_with_room(p, s->size);
  ASH_ASSERT(source < p->d->ask->memory_count);
  p->source[slot] = source;
  p->memory[slot] = a->destination == ASH_NO_MEMORY ? source : a->destination;
}

static const char *why(const packer *p, uint32_t slot) {
  ASH_ASSERT(p->memory[slot] < p->d->ask->memory_count);
  const ash_slot *s = slot_at(p, slot);
  const ash_tensor_attributes *a = &p->rules->tensors[s->tensor];
  const uint32_t rule =
      a->destination_rule != ASH_NO_RULE ? a->destination_rule : a->memory_rule;
  if (rule != ASH_NO_RULE)
    return ash_zone_format(&p->d->ctx->keep, "the rule '%s' asks for it",
                           p->book->items[rule].words);
  if (s->binding.role == ASH_PERSISTENT)
    return "first memory with room for state";
  return "the device's memory for constants, read in place";
}

/* ---- equal constants ----------------------------------------------------- */

/* By content, then by rules, so that those who can share stand together; among
 * equals the first used comes first. */
static int by_content(const void *a, const void *b, const void *user) {
  const packer *p = user;
  const ash_slot *x = slot_at(p, *(const uint32_t *)a);
  const ash_slot *y = slot_at(p, *(const uint32_t *)b);
  if (x->size != y->size)
    return x->size < y->size ? -1 : 1;
  const int order =
      x->size ? memcmp(bytes_of(p, x), bytes_of(p, y), x->size) : 0;
  if (order)
    return order;
  const ash_tensor_attributes *u = &p->rules->tensors[x->tensor];
  const ash_tensor_attributes *v = &p->rules->tensors[y->tensor];
  if (u->memory != v->memory)
    return u->memory < v->memory ? -1 : 1;
  if (u->destination != v->destination)
    return u->destination < v->destination ? -1 : 1;
  if (x->alignment != y->alignment)
    return x->alignment < y->alignment ? -1 : 1;
  return 0;
}

static ash_status find_twins(packer *p) {
  const uint32_t count = p->d->ask->slot_count;
  ash_zone *z = &p->d->ctx->scratch;
  uint32_t *order = ASH_NEW_ARRAY(z, uint32_t, count + 1u);
  uint32_t *spare = ASH_NEW_ARRAY(z, uint32_t, count + 1u);
  uint32_t constants = 0;
  ASH_TRY(ash_zone_check(p->d->ctx, z));
  for (uint32_t i = 0; i < count; i++) {
    p->twin[i] = i;
    if (slot_at(p, i)->binding.role == ASH_CONSTANT)
      order[constants++] = i;
  }
  ash_sort(order, spare, constants, sizeof *order, by_content, p);
  for (uint32_t i = 1; i < constants; i++)
    if (by_content(&order[i - 1], &order[i], p) == 0)
      p->twin[order[i]] = p->twin[order[i - 1]];
  ASH_ASSERT(constants <= count);
  return ASH_OK;
}

/* ---- placing ------------------------------------------------------------- */

static ash_status two_sources(const packer *p, const ash_slot *slot,
                              const ash_arena *arena, const char *source) {
  (void)ash_fail(p->d->ctx, ASH_MALFORMED, ASH_D_plan_source,
                 ash_graph_loc(p->d->ask->graph, ASH_NO_ID, slot->tensor),
                 "constant '%s' in %s comes from %s, others there from %s",
                 slot->id, arena->memory, source, arena->source_memory);
  ash_hint(p->d->ctx,
           "an arena is filled by one copy: give all constants of "
           "%s the same 'memory'",
           arena->memory);
  return ASH_MALFORMED;
}

static ash_status put(packer *p, uint32_t index) {
  ASH_ASSERT(index < p->d->ask->slot_count);
  ASH_ASSERT(p->memory[index] < p->d->ask->memory_count);
  ash_slot *slot = &p->d->answer->slots[index];
  const ash_device *device = p->d->ask->device;
  const char *source = device->memories[p->source[index]].name;
  ash_arena *arena = ash_draft_arena(p->d, slot->binding.role, p->memory[index],
                                     p->source[index]);
  uint64_t offset, end;
  if (strcmp(arena->source_memory, source) != 0)
    return two_sources(p, slot, arena, source);
  if (!ash_align_up_u64(&offset, arena->size, slot->alignment) ||
      !ash_add_u64(&end, offset, slot->size))
    return ash_fail(p->d->ctx, ASH_LIMIT, ASH_D_plan_nofit,
                    ash_graph_loc(p->d->ask->graph, ASH_NO_ID, slot->tensor),
                    "the sizes of this model's tensors overflow 64 bits");
  ASH_ASSERT(offset >= arena->size && offset % slot->alignment == 0);
  slot->bound = true;
  slot->reason = why(p, index);
  slot->binding = (ash_binding){.role = arena->role,
                                .memory = arena->memory,
                                .offset = offset,
                                .source_memory = arena->source_memory};
  arena->size = arena->total_size = end;
  arena->alignment = ash_max_u64(arena->alignment, slot->alignment);
  return ash_zone_check(p->d->ctx, &p->d->ctx->keep);
}

static bool is_own(const packer *p, uint32_t i) {
  return slot_at(p, i)->binding.role != ASH_SCRATCH && p->twin[i] == i;
}

static bool is_in(const packer *p, uint32_t i, const ash_arena *arena) {
  const ash_slot *s = slot_at(p, i);
  return is_own(p, i) && s->binding.role == arena->role &&
         strcmp(s->binding.memory, arena->memory) == 0;
}

static uint64_t slack_of(const ash_slot *s, uint64_t alignment) {
  ASH_ASSERT(alignment > 0);
  return (alignment - s->size % alignment) % alignment;
}

/* Those with the smallest alignment come last, and of them the one whose end
 * is furthest from a multiple at the very end: behind it nothing is lost. */
static uint32_t last_of(const packer *p, const ash_arena *arena,
                        uint64_t least) {
  uint32_t last = ASH_NO_ID;
  uint64_t most = 0;
  for (uint32_t i = 0; i < p->d->ask->slot_count; i++) {
    const ash_slot *s = slot_at(p, i);
    if (!is_in(p, i, arena) || s->alignment != least)
      continue;
    if (last == ASH_NO_ID || slack_of(s, least) >= most)
      last = i, most = slack_of(s, least);
  }
  return last;
}

/* The largest alignment below `below` in an arena, 0 if there is none. */
static uint64_t next_alignment(const packer *p, const ash_arena *arena,
                               uint64_t below) {
  uint64_t best = 0;
  for (uint32_t i = 0; i < p->d->ask->slot_count; i++)
    if (is_in(p, i, arena) && slot_at(p, i)->alignment < below)
      best = ash_max_u64(best, slot_at(p, i)->alignment);
  return best;
}

/* Once it is known who goes where, each arena is packed again: the strictest
 * alignment first, among equals in the order of first use. */
static ash_status pack_arena(packer *p, ash_arena *arena) {
  ASH_ASSERT(arena->role != ASH_SCRATCH);
  uint64_t least = UINT64_MAX;
  for (uint64_t a = UINT64_MAX; (a = next_alignment(p, arena, a)) != 0;)
    least = a;
  const uint32_t last = last_of(p, arena, least);
  arena->size = 0;
  for (uint64_t a = UINT64_MAX; (a = next_alignment(p, arena, a)) != 0;)
    for (uint32_t i = 0; i < p->d->ask->slot_count; i++)
      if (is_in(p, i, arena) && i != last && slot_at(p, i)->alignment == a)
        ASH_TRY(put(p, i));
  return last == ASH_NO_ID ? ASH_OK : put(p, last);
}

static ash_status put_own(packer *p) {
  for (uint32_t i = 0; i < p->d->ask->slot_count; i++)
    if (is_own(p, i)) {
      choose(p, i);
      ASH_TRY(put(p, i));
    }
  for (uint32_t i = 0; i < p->d->answer->arena_count; i++)
    ASH_TRY(pack_arena(p, &p->d->answer->arenas[i]));
  return ASH_OK;
}

static ash_status put_all(packer *p) {
  ASH_TRY(put_own(p));
  for (uint32_t i = 0; i < p->d->ask->slot_count; i++) {
    ash_slot *slot = &p->d->answer->slots[i];
    if (slot->binding.role == ASH_SCRATCH || is_own(p, i))
      continue;
    const ash_slot *twin = slot_at(p, p->twin[i]);
    ASH_ASSERT(twin->bound && twin->size == slot->size);
    slot->binding = twin->binding;
    slot->bound = true;
    slot->reason =
        ash_zone_format(&p->d->ctx->keep, "the same bytes as '%s'", twin->id);
  }
  return ash_zone_check(p->d->ctx, &p->d->ctx->keep);
}

static ash_status check_memory(const packer *p, uint32_t memory) {
  ASH_ASSERT(memory < p->d->ask->memory_count);
  const ash_memory_budget *b = &p->d->ask->memories[memory];
  uint64_t need = 0;
  for (uint32_t i = 0; i < p->d->answer->arena_count; i++) {
    const ash_arena *a = &p->d->answer->arenas[i];
    const bool staged = strcmp(a->memory, a->source_memory) != 0;
    if (strcmp(a->memory, b->memory) == 0 ||
        (staged && strcmp(a->source_memory, b->memory) == 0))
      need += ash_align_up(a->size, a->alignment);
  }
  if (need <= b->max_size)
    return ASH_OK;
  const ash_device *device = p->d->ask->device;
  (void)ash_fail(
      p->d->ctx, ASH_NOFIT, ASH_D_plan_nofit,
      ash_graph_loc(p->d->ask->graph, ASH_NO_ID, ASH_NO_ID),
      "constants and state need %" PRIu64 " bytes of %s on %s, which "
      "has %" PRIu64 ": %" PRIu64 " bytes short",
      need, b->memory, device->name, b->max_size, need - b->max_size);
  if (!b->constrained)
    ash_hint(p->d->ctx, "what if it were larger: --set %s=%" PRIu64, b->memory,
             need + device->memories[memory].reserve_bytes);
  return ASH_NOFIT;
}

/* ---- how good is it? ----------------------------------------------------- */

static int by_bytes(const void *a, const void *b, const void *user) {
  const packer *p = user;
  const ash_slot *x = slot_at(p, *(const uint32_t *)a);
  const ash_slot *y = slot_at(p, *(const uint32_t *)b);
  if (x->size != y->size)
    return x->size < y->size ? -1 : 1;
  return x->size ? memcmp(bytes_of(p, x), bytes_of(p, y), x->size) : 0;
}

/* Every slot starts at a multiple of the smallest alignment, so all but the
 * last take their size rounded up to it; equal constants may be one. */
static uint64_t bound_of(const packer *p, const ash_arena *arena,
                         const uint32_t *slots, uint32_t count) {
  uint64_t least = UINT64_MAX, sum = 0, most = 0;
  for (uint32_t i = 0; i < count; i++)
    least = ash_min_u64(least, slot_at(p, slots[i])->alignment);
  for (uint32_t i = 0; i < count; i++) {
    const ash_slot *s = slot_at(p, slots[i]);
    if (arena->role == ASH_CONSTANT && i &&
        by_bytes(&slots[i - 1], &slots[i], p) == 0)
      continue;
    sum += s->size + slack_of(s, least);
    most = ash_max_u64(most, slack_of(s, least));
  }
  ASH_ASSERT(sum >= most);
  return ash_min_u64(sum - most, arena->size);
}

ash_status ash_bound_packed(ash_draft *d, ash_arena *arena) {
  const packer p = {.d = d};
  ash_zone *z = &d->ctx->scratch;
  uint32_t *slots = ASH_NEW_ARRAY(z, uint32_t, d->ask->slot_count + 1u);
  uint32_t *spare = ASH_NEW_ARRAY(z, uint32_t, d->ask->slot_count + 1u);
  uint32_t count = 0;
  ASH_TRY(ash_zone_check(d->ctx, z));
  for (uint32_t i = 0; i < d->ask->slot_count; i++) {
    const ash_slot *s = slot_at(&p, i);
    if (s->alias_of == ASH_NO_ID && s->bound &&
        s->binding.role == arena->role &&
        strcmp(s->binding.memory, arena->memory) == 0)
      slots[count++] = i;
  }
  if (arena->role == ASH_CONSTANT)
    ash_sort(slots, spare, count, sizeof *slots, by_bytes, &p);
  arena->lower_bound = bound_of(&p, arena, slots, count);
  ASH_ASSERT(arena->lower_bound <= arena->size);
  arena->verdict =
      arena->lower_bound == arena->size ? ASH_OPTIMAL : ASH_FEASIBLE;
  return ASH_OK;
}

ash_status ash_plan_place_constants(ash_draft *d, const ash_constraints *rules,
                                    const ash_rules *book) {
  ash_zone *z = &d->ctx->scratch;
  const size_t count = d->ask->slot_count + 1u;
  packer p = {.d = d,
              .rules = rules,
              .book = book,
              .twin = ASH_NEW_ARRAY(z, uint32_t, count),
              .memory = ASH_NEW_ARRAY(z, uint32_t, count),
              .source = ASH_NEW_ARRAY(z, uint32_t, count)};
  ASH_TRY(ash_zone_check(d->ctx, z));
  ASH_TRY(find_twins(&p));
  ASH_TRY(put_all(&p));
  for (uint32_t i = 0; i < d->answer->arena_count; i++)
    ASH_TRY(ash_bound_packed(d, &d->answer->arenas[i]));
  for (uint32_t m = 0; m < d->ask->memory_count; m++)
    ASH_TRY(check_memory(&p, m));
  return ASH_OK;
}
