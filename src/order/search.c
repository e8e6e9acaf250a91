/* search.c - depth-first search over states under a cap of the load, cheapest
 * move first, no state twice. A state is how many steps each operator has run;
 * load and all that may follow depend on nothing else.
 *
 * Free moves: a move that leaves no more bytes than it found, and whose own
 * load is within the cap, is made at once and its alternatives are forgotten.
 * Whatever order completes the state, making the move first lowers the load in
 * between and changes nothing after (docs/ordering.md has the proof).
 *
 * Valleys: where a sequence of moves leads to a load that is not above that of
 * an earlier state, the search goes to the state with the least load between
 * the two, and forgets the alternatives in between (valley.c).
 *
 * Lazy operators read nothing, or replace in place what a lazy operator wrote
 * for them, and something needs each row that they write: their steps run right
 * before the first step that reads them, as a part of that move, because
 * running them later never costs anything. */
#include "order/search.h"

#include "order/valley.h"

/* Does something need each row that the operator writes? */
static bool is_all_needed(const ash_order_search *s, const ash_order_op *o) {
  for (uint32_t k = 0; k < o->write_count; k++) {
    const uint32_t tensor = o->writes[k].tensor;
    for (uint32_t r = 0; r < s->sim->p->tensors[tensor].rows; r++)
      if (!s->is_needed[s->sim->first[tensor] + r])
        return false;
  }
  return true;
}

/* Does each step replace rows that a lazy operator wrote for it alone? */
static bool replaces_lazy(const ash_order_search *s, const ash_order_op *o) {
  const ash_order_sim *sim = s->sim;
  const ash_order_access *in = o->reads, *out = o->writes;
  if (o->read_count != 1 || o->write_count != 1 || o->in_place != 1 ||
      o->work || sim->maker[in->tensor] == ASH_ORDER_NO_OP ||
      !s->is_lazy[sim->maker[in->tensor]] ||
      sim->p->tensors[in->tensor].row_bytes !=
          sim->p->tensors[out->tensor].row_bytes)
    return false;
  for (uint32_t r = 0; r < sim->p->tensors[in->tensor].rows; r++)
    if (sim->left[sim->first[in->tensor] + r] != 1)
      return false;
  for (uint32_t step = 0; step < o->steps; step++)
    if (in->rows[step].from != out->rows[step].from ||
        in->rows[step].to != out->rows[step].to)
      return false;
  return true;
}

