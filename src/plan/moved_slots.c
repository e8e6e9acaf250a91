/* moved_slots.c - the slots of rows that move: one more per place.
 *
 * The row of a storage that moves belongs to one tensor at a time: results take
 * the place of rows that die. Whoever has it then is copied; who takes its
 * place later, takes the new one. */
#include "plan/planner.h"

typedef struct putter {
  ash_draft *d;
  ash_slot *slots;
  uint32_t count;
  uint32_t *place; /* by slot of the answer: the newest slot of its row      */
} putter;

/* The slot of the answer whose row lies in the storage of `root` before step
 * `when` and is needed then. */
static uint32_t owner_of(const putter *p, uint32_t root, uint32_t when) {
  const ash_slot *slots = p->d->answer->slots;
  const uint32_t count = p->d->ask->slot_count;
  uint32_t owner = ASH_NO_ID;
  for (uint32_t i = 0; i < count; i++) {
    const ash_lifetime *own = &p->d->rows->own[i];
    if (own->first_step >= when || own->end_step <= when || !slots[i].has_row ||
        ash_alias_root(slots, count, i, NULL) != root)
      continue;
    ASH_ASSERT(owner == ASH_NO_ID);
    owner = i;
  }
  return owner;
}

static void put_move(putter *p, const ash_move *move) {
  const uint32_t owner = owner_of(p, move->slot, move->when);
  ASH_ASSERT(owner != ASH_NO_ID);
  const uint32_t from = p->place[owner], to = p->count++;
  const uint32_t root = ash_alias_root(p->slots, to, from, NULL);
  p->slots[to] = p->slots[from];
  ash_slot *s = &p->slots[to];
  s->life = (ash_lifetime){move->when, p->slots[root].life.end_step};
  s->alignment = p->slots[root].alignment;
  s->alias_of = ASH_NO_ID;
  s->alias_kind = ASH_ALIAS_NONE;
  s->moved_from = from;
  s->binding = p->slots[root].binding;
  s->binding.offset = move->to;
  p->slots[root].life.end_step = move->when;
  p->place[owner] = to;
  for (uint32_t i = 0; i < p->d->ask->slot_count; i++)
    if (p->slots[i].alias_of == from &&
        p->d->rows->own[i].first_step >= move->when)
      p->slots[i].alias_of = to;
}

static uint32_t count_moves(const ash_draft *d) {
  ASH_ASSERT(d->rows != NULL);
  uint32_t count = 0;
  for (const ash_moves *m = d->moves; m; m = m->next)
    count += m->is_taken ? m->count : 0;
  return count;
}

/* Rows of others that lie in a place live as long as it. */
static void share_lives(putter *p) {
  for (uint32_t i = 0; i < p->count; i++) {
    const uint32_t root = ash_alias_root(p->slots, p->count, i, NULL);
    ASH_ASSERT(root < p->count);
    if (p->slots[i].has_row)
      p->slots[i].life = p->slots[root].life;
  }
}

ash_status ash_plan_put_moves(ash_draft *d, ash_slot **slots, uint32_t *count) {
  const uint32_t moves = count_moves(d);
  putter p = {.d = d, .count = *count};
  if (moves == 0)
    return ASH_OK;
  p.slots = ASH_NEW_ARRAY(&d->ctx->keep, ash_slot, (size_t)*count + moves);
  p.place = ASH_NEW_ARRAY(&d->ctx->scratch, uint32_t, *count + 1u);
  ASH_TRY(ash_zone_check(d->ctx, &d->ctx->keep));
  ASH_TRY(ash_zone_check(d->ctx, &d->ctx->scratch));
  for (uint32_t i = 0; i < *count; i++) {
    p.slots[i] = (*slots)[i];
    p.place[i] = i;
  }
  for (const ash_moves *m = d->moves; m; m = m->next)
    for (uint32_t i = 0; m->is_taken && i < m->count; i++)
      put_move(&p, &m->items[i]);
  share_lives(&p);
  ash_populate_alias_allocations(p.slots, p.count);
  *slots = p.slots;
  *count = p.count;
  return ASH_OK;
}
