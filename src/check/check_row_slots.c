/* check_row_slots.c - the slots of a plan with rows, as a table: are the rows
 * of every tensor listed, in one memory, aligned, each place of a moved row
 * joined to the one before; and do no two things share bytes while both are
 * there? The latter by going through time, with one event per birth, move and
 * death: work memory is there during the runs of its operator only. */
#include "check/check_rows.h"

#include "base/sort.h"

#include <inttypes.h>
#include <string.h>

static ash_loc at_slot(const ash_checker *c, const ash_slot *s) {
  ash_loc loc = ASH_NOWHERE;
  loc.file = c->g ? c->g->file : NULL;
  loc.tensor_name = s->name;
  return loc;
}

#define REFUSE(c, id, slot, ...)                                               \
  ash_fail((c)->ctx, ASH_INTERNAL, (id), at_slot((c), (slot)), __VA_ARGS__)

/* ---- the rows of a tensor ------------------------------------------------ */

static int by_tensor(const void *a, const void *b, const void *user) {
  const ash_plan *p = user;
  const uint32_t x = p->slots[*(const uint32_t *)a].tensor;
  const uint32_t y = p->slots[*(const uint32_t *)b].tensor;
  return x == y ? 0 : x < y ? -1 : 1;
}

/* The smallest power of two in which an offset of the arena has 16 bits. */
static uint64_t unit_of(const ash_plan *p, const ash_slot *s) {
  uint64_t size = 0, unit = 1;
  for (uint32_t i = 0; i < p->arena_count; i++)
    if (p->arenas[i].role == s->binding.role &&
        strcmp(p->arenas[i].memory, s->binding.memory) == 0)
      size = p->arenas[i].size;
  while ((size + unit - 1) / unit > 65536)
    unit *= 2;
  return unit;
}

/* A slot of the group against the first one. */
static ash_status check_member(const ash_checker *c, const ash_slot *first,
                               const ash_slot *s) {
  ASH_ASSERT(s->has_row && first->has_row); /* or it would be planned twice */
  if (s->binding.role != first->binding.role ||
      strcmp(s->binding.memory, first->binding.memory) != 0)
    return REFUSE(c, ASH_D_plan_row_memory, s,
                  "row %u of '%s' is in %s, row %u in %s", (unsigned)s->row,
                  s->id, s->binding.memory, (unsigned)first->row,
                  first->binding.memory);
  if (s->size != first->size)
    return REFUSE(c, ASH_D_plan_row_size, s,
                  "row %u of '%s' has %" PRIu64 " bytes, row %u has %" PRIu64,
                  (unsigned)s->row, s->id, s->size, (unsigned)first->row,
                  first->size);
  return ASH_OK;
}

static ash_status check_place(const ash_checker *c, uint32_t slot) {
  const ash_plan *p = c->plan;
  const ash_slot *s = &p->slots[slot];
  const ash_slot *from =
      s->moved_from < p->slot_count ? &p->slots[s->moved_from] : NULL;
  if (!s->has_row || !from || !from->has_row || from->tensor != s->tensor ||
      from->row != s->row || s->moved_from == slot)
    return REFUSE(c, ASH_D_plan_row_move, s,
                  "row %u of '%s' is moved from a slot that is not its own",
                  (unsigned)s->row, s->id);
  if (from->life.end_step != s->life.first_step)
    return REFUSE(c, ASH_D_plan_row_move, s,
                  "row %u of '%s' leaves its place at step %u and is moved at "
                  "step %u",
                  (unsigned)s->row, s->id, (unsigned)from->life.end_step,
                  (unsigned)s->life.first_step);
  return ASH_OK;
}

/* Slots of one tensor, in the order of the plan. */
typedef struct group {
  const uint32_t *slots;
  uint32_t count;
} group;

/* Do its rows lie one after the other, and stay there? */
static bool is_one_piece(const ash_plan *p, const group *g) {
  const ash_slot *first = &p->slots[g->slots[0]];
  for (uint32_t i = 0; i < g->count; i++) {
    const ash_slot *s = &p->slots[g->slots[i]];
    if (s->moved_from != ASH_NO_ID ||
        s->binding.offset != first->binding.offset + i * first->size)
      return false;
  }
  return true;
}