bool ash_order_search_init(ash_order_search *s, ash_order_sim *sim,
                           ash_zone *zone, const ash_order_options *options) {
  const ash_order_problem *p = sim->p;
  const uint32_t rows = sim->first[p->tensor_count];
  *s = (ash_order_search){.sim = sim, .zone = zone, .off = options->off};
  s->is_lazy = ASH_NEW_ARRAY(zone, bool, (size_t)p->op_count + 1);
  s->counts = ASH_NEW_ARRAY(zone, bool, (size_t)p->op_count + 1);
  s->is_needed = ASH_NEW_ARRAY(zone, bool, (size_t)rows + 1);
  if (zone->failed)
    return false;
  for (uint32_t r = 0; r < rows; r++)
    s->is_needed[r] = sim->left[r] > 0;
  for (uint32_t op = 0; op < p->op_count; op++) {
    const ash_order_op *o = &p->ops[op];
    s->is_lazy[op] = !(s->off & ASH_ORDER_LAZY) && is_all_needed(s, o) &&
                     ((o->read_count == 0 && !o->work) || replaces_lazy(s, o));
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

/* Lazy operators wait for lazy operators only. */
uint64_t ash_order_move_on(ash_order_sim *sim, uint32_t op) {
  uint64_t peak = 0;
  uint32_t at;
  do {
    at = op;
    for (uint32_t next; (next = ash_order_waits_for(sim, at)) != at;)
      at = next;
    const uint64_t load = ash_order_step(sim, at);
    peak = load > peak ? load : peak;
  } while (at != op);
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
    const uint64_t before = sim->load, peak = ash_order_move_on(sim, op);
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

/* ---- start and end ------------------------------------------------------- */

static void start(ash_order_search *s, uint64_t cap, uint64_t ticks) {
  ash_order_back(s->sim, 0);
  s->cap = cap;
  s->next = UINT64_MAX;
  s->ticks_max = s->sim->ticks + ticks;
  s->depth = s->move_count = 0;
  s->frames.items = NULL;
  s->moves.items = NULL;
  s->frames.capacity = s->moves.capacity = 0;
  s->dropped.items = NULL;
  s->dropped.capacity = s->dropped_count = 0;
}

/* All steps but those of lazy operators have run? Then these follow, the last
 * operator first: it brings along what it needs. */
static bool end(ash_order_search *s) {
  const ash_order_op *ops = s->sim->p->ops;
  for (uint32_t op = 0; op < s->sim->p->op_count; op++)
    if (!s->is_lazy[op] && s->sim->done[op] < ops[op].steps)
      return false;
  for (uint32_t op = s->sim->p->op_count; op-- > 0;)
    while (s->sim->done[op] < ops[op].steps)
      (void)ash_order_move_on(s->sim, op);
  return true;
}

/* ---- depth first --------------------------------------------------------- */

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

/* Goes to the valley between the first state on the way whose load is not below
 * that of now, and now: what else could follow that state is forgotten. False:
 * there is none. */
static bool take_valley(ash_order_search *s) {
  size_t depth = s->depth;
  while (depth > 0 && s->frames.items[depth - 1].load >= s->sim->load)
    depth--;
  if ((s->off & ASH_ORDER_VALLEYS) || depth == s->depth ||
      !ash_order_valley(s, depth))
    return false;
  s->depth = depth;
  s->move_count = s->frames.items[depth].moves;
  return true;
}

/* The state at this depth was searched to its end in vain: so would be those
 * that were dropped for it. */
static void settle_dropped(ash_order_search *s, size_t depth) {
  while (s->dropped_count > 0 &&
         *ash_order_dropped(s, s->dropped_count - 1) >= depth)
    s->dropped_count--;
}

/* At a state: ASH_INFEASIBLE if its moves are to be tried, or it is known. */
static ash_verdict arrive(ash_order_search *s) {
  size_t moves;
  do {
    moves = s->move_count;
    close_state(s);
    if (end(s))
      return ASH_FEASIBLE;
  } while (take_valley(s));
  const ash_order_added added = ash_order_states_add(&s->states, s->sim->done);
  if (added == ASH_ORDER_KNOWN) {
    s->move_count = moves;
    settle_dropped(s, s->depth);
    return ASH_INFEASIBLE;
  }
  if (added == ASH_ORDER_FULL || s->sim->ticks > s->ticks_max ||
      !ASH_GROW(s->zone, &s->frames, s->depth))
    return ASH_UNKNOWN;
  sort_moves(s->moves.items + moves, s->move_count - moves);
  s->frames.items[s->depth++] =
      (ash_order_frame){s->sim->count, s->sim->load, moves};
  return ASH_INFEASIBLE;
}

/* Goes back to the newest state with a move that was not tried, and makes it.
 * False: there is none. */
static bool next_move(ash_order_search *s) {
  while (s->depth > 0) {
    const ash_order_frame *f = &s->frames.items[s->depth - 1];
    ash_order_back(s->sim, f->count);
    if (s->move_count > f->moves) {
      (void)ash_order_move_on(s->sim, s->moves.items[--s->move_count].op);
      return true;
    }
    s->depth--;
    settle_dropped(s, s->depth);
  }
  return false;
}

ash_verdict ash_order_under(ash_order_search *s, uint64_t cap, uint64_t ticks) {
  const ash_mark mark = ash_zone_mark(s->zone);
  ash_verdict verdict = ASH_UNKNOWN;
  start(s, cap, ticks);
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
