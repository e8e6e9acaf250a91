/* check_overlap.c - no two slots share a byte while both are alive: a sweep
 * over time, with what the bytes hold (check_cells.c). Aliases lie inside the
 * storage that they share, so only storage is looked at. */
#include "check/check_rows.h"

#include "base/sort.h"

#include <inttypes.h>
#include <string.h>

/* A slot comes to life, or its life ends. */
typedef struct event {
  uint32_t time;
  bool comes; /* at one time those who leave go first */
  uint32_t slot;
} event;

typedef struct sweep {
  const ash_checker *c;
  ash_cells cells;
  event *events;
  size_t count;
} sweep;

static const ash_slot *slot_at(const ash_checker *c, uint32_t i) {
  return &c->plan->slots[i];
}

static ash_status shared(const ash_checker *c, uint32_t i, uint32_t k) {
  const ash_slot *a = slot_at(c, i), *b = slot_at(c, k);
  ash_loc loc = ASH_NOWHERE;
  loc.file = c->g ? c->g->file : NULL;
  loc.tensor_name = a->name;
  return ash_fail(c->ctx, ASH_INTERNAL,
                  a->binding.role == ASH_CONSTANT ? ASH_D_plan_constants_differ
                                                  : ASH_D_plan_overlap,
                  loc,
                  "'%s' [%" PRIu64 ", %" PRIu64 ") and '%s' [%" PRIu64
                  ", %" PRIu64 ") overlap in %s while both are alive",
                  a->id, a->binding.offset, a->binding.offset + a->size, b->id,
                  b->binding.offset, b->binding.offset + b->size,
                  a->binding.memory);
}

static bool is_storage(const ash_checker *c, uint32_t i) {
  return slot_at(c, i)->alias_of == ASH_NO_ID && slot_at(c, i)->size > 0;
}

/* ---- what lives for a while ---------------------------------------------- */

/* A result that is written close behind the reading of what dies at the same
 * step shares that one step with it. Whether it stays behind, check_run.c
 * sees. */
static bool is_close(const ash_checker *c, uint32_t writer) {
  const ash_slot *w = slot_at(c, writer);
  const uint32_t of =
      w->follows == ASH_NO_ID ? ASH_NO_ID : c->index.root[w->follows];
  return of != ASH_NO_ID &&
         w->life.first_step + 1 == slot_at(c, of)->life.end_step;
}

static bool may_share(const ash_checker *c, uint32_t writer, uint32_t reader) {
  return is_close(c, writer) &&
         c->index.root[slot_at(c, writer)->follows] == reader;
}

static bool meet(const ash_slot *a, const ash_slot *b) {
  return a->life.first_step < b->life.end_step &&
         b->life.first_step < a->life.end_step &&
         a->binding.role == b->binding.role &&
         a->binding.offset < b->binding.offset + b->size &&
         b->binding.offset < a->binding.offset + a->size &&
         strcmp(a->binding.memory, b->binding.memory) == 0;
}

/* The step that a close follower shares is not swept: there it is compared
 * with everybody. */
static ash_status check_follower(const ash_checker *c, uint32_t i) {
  for (uint32_t k = 0; k < c->plan->slot_count; k++)
    if (k != i && is_storage(c, k) && meet(slot_at(c, i), slot_at(c, k)) &&
        !may_share(c, i, k) && !may_share(c, k, i))
      return shared(c, i, k);
  return ASH_OK;
}

static int by_time(const void *a, const void *b, const void *user) {
  const event *x = a, *y = b;
  (void)user;
  if (x->time != y->time)
    return x->time < y->time ? -1 : 1;
  if (x->comes != y->comes)
    return y->comes ? -1 : 1;
  return x->slot == y->slot ? 0 : x->slot < y->slot ? -1 : 1;
}

static ash_status list_events(sweep *s) {
  const ash_plan *p = s->c->plan;
  ash_zone *z = &s->c->ctx->scratch;
  const size_t most = 2 * (size_t)p->slot_count + 1;
  event *spare = ASH_NEW_ARRAY(z, event, most);
  s->events = ASH_NEW_ARRAY(z, event, most);
  ASH_TRY(ash_zone_check(s->c->ctx, z));
  for (uint32_t i = 0; i < p->slot_count; i++) {
    const ash_lifetime life = p->slots[i].life;
    const uint32_t first = life.first_step + is_close(s->c, i);
    if (!is_storage(s->c, i) || p->slots[i].binding.role == ASH_CONSTANT)
      continue;
    if (first > life.first_step)
      ASH_TRY(check_follower(s->c, i));
    if (first == life.end_step)
      continue;
    s->events[s->count++] = (event){first, true, i};
    s->events[s->count++] = (event){life.end_step, false, i};
  }
  ash_sort(s->events, spare, s->count, sizeof *spare, by_time, NULL);
  return ASH_OK;
}