/* Tables of places hold units; a tensor in one piece needs none. */
static ash_status check_units(const ash_checker *c, const group *g) {
  const ash_plan *p = c->plan;
  const uint64_t unit = unit_of(p, &p->slots[g->slots[0]]);
  if (is_one_piece(p, g))
    return ASH_OK;
  for (uint32_t i = 0; i < g->count; i++) {
    const ash_slot *s = &p->slots[g->slots[i]];
    if (s->binding.offset % unit != 0)
      return REFUSE(c, ASH_D_plan_row_unit, s,
                    "row %u of '%s' is at %" PRIu64 ", and rows of its arena "
                    "are found in units of %" PRIu64,
                    (unsigned)s->row, s->id, s->binding.offset, unit);
  }
  return ASH_OK;
}

static ash_status check_group(const ash_checker *c, const group *g) {
  const ash_plan *p = c->plan;
  const ash_slot *first = &p->slots[g->slots[0]];
  uint32_t next = 0;
  if (g->count == 1 && !first->has_row)
    return ASH_OK;
  for (uint32_t i = 0; i < g->count; i++) {
    const ash_slot *s = &p->slots[g->slots[i]];
    ASH_TRY(check_member(c, first, s));
    if (s->moved_from != ASH_NO_ID)
      continue;
    if (s->row != next++)
      return REFUSE(c, ASH_D_plan_rows, s,
                    "row %u of '%s' is listed where row %u should be",
                    (unsigned)s->row, s->id, (unsigned)next - 1);
  }
  return check_units(c, g);
}

static ash_status check_groups(const ash_checker *c) {
  const ash_plan *p = c->plan;
  ash_zone *z = &c->ctx->scratch;
  uint32_t *order = ASH_NEW_ARRAY(z, uint32_t, p->slot_count + 1u);
  uint32_t *spare = ASH_NEW_ARRAY(z, uint32_t, p->slot_count + 1u);
  ASH_TRY(ash_zone_check(c->ctx, z));
  for (uint32_t i = 0; i < p->slot_count; i++)
    order[i] = i;
  ash_sort(order, spare, p->slot_count, sizeof *order, by_tensor, p);
  for (uint32_t i = 0, end = 0; i < p->slot_count; i = end) {
    const uint32_t tensor = p->slots[order[i]].tensor;
    for (end = i + 1; end < p->slot_count && tensor != ASH_NO_ID &&
                      p->slots[order[end]].tensor == tensor;)
      end++;
    const group g = {order + i, end - i};
    if (tensor != ASH_NO_ID)
      ASH_TRY(check_group(c, &g));
  }
  return ASH_OK;
}

static ash_status check_moves(const ash_checker *c) {
  const ash_plan *p = c->plan;
  ash_zone *z = &c->ctx->scratch;
  bool *left = ASH_NEW_ARRAY(z, bool, p->slot_count + 1u);
  ASH_TRY(ash_zone_check(c->ctx, z));
  for (uint32_t i = 0; i < p->slot_count; i++) {
    const ash_slot *s = &p->slots[i];
    if (s->moved_from == ASH_NO_ID)
      continue;
    ASH_TRY(check_place(c, i));
    if (left[s->moved_from])
      return REFUSE(c, ASH_D_plan_row_move, s,
                    "row %u of '%s' is moved twice from one place",
                    (unsigned)s->row, s->id);
    left[s->moved_from] = true;
  }
  return ASH_OK;
}

/* ---- time ---------------------------------------------------------------- */

/* In this order at one time. */
enum event_kind { LEAVES, IS_MOVED, COMES, FOLLOWS };

typedef struct event {
  uint32_t time;
  enum event_kind kind;
  uint32_t slot;
} event;

typedef struct history {
  const ash_checker *c;
  ash_cells cells;
  event *events;
  size_t count;
  const uint32_t *root; /* by slot */
  bool *is_source;   /* by slot: its bytes are given up by a move            */
  bool *is_followed; /* by slot: its bytes are given up to a new row         */
  uint32_t *first_run, *runs; /* by op: its steps, in `runs`               */
} history;

static int by_time(const void *a, const void *b, const void *user) {
  const event *x = a, *y = b;
  (void)user;
  if (x->time != y->time)
    return x->time < y->time ? -1 : 1;
  if (x->kind != y->kind)
    return x->kind < y->kind ? -1 : 1;
  return x->slot == y->slot ? 0 : x->slot < y->slot ? -1 : 1;
}

