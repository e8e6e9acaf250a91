/* walk.c - no order stays under a cap: all states that can be reached are
 * visited, but for those that free moves show to be no better than others. */
#include "order.h"

#include <string.h>

/* How far the operators are, those that are lazy aside. */
typedef struct state state;
struct state {
  state *next; /* of the same hash                                          */
  uint16_t done[];
};

typedef struct frame {
  size_t mark, next; /* of the log, at this state; operator to try          */
} frame;

enum { HASHES = 1 << 16 };

typedef struct walk {
  order *o;
  int64_t cap;
  bool *is_lazy;  /* by operator                                            */
  uint16_t *now;  /* by operator: of the state that is looked for           */
  state **states; /* by hash                                                */
  frame *frames;
  size_t depth, frame_capacity;
} walk;

/* ---- states and moves ---------------------------------------------------- */

/* Steps that nothing is lost by running as late as possible: all that they
 * write is needed, and they read nothing, or replace what a lazy operator wrote
 * for them. */
static bool is_lazy(const walk *w, const op *x) {
  const order *o = w->o;
  if ((o->with_work && x->work) || x->reads > 1 ||
      (x->reads == 1 && (x->uses != 2 || x->in_place != 1)))
    return false;
  for (int64_t n = 0; n < x->steps; n++) {
    const use *u = uses_of(x, n);
    for (uint32_t k = x->reads; k < x->uses; k++)
      for (int64_t r = u[k].from; r < u[k].to; r++)
        if (!o->rows[r].is_needed)
          return false;
    if (x->reads == 0)
      continue;
    const int64_t to =
        o->tensors[x->tensors[1]].first - o->tensors[x->tensors[0]].first;
    if (u[0].from + to != u[1].from || u[0].to + to != u[1].to)
      return false;
    for (int64_t r = u[0].from; r < u[0].to; r++)
      if (o->rows[r].left != 1 || o->rows[r].op == NONE ||
          !w->is_lazy[o->rows[r].op] ||
          o->rows[r].bytes != o->rows[r + to].bytes)
        return false;
  }
  return true;
}

/* Is the state new? It is not any more. */
static bool is_new(walk *w) {
  const size_t bytes = w->o->op_count * sizeof *w->now;
  uint64_t h = 0;
  for (size_t i = 0; i < w->o->op_count; i++) {
    w->now[i] = w->is_lazy[i] ? 0 : (uint16_t)w->o->done[i];
    h = (h ^ w->now[i]) * 0x9e3779b97f4a7c15u ^ h >> 29;
  }
  state **at = &w->states[(h ^ h >> 32) % HASHES];
  while (*at && memcmp((*at)->done, w->now, bytes) != 0)
    at = &(*at)->next;
  if (*at)
    return false;
  *at = get(w->o->v, 1, sizeof **at + bytes);
  memcpy((*at)->done, w->now, bytes);
  return true;
}

/* Is a row still to be written by an operator that is not lazy? */
static bool can_move(const walk *w, size_t i) {
  const order *o = w->o;
  const op *x = &o->ops[i];
  if (w->is_lazy[i] || o->done[i] == x->steps)
    return false;
  const use *u = uses_of(x, o->done[i]);
  for (uint32_t k = 0; k < x->reads; k++)
    for (int64_t r = u[k].from; r < u[k].to; r++)
      if (!o->rows[r].is_made && !w->is_lazy[o->rows[r].op])
        return false;
  return true;
}

/* The next step, after those of lazy operators that it needs; the largest
 * load. */
static int64_t move(walk *w, size_t i) {
  order *o = w->o;
  const op *x = &o->ops[i];
  const use *u = uses_of(x, o->done[i]);
  int64_t peak = 0;
  for (uint32_t k = 0; k < x->reads; k++)
    for (int64_t r = u[k].from; r < u[k].to; r++)
      while (!o->rows[r].is_made)
        peak = larger(peak, move(w, o->rows[r].op));
  return larger(peak, run_step(o, i));
}

/* Moves that leave no more bytes than they found, under the cap. */
static void make_free_moves(walk *w) {
  order *o = w->o;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = o->op_count; i-- > 0;)
      while (can_move(w, i)) {
        const size_t mark = o->log.count;
        const int64_t before = o->load;
        if (move(w, i) > w->cap || o->load > before) {
          take_back(&o->log, mark);
          break;
        }
        changed = true;
      }
  }
}

/* Comes to a state; if its moves are to be tried, it is the newest frame. */
static void arrive(walk *w) {
  order *o = w->o;
  size_t i = 0;
  make_free_moves(w);
  while (i < o->op_count && (w->is_lazy[i] || o->done[i] == o->ops[i].steps))
    i++;
  if (i == o->op_count)
    broken(o->v, "an order stays under %lld", (long long)w->cap + 1);
  if (!is_new(w))
    return;
  w->frames =
      more(o->v, w->frames, &w->frame_capacity, w->depth, sizeof(frame));
  w->frames[w->depth++] = (frame){.mark = o->log.count};
}

static void refute(order *o, int64_t cap) {
  walk w = {.o = o, .cap = cap};
  w.is_lazy = get(o->v, o->op_count, sizeof *w.is_lazy);
  w.now = get(o->v, o->op_count, sizeof *w.now);
  w.states = get(o->v, HASHES, sizeof(state *));
  for (size_t i = 0; i < o->op_count; i++)
    w.is_lazy[i] = is_lazy(&w, &o->ops[i]);
  if (o->start <= cap)
    arrive(&w);
  while (w.depth > 0) {
    frame *f = &w.frames[w.depth - 1];
    take_back(&o->log, f->mark);
    while (f->next < o->op_count && !can_move(&w, f->next))
      f->next++;
    if (f->next == o->op_count)
      w.depth--;
    else if (move(&w, f->next++) <= cap)
      arrive(&w);
  }
  take_back(&o->log, 0);
}

/* What is there at the start or kept to the end, and what a step touches. */
static int64_t simple_bound(const order *o) {
  int64_t bound = larger(o->start, o->kept);
  for (size_t i = 0; i < o->op_count; i++)
    for (int64_t n = 0; n < o->ops[i].steps; n++) {
      const op *x = &o->ops[i];
      const use *u = uses_of(x, n);
      int64_t sum = o->with_work ? x->work : 0;
      for (uint32_t k = 0; k < (x->in_place ? x->reads : x->uses); k++) {
        uint32_t j = 0;
        while (x->tensors[j] != x->tensors[k])
          j++;
        for (int64_t r = u[k].from; r < u[k].to && j == k; r++)
          sum += o->rows[r].bytes;
      }
      bound = larger(bound, sum);
    }
  return bound;
}

void check_order_bound(order *o, int64_t bound) {
  (void)next_word(o->v);
  if (is_word(o->v, "refute"))
    refute(o, bound - 1);
  else if (!is_word(o->v, "simple"))
    malformed(o->v, &o->v->certificate, "'%.40s' is no evidence",
              o->v->certificate.word);
  else if (simple_bound(o) < bound)
    broken(o->v, "no step needs %lld bytes", (long long)bound);
}