ash_status ash_check_overlap(const ash_checker *c) {
  sweep s = {.c = c};
  ASH_TRY(ash_cells_of(c->ctx, &s.cells, c->plan));
  ASH_TRY(list_events(&s));
  for (size_t i = 0; i < s.count; i++) {
    const uint32_t slot = s.events[i].slot;
    const uint32_t there =
        s.events[i].comes ? ash_cells_other(&s.cells, slot, 0) : 0;
    if (there)
      return shared(c, slot, there - 1);
    ash_cells_put(&s.cells, slot, s.events[i].comes ? slot + 1 : 0);
  }
  return ASH_OK;
}

/* ---- constants ----------------------------------------------------------- */

/* Equal constants may lie on each other. */
static bool is_same(const ash_checker *c, const ash_slot *a,
                    const ash_slot *b) {
  if (a->size != b->size || a->binding.offset != b->binding.offset)
    return false;
  if (!c->g)
    return true;
  if (a->tensor == ASH_NO_ID || b->tensor == ASH_NO_ID)
    return false;
  return memcmp(c->g->tensors.items[a->tensor].data,
                c->g->tensors.items[b->tensor].data, a->size) == 0;
}

static int by_offset(const void *a, const void *b, const void *user) {
  const ash_plan *p = user;
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  const ash_binding *u = &p->slots[x].binding, *v = &p->slots[y].binding;
  const int memory = strcmp(u->memory, v->memory);
  if (memory)
    return memory;
  if (u->offset != v->offset)
    return u->offset < v->offset ? -1 : 1;
  return x == y ? 0 : x < y ? -1 : 1;
}

/* A constant in the storage of another one is part of its bytes. Without a
 * graph nobody knows; a file has no reason to say so. */
static ash_status check_part(const ash_checker *c, uint32_t i) {
  const ash_slot *s = slot_at(c, i), *of = slot_at(c, c->index.root[i]);
  const uint64_t at = s->binding.offset - of->binding.offset;
  if (c->g && s->tensor != ASH_NO_ID && of->tensor != ASH_NO_ID &&
      s->binding.offset >= of->binding.offset && s->size <= of->size &&
      at <= of->size - s->size &&
      memcmp(c->g->tensors.items[s->tensor].data,
             c->g->tensors.items[of->tensor].data + at, s->size) == 0)
    return ASH_OK;
  return shared(c, i, c->index.root[i]);
}

/* Always alive: sorted by place, a constant may meet the one that reaches
 * furthest of those before it, and no other. */
ash_status ash_check_constants(const ash_checker *c) {
  const ash_plan *p = c->plan;
  ash_zone *z = &c->ctx->scratch;
  uint32_t *order = ASH_NEW_ARRAY(z, uint32_t, p->slot_count + 1u);
  uint32_t *spare = ASH_NEW_ARRAY(z, uint32_t, p->slot_count + 1u);
  uint32_t count = 0, last = 0;
  ASH_TRY(ash_zone_check(c->ctx, z));
  for (uint32_t i = 0; i < p->slot_count; i++) {
    if (p->slots[i].binding.role != ASH_CONSTANT)
      continue;
    if (p->slots[i].alias_of != ASH_NO_ID)
      ASH_TRY(check_part(c, i));
    else if (is_storage(c, i))
      order[count++] = i;
  }
  ash_sort(order, spare, count, sizeof *order, by_offset, p);
  for (uint32_t i = 1; i < count; i++) {
    const ash_slot *a = slot_at(c, order[last]), *b = slot_at(c, order[i]);
    const bool apart = strcmp(a->binding.memory, b->binding.memory) != 0 ||
                       a->binding.offset + a->size <= b->binding.offset;
    if (!apart && !is_same(c, a, b))
      return shared(c, order[last], order[i]);
    last = apart ? i : last;
  }
  return ASH_OK;
}