static ash_status shared(const history *h, uint32_t slot, uint32_t other) {
  const ash_slot *a = &h->c->plan->slots[slot];
  const ash_slot *b = &h->c->plan->slots[other];
  const bool work = a->kind == ASH_SLOT_WORK || b->kind == ASH_SLOT_WORK;
  const bool moved = a->moved_from != ASH_NO_ID || b->moved_from != ASH_NO_ID;
  return REFUSE(h->c,
                work    ? ASH_D_plan_row_work
                : moved ? ASH_D_plan_row_moved_over
                        : ASH_D_plan_overlap,
                a,
                "'%s' row %u [%" PRIu64 ", %" PRIu64 ") and '%s' row %u "
                "[%" PRIu64 ", %" PRIu64 ") share bytes in %s from step %u on",
                a->id, (unsigned)a->row, a->binding.offset,
                a->binding.offset + a->size, b->id, (unsigned)b->row,
                b->binding.offset, b->binding.offset + b->size,
                a->binding.memory, (unsigned)a->life.first_step);
}

static ash_status come(history *h, uint32_t slot) {
  const uint32_t there = ash_cells_other(&h->cells, slot, 0);
  if (there != 0)
    return shared(h, slot, there - 1);
  ash_cells_put(&h->cells, slot, slot + 1);
  return ASH_OK;
}

static ash_status move(history *h, uint32_t slot) {
  const ash_slot *s = &h->c->plan->slots[slot];
  const uint32_t from = h->root[s->moved_from];
  const uint32_t there = ash_cells_other(&h->cells, from, from + 1);
  if (there != from + 1)
    return REFUSE(h->c, ASH_D_plan_row_move_lost, s,
                  "row %u of '%s' is moved from where it no longer is",
                  (unsigned)s->row, s->id);
  ash_cells_put(&h->cells, from, 0);
  return come(h, slot);
}

/* A new row that lies over one that dies with its first step: of all others its
 * bytes are free. What the step still reads there, check_row_run.c sees. */
static ash_status follow(history *h, uint32_t slot) {
  const uint32_t of = h->root[h->c->plan->slots[slot].follows];
  ash_cells_put(&h->cells, of, 0);
  return come(h, slot);
}

static void add(history *h, uint32_t time, enum event_kind kind,
                uint32_t slot) {
  h->events[h->count++] = (event){time, kind, slot};
}

static bool is_timed(const ash_slot *s) {
  return s->alias_of == ASH_NO_ID && s->binding.role != ASH_CONSTANT &&
         s->size > 0;
}

/* Work memory of an operator that runs several times. */
static bool has_gaps(const history *h, const ash_slot *s) {
  return s->kind == ASH_SLOT_WORK && s->op != ASH_NO_ID &&
         h->first_run[s->op + 1] > h->first_run[s->op];
}

static enum event_kind birth_of(const ash_slot *s) {
  return s->moved_from != ASH_NO_ID              ? IS_MOVED
         : s->has_row && s->follows != ASH_NO_ID ? FOLLOWS
                                                 : COMES;
}

static void add_slot(history *h, uint32_t slot) {
  const ash_slot *s = &h->c->plan->slots[slot];
  if (!is_timed(s))
    return;
  if (has_gaps(h, s)) {
    for (uint32_t i = h->first_run[s->op]; i < h->first_run[s->op + 1]; i++) {
      add(h, h->runs[i], COMES, slot);
      add(h, h->runs[i] + 1, LEAVES, slot);
    }
    return;
  }
  add(h, s->life.first_step, birth_of(s), slot);
  if (!h->is_source[slot] && !h->is_followed[slot])
    add(h, s->life.end_step, LEAVES, slot);
}

/* The steps of every operator of which work memory is known. */
static ash_status list_runs(history *h) {
  const ash_plan *p = h->c->plan;
  ash_zone *z = &h->c->ctx->scratch;
  uint32_t ops = 0;
  for (uint32_t i = 0; i < p->slot_count; i++)
    if (p->slots[i].op != ASH_NO_ID && p->slots[i].op >= ops)
      ops = p->slots[i].op + 1;
  h->first_run = ASH_NEW_ARRAY(z, uint32_t, (size_t)ops + 2);
  h->runs = ASH_NEW_ARRAY(z, uint32_t, (size_t)p->steps.count + 1);
  ASH_TRY(ash_zone_check(h->c->ctx, z));
  for (uint32_t s = 0; s < p->steps.count; s++)
    if (p->steps.items[s].op_count == 1 && p->steps.items[s].ops[0] < ops)
      h->first_run[p->steps.items[s].ops[0] + 2]++;
  for (uint32_t i = 2; i < ops + 2; i++)
    h->first_run[i] += h->first_run[i - 1];
  for (uint32_t s = 0; s < p->steps.count; s++)
    if (p->steps.items[s].op_count == 1 && p->steps.items[s].ops[0] < ops)
      h->runs[h->first_run[p->steps.items[s].ops[0] + 1]++] = s;
  return ASH_OK;
}

/* The one that a new row lies over dies with its first step, and gives its
 * bytes to no other. A place that a row was moved to follows nothing. */
