/* clause.h - lazy clause generation: disjunctive scheduling that learns from
 * its failures.
 *
 * Every item has an offset between two bounds. Two items that meet in time
 * forbid a span of the difference of their offsets: one of its two sides holds.
 * What is known is a set of *atoms*, `bound[variable] >= value`. An item has
 * two variables, its offset and the negated offset; a span has two as well,
 * "above" and "below", that are 0 or 1. So the variables come in pairs, and the
 * negation of an atom is an atom of the other variable of the pair.
 *
 * A clause says that one of some atoms holds. When the bounds contradict each
 * other, the reasons of the bounds are followed back until they make a clause
 * that would have prevented it (first unique implication point). */
#ifndef ASH_PLACE_CLAUSE_H
#define ASH_PLACE_CLAUSE_H

#include "base/text.h"
#include "place/exact/valley.h"
#include "place/reduce.h"

#define ASH_PLACE_NONE UINT32_MAX

typedef struct ash_place_atom {
  uint32_t var;
  int64_t value;
} ash_place_atom;

typedef enum ash_place_because {
  ASH_PLACE_DECISION,
  ASH_PLACE_BY_CLAUSE, /* all its other atoms are false                      */
  ASH_PLACE_BY_SIDE,   /* the bound of one item, carried over a decided span */
  ASH_PLACE_BY_ROOM,   /* the other side of the span has no room             */
  ASH_PLACE_BY_STACK,  /* items of a moment lie below (or above) this one    */
  ASH_PLACE_BY_CROWD,  /* more items must lie in some bytes than fit there   */
  ASH_PLACE_BY_BOUNDS  /* the two variables of a pair contradict each other  */
} ash_place_because;

typedef struct ash_place_cause {
  ash_place_because kind;
  uint32_t index; /* of the clause, span or moment                          */
  int64_t from;   /* of stack and crowd: all lie at or above this     */
  int64_t to;     /* of the crowd: and below this                      */
} ash_place_cause;

typedef struct ash_place_step { /* of the trail */
  uint32_t var, before;         /* the step that set the variable before     */
  int64_t old, value;
  ash_place_cause reason;
} ash_place_step;

typedef struct ash_place_choice { /* offset[j] - offset[i] not in (lo, hi) */
  uint32_t i, j;
  int64_t lo, hi;
} ash_place_choice;

typedef struct ash_place_member { /* an item of a moment, bytes [lo, hi) of it
                                   */
  uint32_t item;
  int64_t lo, hi;
} ash_place_member;

typedef struct ash_place_crowd {
  uint32_t first, count; /* members                                          */
  uint32_t sides;        /* side_of[sides + a * count + b]                    */
} ash_place_crowd;

typedef struct ash_place_clause { /* a header; atoms[first .. first + count) */
  uint32_t first, count;
  uint32_t next[2]; /* in the lists of clauses watched by their first two    */
  uint32_t levels;  /* how many decisions it joins: few is good              */
  uint32_t number;  /* in the log                                            */
} ash_place_clause;

typedef struct ash_place_learner {
  ash_zone zone;
  const ash_place_reduced *in;
  const uint32_t *items;
  uint32_t item_count, span_count, moment_count, var_count;
  int64_t capacity; /* what was learned holds up to this                     */
  ash_place_choice *spans;
  uint32_t *span_at, *span_list; /* spans of an item                         */
  ash_place_member *members;
  ash_place_crowd *moments;
  uint32_t *side_of; /* the side that puts b above a, or NONE              */
  uint32_t *moment_at, *moment_list; /* moments of an item                   */
  int64_t *moment_time;
  /* the state */
  int64_t *bound;
  uint32_t *last; /* variable -> its newest step, or NONE                    */
  struct {
    ash_place_step *items;
    size_t capacity;
  } trail;
  uint32_t trail_count, propagated;
  struct {
    uint32_t *items; /* level -> its first step                              */
    size_t capacity;
  } levels;
  uint32_t level;
  uint8_t *dirty; /* moment -> must be looked at                             */
  uint32_t *dirty_list;
  uint32_t dirty_count;
  uint32_t *order; /* scratch: members of a moment, sorted                   */
  int64_t *from, *to; /* scratch: their edges, in that order                 */
  /* clauses */
  struct {
    ash_place_clause *items;
    size_t capacity;
  } clauses;
  struct {
    ash_place_atom *items;
    size_t capacity;
  } atoms;
  uint32_t clause_count, atom_count, clause_number;
  uint32_t logged; /* steps of level 0 that are in the log                   */
  uint32_t *watched; /* variable -> clauses that look at its negation        */
  /* analysis */
  int64_t *need;
  uint32_t *need_step;
  uint32_t *touched;
  uint32_t touched_count;
  struct {
    ash_place_atom *items;
    size_t capacity;
  } lesson;
  uint32_t lesson_count;
  struct {
    ash_place_step *items;
    size_t capacity;
  } path; /* steps that were followed back, newest first, for the log        */
  uint32_t path_count;
  /* choices */
  uint64_t *activity, bump;
  uint32_t *heap, *heap_place;
  uint32_t heap_count;
  uint8_t *phase;
  uint64_t conflicts, work;
  ash_stream *log; /* NULL: none */
} ash_place_learner;

/* ---- atoms --------------------------------------------------------------- */

