/* alias.h - which tensors are another's bytes under a new shape. */
#ifndef ASH_PLAN_ALIAS_H
#define ASH_PLAN_ALIAS_H

#include "plan/lifetime.h"

/* Sets alias_of of every slot that is a view; slot_of maps tensors to slots. */
void ash_find_aliases(ash_slots *slots, const ash_graph *g,
                      const uint32_t *slot_of);

/* The end of the alias chain that starts at `slot`. */
uint32_t ash_alias_root(const ash_slot *slots, uint32_t slot);

/* Copies each root's binding to the slots that share its storage. */
void ash_populate_alias_bindings(ash_slot *slots, uint32_t count);

#endif
