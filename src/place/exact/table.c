/* table.c - direct-mapped: a newer failure replaces an older one in its slot.
 * The offsets of solved components live in a ring; an entry whose offsets have
 * been overwritten is gone. */
#include "place/exact/table.h"

#include <string.h>

bool ash_place_table_init(ash_place_table *t, ash_zone *zone, size_t blocks) {
  size_t slots = 64; /* small problems are over before a large one is zeroed */
  while (slots < 32 * blocks && slots < (size_t)1 << 14)
    slots *= 2;
  ASH_ASSERT((slots & (slots - 1)) == 0);
  *t = (ash_place_table){.zone = zone,
                         .failed = ASH_NEW_ARRAY(zone, ash_place_key, slots),
                         .failed_mask = slots - 1,
                         .solved =
                             ASH_NEW_ARRAY(zone, ash_place_solved, slots / 4),
                         .solved_mask = (uint32_t)(slots / 4 - 1),
                         .ring = ASH_NEW_ARRAY(zone, int64_t, slots * 4),
                         .ring_mask = slots * 4 - 1};
  return !zone->failed;
}

void ash_place_table_add_failed(ash_place_table *t, ash_place_key key) {
  ASH_ASSERT(key.a || key.b);
  ash_place_key *slot = &t->failed[key.a & t->failed_mask];
  t->failed_count += slot->a == 0 && slot->b == 0;
  *slot = key;
}

void ash_place_table_grow(ash_place_table *t, size_t slots_max) {
  const size_t slots = t->failed_mask + 1;
  ASH_ASSERT(t->failed_count <= slots);
  if (t->failed_count < slots / 2 || slots * 4 > slots_max)
    return;
  ash_place_key *larger = ASH_NEW_ARRAY(t->zone, ash_place_key, slots * 4);
  if (!larger)
    return;
  ash_place_key *old = t->failed;
  t->failed = larger;
  t->failed_mask = slots * 4 - 1;
  t->failed_count = 0;
  for (size_t i = 0; i < slots; i++)
    if (old[i].a || old[i].b)
      ash_place_table_add_failed(t, old[i]);
}

void ash_place_table_forget_failed(ash_place_table *t) {
  memset(t->failed, 0, (t->failed_mask + 1) * sizeof *t->failed);
  t->failed_count = 0;
}

void ash_place_table_forget_solved(ash_place_table *t) {
  memset(t->solved, 0, ((size_t)t->solved_mask + 1) * sizeof *t->solved);
}

const ash_place_solved *ash_place_table_find_solved(const ash_place_table *t,
                                                    ash_place_key key) {
  const ash_place_solved *s = &t->solved[key.a & t->solved_mask];
  if (s->key.a != key.a || s->key.b != key.b || s->count == 0)
    return NULL;
  ASH_ASSERT(s->at + s->count <= t->ring_head);
  return t->ring_head - s->at > t->ring_mask + 1 ? NULL : s;
}

ash_place_solved *ash_place_table_add_solved(ash_place_table *t,
                                             ash_place_key key,
                                             uint32_t count) {
  if (count == 0 || count > t->ring_mask / 4)
    return NULL;
  ash_place_solved *s = &t->solved[key.a & t->solved_mask];
  *s = (ash_place_solved){.key = key, .at = t->ring_head, .count = count};
  t->ring_head += count;
  return s;
}
