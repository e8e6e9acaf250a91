/* search.c - depth-first search over states under a cap of the load, cheapest
 * move first, no state twice. A state is how many steps each operator has run;
 * load and all that may follow depend on nothing else.
 *
 * Free moves: a move that leaves no more bytes than it found, and whose own
 * load is within the cap, is made at once and its alternatives are forgotten.
 * Whatever order completes the state, making the move first lowers the load in
 * between and changes nothing after (docs/ordering.md has the proof).
 *
 * Lazy operators read nothing, and something needs each row that they write:
 * their steps run right before the first step that reads them, as a part of
 * that move, because running them later never costs anything. */
#include "order/search.h"

static bool is_needed(const ash_order_sim *sim, const ash_order_op *o) {
  for (uint32_t k = 0; k < o->write_count; k++) {
    const uint32_t tensor = o->writes[k].tensor;
    for (uint32_t r = 0; r < sim->p->tensors[tensor].rows; r++)
      if (sim->left[sim->first[tensor] + r] == 0)
        return false;
  }
  return true;
}

bool ash_order_search_init(ash_order_search *s, ash_order_sim *sim,
                           ash_zone *zone, const ash_order_options *options) {
  const ash_order_problem *p = sim->p;
  *s = (ash_order_search){.sim = sim, .zone = zone, .off = options->off};
  s->is_lazy = ASH_NEW_ARRAY(zone, bool, (size_t)p->op_count + 1);
  s->counts = ASH_NEW_ARRAY(zone, bool, (size_t)p->op_count + 1);
  if (zone->failed)
    return false;
  for (uint32_t op = 0; op < p->op_count; op++) {
    s->is_lazy[op] = !(s->off & ASH_ORDER_LAZY) && p->ops[op].read_count == 0 &&
                     is_needed(sim, &p->ops[op]);
    s->counts[op] = !s->is_lazy[op];
  }
  return ash_order_states_init(&s->states, zone, p, s->counts, options->bytes);
}

/* ---- moves --------------------------------------------------------------- */

static bool can_move(const ash_order_search *s, uint32_t op) {
  const ash_order_sim *sim = s->sim;
  const ash_order_op *o = &sim->p->ops[op];
  const uint32_t step = sim->done[op];
  if (s->is_lazy[op] || step == o->steps)
    return false;
  for (uint32_t k = 0; k < o->read_count; k++) {
    const uint32_t tensor = o->reads[k].tensor;
    const ash_order_range rows = o->reads[k].rows[step];
    if (rows.from < rows.to && sim->made[tensor] < rows.to &&
        !s->is_lazy[sim->maker[tensor]])
      return false;
  }
  return true;
}

/* The next step of `op`, after those of lazy operators that it needs; the
 * largest load. */
static uint64_t move(ash_order_sim *sim, uint32_t op) {
  uint64_t peak = 0;
  uint32_t next;
  do {
    next = ash_order_waits_for(sim, op);
    const uint64_t load = ash_order_step(sim, next);
    peak = load > peak ? load : peak;
  } while (next != op);
  return peak;
}

static bool add_move(ash_order_search *s, uint32_t op, int64_t adds) {
  if (!ASH_GROW(s->zone, &s->moves, s->move_count))
    return false;
  s->moves.items[s->move_count++] = (ash_order_move){op, adds};
  return true;
}

/* Makes the next move of `op` while it is free, then lists it if the cap
 * allows it. True: the state changed. */
static bool try_op(ash_order_search *s, uint32_t op) {
  ash_order_sim *sim = s->sim;
  bool changed = false;
  while (can_move(s, op)) {
    const uint32_t count = sim->count;
    const uint64_t before = sim->load, peak = move(sim, op);
    const int64_t adds = (int64_t)(sim->load - before);
    if (peak <= s->cap && adds <= 0 && !(s->off & ASH_ORDER_FREE_MOVES)) {
      changed = true;
      continue;
    }
    ash_order_back(sim, count);
    if (peak > s->cap)
      s->next = peak < s->next ? peak : s->next;
    else
      (void)add_move(s, op, adds); /* the zone remembers a failure */
    break;
  }
  return changed;
}