static ash_status note_followed(history *h, uint32_t slot) {
  const ash_plan *p = h->c->plan;
  const ash_slot *s = &p->slots[slot];
  if (!s->has_row || s->follows == ASH_NO_ID || s->moved_from != ASH_NO_ID)
    return ASH_OK;
  const uint32_t of = h->root[s->follows];
  const ash_slot *other = &p->slots[of];
  if (s->alias_of != ASH_NO_ID || h->is_source[of] || h->is_followed[of] ||
      !other->has_row || other->life.end_step != s->life.first_step + 1 ||
      other->life.first_step > s->life.first_step ||
      other->binding.role != ASH_SCRATCH)
    return shared(h, slot, of);
  h->is_followed[of] = true;
  return ASH_OK;
}

static ash_status list_events(history *h) {
  const ash_plan *p = h->c->plan;
  ash_zone *z = &h->c->ctx->scratch;
  const size_t most = 2 * ((size_t)p->slot_count + p->steps.count) + 1;
  h->root = h->c->index.root;
  h->is_source = ASH_NEW_ARRAY(z, bool, p->slot_count + 1u);
  h->is_followed = ASH_NEW_ARRAY(z, bool, p->slot_count + 1u);
  h->events = ASH_NEW_ARRAY(z, event, most);
  event *spare = ASH_NEW_ARRAY(z, event, most);
  ASH_TRY(ash_zone_check(h->c->ctx, z));
  for (uint32_t i = 0; i < p->slot_count; i++) {
    const ash_slot *s = &p->slots[i];
    if (s->moved_from == ASH_NO_ID || !is_timed(s))
      continue;
    const uint32_t from = h->root[s->moved_from];
    if (p->slots[from].life.end_step != s->life.first_step)
      return REFUSE(h->c, ASH_D_plan_row_move, s,
                    "the place that row %u of '%s' is moved from lives on",
                    (unsigned)s->row, s->id);
    h->is_source[from] = true;
  }
  for (uint32_t i = 0; i < p->slot_count; i++)
    ASH_TRY(note_followed(h, i));
  for (uint32_t i = 0; i < p->slot_count; i++)
    add_slot(h, i);
  ash_sort(h->events, spare, h->count, sizeof *spare, by_time, NULL);
  return ASH_OK;
}

static ash_status happen(history *h, const event *e) {
  switch (e->kind) {
  case LEAVES:
    ash_cells_put(&h->cells, e->slot, 0);
    return ASH_OK;
  case IS_MOVED:
    return move(h, e->slot);
  case FOLLOWS:
    return follow(h, e->slot);
  case COMES:
    break;
  }
  return come(h, e->slot);
}

static ash_status check_time(const ash_checker *c) {
  history h = {.c = c};
  ASH_TRY(ash_cells_of(c->ctx, &h.cells, c->plan));
  ASH_TRY(list_runs(&h));
  ASH_TRY(list_events(&h));
  for (size_t i = 0; i < h.count; i++)
    ASH_TRY(happen(&h, &h.events[i]));
  return ASH_OK;
}

/* Each operator has one work memory, and nothing outlives the steps. */
static ash_status check_bounds(const ash_checker *c) {
  const ash_plan *p = c->plan;
  uint32_t ops = 0;
  for (uint32_t i = 0; i < p->slot_count; i++)
    if (p->slots[i].op != ASH_NO_ID && p->slots[i].op >= ops)
      ops = p->slots[i].op + 1;
  bool *works = ASH_NEW_ARRAY(&c->ctx->scratch, bool, (size_t)ops + 1);
  ASH_TRY(ash_zone_check(c->ctx, &c->ctx->scratch));
  for (uint32_t i = 0; i < p->slot_count; i++) {
    const ash_slot *s = &p->slots[i];
    if (p->steps.count > 0 && s->life.end_step > p->steps.count)
      return REFUSE(c, ASH_D_plan_lifetime, s,
                    "'%s' is alive until step %u of %u", s->id,
                    (unsigned)s->life.end_step, (unsigned)p->steps.count);
    if (s->kind != ASH_SLOT_WORK || s->op == ASH_NO_ID)
      continue;
    if (works[s->op])
      return REFUSE(c, ASH_D_plan_duplicate, s,
                    "'%s' is the second work memory of its operator", s->id);
    works[s->op] = true;
  }
  return ASH_OK;
}

ash_status ash_check_row_slots(const ash_checker *c) {
  ASH_TRY(check_bounds(c));
  ASH_TRY(check_groups(c));
  ASH_TRY(check_moves(c));
  return check_time(c);
}
