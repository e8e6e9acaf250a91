/* table.h - the transposition table: what the search already knows about
 * components of the skyline.
 *
 * A key stands for (range, unplaced blocks, sky, where the sky is a true top).
 * A component that failed at some capacity fails at every smaller one, so
 * failures are kept while the capacity falls, across restarts and orders.
 * Successes carry the offsets. Keys have 128 bits: a proof rests on them. */
#ifndef ASH_PLACE_TABLE_H
#define ASH_PLACE_TABLE_H

#include "base/ctx.h"

typedef struct ash_place_key {
  uint64_t a, b; /* a == 0 && b == 0: empty */
} ash_place_key;

typedef struct ash_place_solved { /* where in the ring the offsets lie */
  ash_place_key key;
  uint64_t at;
  uint32_t count;
} ash_place_solved;

typedef struct ash_place_table {
  ash_zone *zone;
  ash_place_key *failed;
  size_t failed_mask;
  size_t failed_count;
  ash_place_solved *solved;
  int64_t *ring;
  uint32_t solved_mask;
  uint64_t ring_mask;
  uint64_t ring_head; /* grows for ever; masked to an index */
  uint64_t hits, reuses;
} ash_place_table;

/* Sized for components of up to `blocks` blocks. */
bool ash_place_table_init(ash_place_table *t, ash_zone *zone, size_t blocks);
/* Room for more when it has become crowded: called between restarts. */
void ash_place_table_grow(ash_place_table *t, size_t slots_max);
void ash_place_table_forget_failed(ash_place_table *t);
void ash_place_table_forget_solved(ash_place_table *t);

static inline bool ash_place_table_has_failed(ash_place_table *t,
                                              ash_place_key key) {
  const ash_place_key *k = &t->failed[key.a & t->failed_mask];
  return k->a == key.a && k->b == key.b;
}

void ash_place_table_add_failed(ash_place_table *t, ash_place_key key);
/* The offsets of a solved component, or NULL. */
const ash_place_solved *ash_place_table_find_solved(const ash_place_table *t,
                                                    ash_place_key key);
/* Reserves `count` offsets for a solved component; NULL: too many. Fill them
 * with ash_place_table_ring. */
ash_place_solved *ash_place_table_add_solved(ash_place_table *t,
                                             ash_place_key key, uint32_t count);
static inline int64_t *ash_place_table_ring(const ash_place_table *t,
                                            uint64_t at) {
  ASH_ASSERT(at < t->ring_head);
  return &t->ring[at & t->ring_mask];
}

#endif