static inline uint32_t ash_place_low(uint32_t item) {
  return 2 * item;
}
static inline uint32_t ash_place_high(uint32_t item) {
  return 2 * item + 1;
}
/* "above" (1) or "below" (0) of a span */
static inline uint32_t ash_place_side(const ash_place_learner *p, uint32_t span,
                                      bool above) {
  return 2 * p->item_count + 2 * span + !above;
}
static inline bool ash_place_is_offset(const ash_place_learner *p,
                                       uint32_t var) {
  return var < 2 * p->item_count;
}
static inline ash_place_atom ash_place_not(const ash_place_learner *p,
                                           ash_place_atom a) {
  return (ash_place_atom){a.var ^ 1,
                          ash_place_is_offset(p, a.var) ? 1 - a.value : 1};
}
static inline bool ash_place_holds(const ash_place_learner *p,
                                   ash_place_atom a) {
  return p->bound[a.var] >= a.value;
}

/* ---- the parts ----------------------------------------------------------- */

/* clause_setup.c: the spans and moments of some items without relations. False:
 * too many, or no memory. */
bool ash_place_learner_init(ash_place_learner *p, const ash_place_reduced *in,
                            const uint32_t *items, uint32_t count,
                            const ash_allocator *mem);
/* The same with cliques: stronger, but nothing that can be logged. */
bool ash_place_learner_init_cliques(ash_place_learner *p,
                                    const ash_place_reduced *in,
                                    const uint32_t *items, uint32_t count,
                                    const ash_allocator *mem);
void ash_place_learner_drop(ash_place_learner *p);
/* All bounds as at the start; false: an item is too large. */
bool ash_place_learner_reset(ash_place_learner *p, int64_t capacity,
                             ash_place_cause *conflict);

/* The side that puts member `b` above member `a`, or NONE. */
uint32_t ash_place_learner_find_side(const ash_place_learner *p,
                                     const ash_place_member *a,
                                     const ash_place_member *b);
/* clause_clique.c: adds moments that are none: items that meet one by one, but
 * never all at the same time. False: no memory. */
bool ash_place_learner_add_cliques(ash_place_learner *p);

/* clause_bounds.c: an atom holds from now on. False: a contradiction, which is
 * `*conflict`. */
bool ash_place_learner_set(ash_place_learner *p, ash_place_atom a,
                           ash_place_cause why, ash_place_cause *conflict);
void ash_place_learner_undo(ash_place_learner *p);
void ash_place_learner_back_to(ash_place_learner *p, uint32_t level);
/* The smallest value from which a bound of this variable is at least `value`,
 * alignment considered. */
int64_t ash_place_learner_weakest(const ash_place_learner *p, uint32_t var,
                                  int64_t value);
/* A span carries a bound of one variable to another: the one that has `to`. */
typedef struct ash_place_arc {
  uint32_t from, side;
  int64_t weight;
} ash_place_arc;
ash_place_arc ash_place_learner_arc(const ash_place_learner *p, uint32_t span,
                                    uint32_t to);

/* clause_propagate.c: all that follows. */
bool ash_place_learner_propagate(ash_place_learner *p,
                                 ash_place_cause *conflict);

/* clause_crowd.c: what follows at one moment. */
bool ash_place_learner_crowd(ash_place_learner *p, uint32_t moment,
                             ash_place_cause *conflict);
/* Where a member begins at the least (up), or the negated end at the least. */
static inline int64_t ash_place_edge(const ash_place_learner *p,
                                     const ash_place_member *m, bool up) {
  return p->bound[2 * m->item + !up] + (up ? m->lo : -m->hi);
}
/* The side of the span of two members of a moment that puts `b` beyond `a`. */
static inline uint32_t ash_place_beyond(const ash_place_learner *p,
                                        uint32_t moment, uint32_t a, uint32_t b,
                                        bool up) {
  const ash_place_crowd *m = &p->moments[moment];
  const uint32_t side = p->side_of[m->sides + a * m->count + b];
  ASH_ASSERT(side != ASH_PLACE_NONE && a != b);
  return side ^ !up;
}

/* clause_store.c */
uint32_t ash_place_learner_add(ash_place_learner *p,
                               const ash_place_atom *atoms, uint32_t count,
                               uint32_t levels);
void ash_place_learner_watch(ash_place_learner *p, uint32_t clause,
                             uint32_t which);
/* After all bounds changed: who is watched? False: a clause has no atom left.
 */
bool ash_place_learner_rewatch(ash_place_learner *p, ash_place_cause *conflict);
/* Drops the half of the clauses that join the most decisions. */
void ash_place_learner_forget(ash_place_learner *p);

/* clause_analyse.c: a clause that would have prevented the conflict; goes back
 * to where it says something new and says it. False: there is no placement. */
bool ash_place_learner_learn(ash_place_learner *p, ash_place_cause *conflict,
                             bool *consistent);
/* clause_order.c: spans by activity, the one that took part in most of the
 * recent conflicts first. */
void ash_place_learner_bump(ash_place_learner *p, uint32_t span);
void ash_place_learner_cool(ash_place_learner *p);
void ash_place_learner_offer(ash_place_learner *p, uint32_t span);
/* NONE: all spans are decided. */
uint32_t ash_place_learner_most_active(ash_place_learner *p);

/* clause_log.c: nothing without a log. */
void ash_place_learner_log_facts(ash_place_learner *p);
void ash_place_learner_log_lesson(ash_place_learner *p,
                                  const ash_place_cause *conflict);
void ash_place_learner_log_end(ash_place_learner *p,
                               const ash_place_cause *conflict);

/* clause_search.c: is there a placement within the capacity? SOLVED: it is
 * p->bound of the items' first variables. */
ash_place_outcome ash_place_learner_search(
    ash_place_learner *p, int64_t capacity, uint64_t conflicts,
    bool (*keep_on)(void *user, uint64_t ticks), void *user);

#endif
