/* alias.c - views, and the fixed point of their live ranges. */
#include "plan/alias.h"

/* A view of a constant would turn a constant into an activation: such ops copy
 * instead. Both sides must hold the same number of bytes. */
static bool can_view(const ash_slot *from, const ash_slot *to) {
  return from->binding.role == ASH_SCRATCH &&
         to->binding.role == ASH_SCRATCH && from->size == to->size;
}

void ash_find_aliases(ash_slots *slots, const ash_graph *g,
                      const uint32_t *slot_of) {
  for (size_t i = 0; i < g->op_count; i++) {
    const ash_op *op = &g->ops.items[i];
    if (!(ash_op_info_of(op->kind)->flags & ASH_OP_VIEW) ||
        op->input_count == 0 || op->inputs[0] == ASH_NO_ID)
      continue;
    const uint32_t from = slot_of[op->inputs[0]], to = slot_of[op->outputs[0]];
    if (from != ASH_NO_ID && to != ASH_NO_ID &&
        can_view(&slots->items[from], &slots->items[to]))
      slots->items[to].alias_of = from;
  }
}

uint32_t ash_alias_root(const ash_slot *slots, uint32_t slot) {
  while (slots[slot].alias_of != ASH_NO_ID)
    slot = slots[slot].alias_of;
  return slot;
}

void ash_populate_alias_bindings(ash_slot *slots, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t root = ash_alias_root(slots, i);
    if (root == i)
      continue;
    slots[i].binding = slots[root].binding;
    slots[i].bound = slots[root].bound;
  }
}

static bool widen(ash_lifetime *life, const ash_lifetime *by) {
  const ash_lifetime was = *life;
  if (by->first_step < life->first_step)
    life->first_step = by->first_step;
  if (by->end_step > life->end_step)
    life->end_step = by->end_step;
  return was.first_step != life->first_step || was.end_step != life->end_step;
}

void ash_merge_alias_lifetimes(ash_lifetime *lives, const uint32_t *alias_of,
                               size_t count) {
  bool changed = true;
  while (changed) {
    changed = false;
    for (size_t i = 0; i < count; i++) {
      if (alias_of[i] == ASH_NO_ID)
        continue;
      changed |= widen(&lives[i], &lives[alias_of[i]]);
      changed |= widen(&lives[alias_of[i]], &lives[i]);
    }
  }
}
