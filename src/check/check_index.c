/* check_index.c - what the judges ask again and again of a plan's slots, found
 * once: the storage that each shares, the slot of each tensor, the memory that
 * each operator has for itself. */
#include "check/check_plan.h"

#define UNKNOWN (ASH_NO_ID - 1)
#define ON_WAY  (ASH_NO_ID - 2)

/* The end of the chain of aliases that starts at `slot`, for all its links:
 * each is walked once. A circle has none. */
static void find_root(const ash_plan *p, uint32_t *root, uint32_t slot) {
  uint32_t end = slot, found;
  while (root[end] == UNKNOWN && p->slots[end].alias_of != ASH_NO_ID) {
    root[end] = ON_WAY;
    end = p->slots[end].alias_of;
  }
  if (root[end] == UNKNOWN)
    found = end;
  else
    found = root[end] == ON_WAY ? ASH_NO_ID : root[end];
  while (root[slot] == ON_WAY) {
    root[slot] = found;
    slot = p->slots[slot].alias_of;
  }
  root[end] = found;
}

static void find_slots(const ash_plan *p, ash_check_index *x, size_t ops) {
  for (uint32_t i = p->slot_count; i-- > 0;) {
    const ash_slot *s = &p->slots[i];
    if (s->tensor != ASH_NO_ID)
      x->of_tensor[s->tensor] = i;
    if (s->op == ASH_NO_ID || s->op >= ops)
      continue;
    if (s->kind <= ASH_SLOT_WORK)
      x->work[s->op] = i;
    if (s->tensor == ASH_NO_ID) {
      x->next[i] = x->first[s->op];
      x->first[s->op] = i;
    }
  }
}

ash_status ash_check_find(ash_checker *c) {
  const ash_plan *p = c->plan;
  ash_zone *z = &c->ctx->scratch;
  const size_t tensors = c->g ? c->g->tensor_count : 0;
  const size_t ops = c->g ? c->g->op_count : 0;
  ash_check_index *x = &c->index;
  *x = (ash_check_index){ASH_NEW_ARRAY(z, uint32_t, p->slot_count + 1u),
                         ASH_NEW_ARRAY(z, uint32_t, tensors + 1),
                         ASH_NEW_ARRAY(z, uint32_t, ops + 1),
                         ASH_NEW_ARRAY(z, uint32_t, ops + 1),
                         ASH_NEW_ARRAY(z, uint32_t, p->slot_count + 1u)};
  ASH_TRY(ash_zone_check(c->ctx, z));
  for (uint32_t i = 0; i < p->slot_count; i++) {
    x->root[i] = UNKNOWN;
    x->next[i] = ASH_NO_ID;
  }
  for (uint32_t i = 0; i < p->slot_count; i++)
    find_root(p, x->root, i);
  for (size_t i = 0; i < tensors; i++)
    x->of_tensor[i] = ASH_NO_ID;
  for (size_t i = 0; i < ops; i++)
    x->work[i] = x->first[i] = ASH_NO_ID;
  if (c->g)
    find_slots(p, x, ops);
  return ASH_OK;
}
