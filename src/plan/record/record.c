/* record.c - questions that the records of a plan answer by themselves. */
#include "plan/record/record.h"

const char *ash_role_text(ash_role role) {
  static const char *const text[] = {"scratch", "persistent", "constant"};
  return (unsigned)role < ASH_COUNT_OF(text) ? text[role] : "?";
}

const char *ash_alias_text(ash_alias_kind kind) {
  static const char *const text[] = {"none", "view", "piece", "in place"};
  return (unsigned)kind < ASH_COUNT_OF(text) ? text[kind] : "none";
}

const char *ash_slot_kind_text(ash_slot_kind kind) {
  static const char *const text[] = {"tensor", "work", "tile", "accumulator"};
  return (unsigned)kind < ASH_COUNT_OF(text) ? text[kind] : "?";
}

uint32_t ash_alias_root(const ash_slot *slots, uint32_t count, uint32_t slot,
                        uint64_t *offset) {
  uint64_t sum = 0;
  for (uint32_t hops = 0; hops <= count && slot < count; hops++) {
    if (slots[slot].alias_of == ASH_NO_ID) {
      if (offset)
        *offset = sum;
      return slot;
    }
    sum += slots[slot].alias_offset;
    slot = slots[slot].alias_of;
  }
  return ASH_NO_ID;
}

uint32_t ash_plan_slot_of_tensor(const ash_plan *plan, uint32_t tensor) {
  for (uint32_t i = 0; i < plan->slot_count; i++)
    if (plan->slots[i].tensor == tensor)
      return i;
  return ASH_NO_ID;
}

uint32_t ash_plan_slot_of_op(const ash_plan *plan, uint32_t op) {
  for (uint32_t i = 0; i < plan->slot_count; i++)
    if (plan->slots[i].op == op && plan->slots[i].kind <= ASH_SLOT_WORK)
      return i;
  return ASH_NO_ID;
}

ash_choice ash_plan_choice(const ash_plan *plan, const ash_graph *g,
                           uint32_t op) {
  return plan->choices ? plan->choices[op] : ash_choose(g, op, NULL);
}

bool ash_plan_reads(const ash_plan *plan, const ash_graph *g, uint32_t op,
                    uint32_t input) {
  return ash_kernel_reads(ash_plan_choice(plan, g, op).kernel, g, op, input);
}
