/* search.h - is there an order whose peak is at most so many bytes? Private to
 * src/order. */
#ifndef ASH_ORDER_SEARCH_H
#define ASH_ORDER_SEARCH_H

#include "order/sim.h"
#include "order/states.h"

/* A move that may come next, and what it adds to the load. */
typedef struct ash_order_move {
  uint32_t op;
  int64_t adds;
} ash_order_move;

/* A state on the way, with the moves that were not tried yet: those from
 * `moves` on, best last. */
typedef struct ash_order_frame {
  uint32_t count; /* steps that lead here */
  uint64_t load;
  size_t moves;
} ash_order_frame;

typedef struct ash_order_search {
  ash_order_sim *sim;
  ash_zone *zone;
  uint32_t off;       /* techniques                                          */
  bool *is_lazy;      /* by op: runs when somebody reads what it writes      */
  bool *counts;       /* by op: the others                                   */
  bool *is_needed;    /* by row: something reads it, or it is kept           */
  uint64_t cap, next; /* next: the smallest load above the cap that was met  */
  uint64_t ticks_max;
  ash_order_states states;
  struct {
    ash_order_frame *items;
    size_t capacity;
  } frames;
  size_t depth;
  struct {
    ash_order_move *items;
    size_t capacity;
  } moves;
  size_t move_count;
  /* States that valleys left before they were searched to their ends: each the
   * depth at which another is searched instead, and how far its ops are. The
   * depths never fall. */
  struct {
    uint32_t *items;
    size_t capacity;
  } dropped;
  size_t dropped_count;
} ash_order_search;

bool ash_order_search_init(ash_order_search *s, ash_order_sim *sim,
                           ash_zone *zone, const ash_order_options *options);

/* A state that was dropped: its depth, followed by how far each op is. */
static inline uint32_t *ash_order_dropped(const ash_order_search *s, size_t i) {
  return s->dropped.items + i * (s->sim->p->op_count + 1u);
}

/* The next step of `op`, after those of lazy operators that it needs; the
 * largest load. */
uint64_t ash_order_move_on(ash_order_sim *sim, uint32_t op);
/* ASH_FEASIBLE: the order is the trail of `sim`. ASH_INFEASIBLE: there is none,
 * and none whose peak is below `next`. ASH_UNKNOWN: more than `ticks`, or no
 * memory for further states. */
ash_verdict ash_order_under(ash_order_search *s, uint64_t cap, uint64_t ticks);

#endif
