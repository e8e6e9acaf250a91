/* storage.c - see storage.h. */
#include "plan/share/storage.h"

void ash_storages_init(ash_storages *s, ash_zone *zone, uint32_t count,
                       const uint32_t *memory, const uint64_t *offset) {
  const size_t n = count + (size_t)1;
  *s = (ash_storages){.zone = zone};
  s->root = ASH_NEW_ARRAY(zone, uint32_t, n);
  s->at = ASH_NEW_ARRAY(zone, uint64_t, n);
  s->next = ASH_NEW_ARRAY(zone, uint32_t, n);
  s->last = ASH_NEW_ARRAY(zone, uint32_t, n);
  s->memory = ASH_NEW_ARRAY(zone, uint32_t, n);
  s->is_pinned = ASH_NEW_ARRAY(zone, bool, n);
  s->end = ASH_NEW_ARRAY(zone, uint32_t, n);
  for (uint32_t i = 0; !zone->failed && i < count; i++) {
    s->root[i] = s->last[i] = i;
    s->next[i] = ASH_NO_ID;
    s->memory[i] = memory[i];
    s->is_pinned[i] = offset[i] != ASH_NO_OFFSET;
  }
}

void ash_storages_end(ash_storages *s, uint32_t slot, uint32_t step) {
  ASH_ASSERT(s->root[slot] == slot && s->last[slot] == slot);
  s->end[slot] = step;
}

bool ash_storages_join(ash_storages *s, uint32_t inner, uint32_t outer,
                       uint64_t at) {
  ASH_ASSERT(s->root[inner] == inner && s->root[outer] == outer);
  ASH_ASSERT(inner != outer && s->at[inner] == 0);
  if (!ASH_GROW(s->zone, &s->joins, s->join_count))
    return false;
  s->joins.items[s->join_count++] = (ash_join){
      inner, outer, s->last[outer], s->memory[outer], s->alignment_count};
  for (uint32_t i = inner; i != ASH_NO_ID; i = s->next[i]) {
    s->root[i] = outer;
    s->at[i] += at;
  }
  if (s->end[outer] < s->end[inner])
    s->end[outer] = s->end[inner];
  s->next[s->last[outer]] = inner;
  s->last[outer] = s->last[inner];
  if (s->memory[outer] == ASH_NO_MEMORY)
    s->memory[outer] = s->memory[inner];
  return true;
}

bool ash_storages_note(ash_storages *s, const ash_slot *slots, uint32_t slot) {
  ASH_ASSERT(s->join_count > 0);
  if (!ASH_GROW(s->zone, &s->alignments, s->alignment_count))
    return false;
  s->alignments.items[s->alignment_count++] =
      (ash_old_alignment){slot, slots[slot].alignment};
  return true;
}

static void take_back(ash_storages *s, ash_slot *slots, const ash_join *j) {
  ASH_ASSERT(s->root[j->inner] == j->outer);
  const uint64_t at = s->at[j->inner];
  while (s->alignment_count > j->alignments) {
    const ash_old_alignment *was = &s->alignments.items[--s->alignment_count];
    slots[was->slot].alignment = was->alignment;
  }
  s->next[j->last] = ASH_NO_ID;
  s->last[j->outer] = j->last;
  s->memory[j->outer] = j->memory;
  for (uint32_t i = j->inner; i != ASH_NO_ID; i = s->next[i]) {
    s->root[i] = j->inner;
    s->at[i] -= at;
  }
  slots[j->inner].alias_of = ASH_NO_ID;
  slots[j->inner].alias_offset = 0;
  slots[j->inner].alias_kind = ASH_ALIAS_NONE;
}

void ash_storages_part(ash_storages *s, ash_slot *slots, size_t count) {
  while (s->join_count > count)
    take_back(s, slots, &s->joins.items[--s->join_count]);
}
