/* states.h - the set of states that the search has seen: how many steps every
 * operator has run. States are stored whole, in as many bits as the steps of
 * each operator need, so that a proof rests on equality and not on a hash.
 * Private to src/order. */
#ifndef ASH_ORDER_STATES_H
#define ASH_ORDER_STATES_H

#include "order/problem.h"

typedef struct ash_order_field {
  uint32_t op;
  uint32_t word, shift;
} ash_order_field;

typedef struct ash_order_states {
  ash_zone *zone;
  ash_order_field *fields;
  uint32_t field_count;
  uint32_t words;  /* of a state                                             */
  uint64_t *state; /* the one that is looked for                             */
  uint64_t *items; /* slots of `words` words; the lowest bit is set in a state
                      and clear in an empty slot, the next one is set in a
                      slot whose state was removed                           */
  size_t mask;     /* slots - 1; slots are a power of two                    */
  size_t count, slots_max;
} ash_order_states;

typedef enum ash_order_added {
  ASH_ORDER_NEW,
  ASH_ORDER_KNOWN,
  ASH_ORDER_FULL /* no room for it, or no memory */
} ash_order_added;

/* The operators with `counts[op]` set make the state. At most `bytes` of
 * memory, and as much again while it grows. */
bool ash_order_states_init(ash_order_states *s, ash_zone *zone,
                           const ash_order_problem *p, const bool *counts,
                           uint64_t bytes);
/* Room for few states, the zone having been rewound to before. */
bool ash_order_states_clear(ash_order_states *s);
ash_order_added ash_order_states_add(ash_order_states *s, const uint32_t *done);
/* Forgets a state that was added. */
void ash_order_states_remove(ash_order_states *s, const uint32_t *done);

#endif
