/* valley.c - the state with the least load between two others, by a minimum
 * cut.
 *
 * The states in between run a part of the steps, with each step all that it
 * needs. A step costs the bytes of the rows that it writes; a row that dies
 * earns its bytes if all steps that still read it are run. Which part earns
 * most is the selection of projects: arcs from the source to rows that die,
 * from there to the steps that read them, from steps to those that they need
 * and to the sink. The source's side of a minimum cut is the best part; if the
 * flow pays for all costs, that is all steps. */
#include "order/valley.h"

#include <string.h>

enum { STEPS_MAX = 200, NONE = -1, SOURCE = 0, SINK = 1 };

/* Arcs 2n and 2n + 1 are each other's opposites. */
typedef struct arc {
  int32_t to, next; /* next: from the same node */
  uint64_t room;    /* UNLIMITED, or what may still flow */
} arc;

#define UNLIMITED UINT64_MAX

typedef struct nodes {
  int32_t *items;
  size_t capacity;
} nodes;

/* Nodes are source and sink, steps, rows that lazy operators write, and rows
 * that die. */
typedef struct network {
  ash_order_search *s;
  const ash_order_sim *sim;
  ash_zone *zone;
  uint32_t from, to;  /* steps of the trail                                  */
  uint32_t *start;    /* by op: steps that had run before                    */
  int32_t *step_node; /* by op: of its first step since then                 */
  int32_t *written;   /* by row: its node if a lazy operator writes it       */
  int32_t *dead;      /* by row: its node if it dies                         */
  nodes first, by;    /* by node: its first arc; the arc that it was found by */
  nodes queue;
  size_t node_count;
  struct {
    arc *items;
    size_t capacity;
  } arcs;
  size_t arc_count;
  uint64_t cost, flow;
} network;

static int32_t add_node(network *n) {
  if (!ASH_GROW(n->zone, &n->first, n->node_count) ||
      !ASH_GROW(n->zone, &n->by, n->node_count) ||
      !ASH_GROW(n->zone, &n->queue, n->node_count))
    return NONE;
  n->first.items[n->node_count] = NONE;
  return (int32_t)n->node_count++;
}

static void add_half(network *n, int32_t from, int32_t to, uint64_t room) {
  if (!ASH_GROW(n->zone, &n->arcs, n->arc_count))
    return;
  n->arcs.items[n->arc_count] = (arc){to, n->first.items[from], room};
  n->first.items[from] = (int32_t)n->arc_count++;
}

static void add_arc(network *n, int32_t from, int32_t to, uint64_t room) {
  if (n->zone->failed || from == NONE || to == NONE)
    return;
  add_half(n, from, to, room);
  if (!n->zone->failed)
    add_half(n, to, from, 0);
}

/* ---- costs and needs ----------------------------------------------------- */

static bool is_since(const network *n, uint32_t op, uint32_t step) {
  return step >= n->start[op] && step < n->sim->done[op];
}

static int32_t node_of(const network *n, uint32_t op, uint32_t step) {
  ASH_ASSERT(is_since(n, op, step) && !n->s->is_lazy[op]);
  return n->step_node[op] + (int32_t)(step - n->start[op]);
}

