/* states.c - see states.h: open addressing, doubled when three quarters full.
 */
#include "order/states.h"

#include <string.h>

enum { WORD_BITS = 64, SLOTS_MIN = 256 };

static uint32_t width_of(uint32_t most) {
  uint32_t bits = 0;
  for (; most; most >>= 1)
    bits++;
  return bits;
}

/* The lowest bits of the first word. */
enum { IS_STATE = 1, IS_REMOVED = 2, FLAGS = 2 };

/* Fields do not cross words. */
static void lay_out(ash_order_states *s, const ash_order_problem *p,
                    const bool *counts) {
  uint32_t bit = FLAGS;
  for (uint32_t op = 0; op < p->op_count; op++) {
    const uint32_t width = width_of(p->ops[op].steps);
    if (!counts[op])
      continue;
    if (bit % WORD_BITS + width > WORD_BITS)
      bit += WORD_BITS - bit % WORD_BITS;
    s->fields[s->field_count++] =
        (ash_order_field){op, bit / WORD_BITS, bit % WORD_BITS};
    bit += width;
  }
  s->words = (bit + WORD_BITS - 1) / WORD_BITS;
}

bool ash_order_states_init(ash_order_states *s, ash_zone *zone,
                           const ash_order_problem *p, const bool *counts,
                           uint64_t bytes) {
  *s = (ash_order_states){.zone = zone};
  s->fields = ASH_NEW_ARRAY(zone, ash_order_field, (size_t)p->op_count + 1);
  if (!s->fields)
    return false;
  lay_out(s, p, counts);
  s->state = ASH_NEW_ARRAY(zone, uint64_t, s->words);
  s->slots_max = SLOTS_MIN;
  while (s->slots_max * 2 <= bytes / (8 * (uint64_t)s->words))
    s->slots_max *= 2;
  return !zone->failed;
}

bool ash_order_states_clear(ash_order_states *s) {
  s->items = ASH_NEW_ARRAY(s->zone, uint64_t, (size_t)SLOTS_MIN * s->words);
  s->mask = SLOTS_MIN - 1;
  s->count = 0;
  return s->items != NULL;
}

static uint64_t hash_of(const uint64_t *state, uint32_t words) {
  uint64_t h = 0;
  for (uint32_t i = 0; i < words; i++) {
    h = (h ^ state[i]) * 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
  }
  return h ^ (h >> 32);
}

/* The slot with the state, or the empty one where it belongs. */
static uint64_t *find(const ash_order_states *s, const uint64_t *state) {
  size_t slot = hash_of(state, s->words) & s->mask;
  uint64_t *item = s->items + slot * s->words;
  while ((*item & IS_STATE) &&
         memcmp(item, state, s->words * sizeof *item) != 0) {
    slot = (slot + 1) & s->mask;
    item = s->items + slot * s->words;
  }
  return item;
}

static bool grow(ash_order_states *s) {
  const uint64_t *old = s->items;
  const size_t slots = s->mask + 1;
  if (slots * 2 > s->slots_max)
    return false;
  uint64_t *larger = ASH_NEW_ARRAY(s->zone, uint64_t, slots * 2 * s->words);
  if (!larger)
    return false;
  s->items = larger;
  s->mask = slots * 2 - 1;
  for (size_t i = 0; i < slots; i++)
    if ((old[i * s->words] & (IS_STATE | IS_REMOVED)) == IS_STATE)
      memcpy(find(s, old + i * s->words), old + i * s->words,
             s->words * sizeof *old);
  return true;
}

/* The slot of a state, which becomes the one that is looked for. */
static uint64_t *look_for(ash_order_states *s, const uint32_t *done) {
  memset(s->state, 0, s->words * sizeof *s->state);
  s->state[0] = IS_STATE;
  for (uint32_t i = 0; i < s->field_count; i++)
    s->state[s->fields[i].word] |= (uint64_t)done[s->fields[i].op]
                                   << s->fields[i].shift;
  return find(s, s->state);
}

void ash_order_states_remove(ash_order_states *s, const uint32_t *done) {
  uint64_t *item = look_for(s, done);
  ASH_ASSERT(*item & IS_STATE);
  *item |= IS_REMOVED;
}

ash_order_added ash_order_states_add(ash_order_states *s,
                                     const uint32_t *done) {
  uint64_t *item = look_for(s, done);
  if (*item & IS_STATE)
    return ASH_ORDER_KNOWN;
  if (s->count >= (s->mask + 1) / 4 * 3) {
    if (!grow(s))
      return ASH_ORDER_FULL;
    item = find(s, s->state);
  }
  memcpy(item, s->state, s->words * sizeof *item);
  s->count++;
  return ASH_ORDER_NEW;
}