/* Makes all free moves, deepest operator first; lists the others. */
static void close_state(ash_order_search *s) {
  const size_t first = s->move_count;
  bool changed = true;
  while (changed) {
    changed = false;
    s->move_count = first;
    s->sim->ticks += s->sim->p->op_count / 16; /* looking costs, too */
    for (uint32_t op = s->sim->p->op_count; op-- > 0;)
      changed |= try_op(s, op);
  }
}

/* ---- the search ---------------------------------------------------------- */

static bool is_complete(const ash_order_search *s) {
  for (uint32_t op = 0; op < s->sim->p->op_count; op++)
    if (!s->is_lazy[op] && s->sim->done[op] < s->sim->p->ops[op].steps)
      return false;
  return true;
}

/* What nothing reads but the caller, at the end. */
static void run_lazy_rest(ash_order_search *s) {
  for (uint32_t op = 0; op < s->sim->p->op_count; op++)
    while (s->sim->done[op] < s->sim->p->ops[op].steps)
      (void)ash_order_step(s->sim, op);
}

/* The last is tried first: the one that adds least, of the deepest operator.
 * They are listed deepest first. */
static void sort_moves(ash_order_move *m, size_t count) {
  for (size_t i = 1; i < count; i++) {
    const ash_order_move x = m[i];
    size_t k = i;
    for (; k > 0 && m[k - 1].adds <= x.adds; k--)
      m[k] = m[k - 1];
    m[k] = x;
  }
}

/* At a state: ASH_INFEASIBLE if its moves are to be tried, or it is known. */
static ash_verdict arrive(ash_order_search *s) {
  const size_t moves = s->move_count;
  close_state(s);
  if (is_complete(s)) {
    run_lazy_rest(s);
    return ASH_FEASIBLE;
  }
  const ash_order_added added = ash_order_states_add(&s->states, s->sim->done);
  if (added == ASH_ORDER_KNOWN) {
    s->move_count = moves;
    return ASH_INFEASIBLE;
  }
  if (added == ASH_ORDER_FULL || s->sim->ticks > s->ticks_max ||
      !ASH_GROW(s->zone, &s->frames, s->depth))
    return ASH_UNKNOWN;
  sort_moves(s->moves.items + moves, s->move_count - moves);
  s->frames.items[s->depth++] = (ash_order_frame){s->sim->count, moves};
  return ASH_INFEASIBLE;
}

/* Goes back to the newest state with a move that was not tried, and makes it.
 * False: there is none. */
static bool next_move(ash_order_search *s) {
  while (s->depth > 0) {
    const ash_order_frame *f = &s->frames.items[s->depth - 1];
    ash_order_back(s->sim, f->count);
    if (s->move_count > f->moves) {
      (void)move(s->sim, s->moves.items[--s->move_count].op);
      return true;
    }
    s->depth--;
  }
  return false;
}

ash_verdict ash_order_under(ash_order_search *s, uint64_t cap, uint64_t ticks) {
  const ash_mark mark = ash_zone_mark(s->zone);
  ash_verdict verdict = ASH_UNKNOWN;
  ash_order_back(s->sim, 0);
  s->cap = cap;
  s->next = UINT64_MAX;
  s->ticks_max = s->sim->ticks + ticks;
  s->depth = s->move_count = 0;
  s->frames.items = NULL;
  s->moves.items = NULL;
  s->frames.capacity = s->moves.capacity = 0;
  if (s->sim->start > cap) {
    s->next = s->sim->start;
    return ASH_INFEASIBLE;
  }
  if (ash_order_states_clear(&s->states)) {
    verdict = arrive(s);
    while (verdict == ASH_INFEASIBLE && next_move(s))
      verdict = arrive(s);
  }
  ash_zone_rewind(s->zone, mark);
  return s->zone->failed ? ASH_UNKNOWN : verdict;
}