/* The step of the operator that writes the row, by bisection. */
static uint32_t writer_of(const ash_order_op *o, uint32_t tensor,
                          uint32_t row) {
  const ash_order_access *a = o->writes;
  uint32_t low = 0, high = o->steps - 1;
  while (a->tensor != tensor)
    a++;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (a->rows[middle].to > row)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

static void add_cost(network *n, int32_t node, uint64_t bytes) {
  n->cost += bytes;
  add_arc(n, node, SINK, bytes);
}

static void pay_writes(network *n, uint32_t op, uint32_t step) {
  const ash_order_op *o = &n->sim->p->ops[op];
  uint64_t bytes = 0;
  for (uint32_t k = 0; k < o->write_count; k++) {
    const uint32_t tensor = o->writes[k].tensor;
    const ash_order_range rows = o->writes[k].rows[step];
    for (uint32_t r = rows.from; r < rows.to; r++)
      if (n->s->is_needed[n->sim->first[tensor] + r])
        bytes += n->sim->p->tensors[tensor].row_bytes;
  }
  if (bytes)
    add_cost(n, node_of(n, op, step), bytes);
}

/* Rows of a lazy operator that were not there cost as soon as a step reads
 * them. */
static void need_lazy(network *n, int32_t node, uint32_t tensor,
                      ash_order_range rows) {
  const uint32_t maker = n->sim->maker[tensor];
  const ash_order_op *o = &n->sim->p->ops[maker];
  for (uint32_t r = rows.from; r < rows.to; r++) {
    int32_t *row = &n->written[n->sim->first[tensor] + r];
    if (writer_of(o, tensor, r) < n->start[maker])
      continue;
    if (*row == NONE) {
      *row = add_node(n);
      add_cost(n, *row, n->sim->p->tensors[tensor].row_bytes);
    }
    add_arc(n, node, *row, UNLIMITED);
  }
}

/* The step before, and those that write what the step reads. */
static void add_needs(network *n, uint32_t op, uint32_t step) {
  const ash_order_op *o = &n->sim->p->ops[op];
  const int32_t node = node_of(n, op, step);
  if (step > n->start[op])
    add_arc(n, node, node - 1, UNLIMITED);
  for (uint32_t k = 0; k < o->read_count; k++) {
    const uint32_t tensor = o->reads[k].tensor, maker = n->sim->maker[tensor];
    const ash_order_range rows = o->reads[k].rows[step];
    if (maker == ASH_ORDER_NO_OP || rows.from == rows.to)
      continue;
    if (n->s->is_lazy[maker]) {
      need_lazy(n, node, tensor, rows);
      continue;
    }
    const uint32_t last =
        writer_of(&n->sim->p->ops[maker], tensor, rows.to - 1);
    if (is_since(n, maker, last))
      add_arc(n, node, node_of(n, maker, last), UNLIMITED);
  }
}

/* ---- what is earned ------------------------------------------------------ */

/* Rows that are dead now need the steps that were the last to read them. */
static void add_deaths(network *n, uint32_t op, uint32_t step) {
  const ash_order_op *o = &n->sim->p->ops[op];
  for (uint32_t k = 0; k < o->read_count; k++) {
    const uint32_t tensor = o->reads[k].tensor;
    const ash_order_range ends = ash_order_ends(o, k, step);
    for (uint32_t r = ends.from; r < ends.to; r++) {
      const uint32_t row = n->sim->first[tensor] + r;
      if (n->sim->left[row])
        continue;
      if (n->dead[row] == NONE) {
        n->dead[row] = add_node(n);
        add_arc(n, SOURCE, n->dead[row], n->sim->p->tensors[tensor].row_bytes);
      }
      add_arc(n, n->dead[row], node_of(n, op, step), UNLIMITED);
    }
  }
}

/* ---- the network --------------------------------------------------------- */

static bool reserve(network *n) {
  const size_t ops = n->sim->p->op_count;
  const size_t rows = n->sim->first[n->sim->p->tensor_count];
  n->start = ASH_NEW_ARRAY(n->zone, uint32_t, ops + 1);
  n->step_node = ASH_NEW_ARRAY(n->zone, int32_t, ops + 1);
  n->written = ASH_NEW_ARRAY(n->zone, int32_t, rows + 1);
  n->dead = ASH_NEW_ARRAY(n->zone, int32_t, rows + 1);
  if (n->zone->failed)
    return false;
  memset(n->written, NONE, rows * sizeof *n->written);
  memset(n->dead, NONE, rows * sizeof *n->dead);
  memcpy(n->start, n->sim->done, ops * sizeof *n->start);
  for (uint32_t i = n->from; i < n->to; i++)
    n->start[n->sim->trail[i]]--;
  return true;
}

static void add_steps(network *n) {
  for (uint32_t op = 0; op < n->sim->p->op_count; op++) {
    n->step_node[op] = (int32_t)n->node_count;
    if (!n->s->is_lazy[op])
      for (uint32_t i = n->start[op]; i < n->sim->done[op]; i++)
        (void)add_node(n);
  }
}

static bool build(network *n) {
  if (!reserve(n))
    return false;
  (void)add_node(n); /* SOURCE */
  (void)add_node(n); /* SINK */
  add_steps(n);
  for (uint32_t op = 0; op < n->sim->p->op_count; op++)
    for (uint32_t i = n->start[op];
         !n->s->is_lazy[op] && i < n->sim->done[op] && !n->zone->failed; i++) {
      pay_writes(n, op, i);
      add_needs(n, op, i);
      add_deaths(n, op, i);
    }
  n->s->sim->ticks += n->arc_count / 32;
  return !n->zone->failed;
}

/* ---- the flow ------------------------------------------------------------ */

/* Finds the nodes behind `node` that arcs with room lead to. */
static size_t look_from(network *n, int32_t node, size_t tail) {
  for (int32_t a = n->first.items[node]; a != NONE; a = n->arcs.items[a].next) {
    const int32_t to = n->arcs.items[a].to;
    if (n->by.items[to] == NONE && n->arcs.items[a].room > 0) {
      n->by.items[to] = a;
      n->queue.items[tail++] = to;
    }
  }
  return tail;
}

/* Breadth first from the source; is the sink found? */
static bool find_way(network *n) {
  size_t head = 0, tail = 1;
  memset(n->by.items, NONE, n->node_count * sizeof *n->by.items);
  n->by.items[SOURCE] = 0;
  n->queue.items[0] = SOURCE;
  while (head < tail && n->by.items[SINK] == NONE)
    tail = look_from(n, n->queue.items[head++], tail);
  n->s->sim->ticks += n->arc_count / 32;
  return n->by.items[SINK] != NONE;
}

static void push_flow(network *n) {
  arc *arcs = n->arcs.items;
  uint64_t room = UNLIMITED;
  for (int32_t at = SINK; at != SOURCE; at = arcs[n->by.items[at] ^ 1].to)
    if (arcs[n->by.items[at]].room < room)
      room = arcs[n->by.items[at]].room;
  for (int32_t at = SINK; at != SOURCE; at = arcs[n->by.items[at] ^ 1].to) {
    arc *there = &arcs[n->by.items[at]], *back = &arcs[n->by.items[at] ^ 1];
    there->room -= there->room == UNLIMITED ? 0 : room;
    back->room += back->room == UNLIMITED ? 0 : room;
  }
  n->flow += room;
}

/* ---- the whole ----------------------------------------------------------- */

/* Have all steps of the state where the search goes on run in this one too? */
static bool contains_valley(const ash_order_search *s, const uint32_t *done) {
  for (uint32_t op = 0; op < s->sim->p->op_count; op++)
    if (s->counts[op] && done[op] < s->sim->done[op])
      return false;
  return true;
}

/* A state that is not searched to its end. It is no better than the valley: as
 * long as that is being searched, or what it is dropped for in its turn, the
 * state cannot be met and is known. If it can be met, because it contains the
 * valley, it must be searched then. */
static void drop(network *n, size_t depth, const uint32_t *done) {
  ash_order_search *s = n->s;
  if (contains_valley(s, done)) {
    ash_order_states_remove(&s->states, done);
    return;
  }
  uint32_t *to = ash_order_dropped(s, s->dropped_count++);
  *to = (uint32_t)depth;
  memmove(to + 1, done, s->sim->p->op_count * sizeof *done);
}

/* Those that were dropped for states which are dropped now. */
static void drop_again(network *n, size_t depth) {
  ash_order_search *s = n->s;
  const size_t end = s->dropped_count;
  size_t from = end;
  while (from > 0 && *ash_order_dropped(s, from - 1) >= depth)
    from--;
  s->dropped_count = from;
  for (size_t i = from; i < end; i++)
    drop(n, depth, ash_order_dropped(s, i) + 1);
}

/* The states on the way, from the first on. `ops` are the steps. */
static void drop_states(network *n, size_t depth, const uint32_t *ops) {
  const ash_order_frame *frame = n->s->frames.items + depth;
  const ash_order_frame *end = n->s->frames.items + n->s->depth;
  drop_again(n, depth);
  for (uint32_t i = n->from; frame < end; i++) {
    ASH_ASSERT(i <= n->to);
    if (frame->count == i) {
      drop(n, depth, n->start);
      frame++;
    }
    if (i < n->to)
      n->start[ops[i - n->from]]++;
  }
}

static bool reserve_dropped(ash_order_search *s, size_t depth) {
  const size_t states = s->dropped_count + s->depth - depth + 1;
  const size_t count = states * (s->sim->p->op_count + 1u);
  while (s->dropped.capacity < count)
    if (!ASH_GROW(s->zone, &s->dropped, s->dropped.capacity))
      return false;
  return true;
}

/* Goes back and makes the moves of the source's side of the cut; the same way
 * as before if the cap does not allow it. */
static bool go(network *n, const uint32_t *ops) {
  ash_order_sim *sim = n->s->sim;
  const uint32_t count = n->to - n->from;
  bool fits = true;
  ash_order_back(sim, n->from);
  for (uint32_t i = 0; i < count && fits; i++)
    if (!n->s->is_lazy[ops[i]] && n->by.items[n->step_node[ops[i]]++] != NONE)
      fits = ash_order_move_on(sim, ops[i]) <= n->s->cap;
  if (fits)
    return true;
  ash_order_back(sim, n->from);
  for (uint32_t i = 0; i < count; i++)
    (void)ash_order_step(sim, ops[i]);
  return false;
}

/* The steps between the two states, before any is taken back. */
static const uint32_t *steps_between(const network *n) {
  return ash_zone_copy(n->zone, n->sim->trail + n->from,
                       (n->to - n->from) * sizeof *n->sim->trail);
}

bool ash_order_valley(ash_order_search *s, size_t depth) {
  network n = {.s = s,
               .sim = s->sim,
               .zone = s->zone,
               .from = s->frames.items[depth].count,
               .to = s->sim->count};
  bool found = false;
  if (n.to - n.from > STEPS_MAX || !reserve_dropped(s, depth))
    return false;
  const ash_mark mark = ash_zone_mark(n.zone);
  if (build(&n)) {
    const uint32_t *ops = steps_between(&n);
    while (n.flow < n.cost && find_way(&n))
      push_flow(&n);
    found = ops && (n.flow == n.cost || go(&n, ops));
    if (found)
      drop_states(&n, depth, ops);
  }
  ash_zone_rewind(n.zone, mark);
  return found;
}
