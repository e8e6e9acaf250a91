/* valley.h - valley branching: exact search for a placement of one skyline
 * within a capacity. */
#ifndef ASH_PLACE_VALLEY_H
#define ASH_PLACE_VALLEY_H

#include "base/rng.h"
#include "place/exact/skyline.h"
#include "place/exact/table.h"

/* Techniques that can be switched off; see ash_place_options.off. */
typedef struct ash_place_valley_use {
  bool support, memory, twins, split, jackson, learning, restarts, guide;
} ash_place_valley_use;

/* How the search chooses; varied from restart to restart. */
typedef struct ash_place_taste {
  int32_t slack;  /* weight of a moment's slack                          */
  int32_t height; /* weight of its height, in tenths                      */
  int32_t fails;  /* weight of its failures, in tenths                    */
  int32_t order;  /* which key orders the candidates                      */
  int32_t noise;  /* per cent                                             */
  int32_t wall;   /* bonus for each side that stands against a wall       */
  int32_t flush;  /* bonus for a top level with a neighbour's floor       */
} ash_place_taste;

typedef struct ash_place_frame {
  uint32_t from, to;    /* the component                                  */
  uint32_t option_at;   /* first of its options                           */
  uint32_t option_next; /* the one to try next                            */
  uint32_t option_end;
  uint32_t part_at, part_next, part_end; /* components left by the move   */
  int64_t raise;     /* height for the last option "nobody", or 0      */
  bool nobody_first; /* try "nobody" before the blocks                 */
  bool moved;        /* a move is made and its parts are being solved  */
  uint32_t moment;
  size_t log_mark;
  uint32_t settled; /* blocks settled before it                      */
  ash_place_key key;
} ash_place_frame;

typedef struct ash_place_part {
  uint32_t from, to;
} ash_place_part;

typedef enum ash_place_outcome {
  ASH_PLACE_REFUTED,
  ASH_PLACE_SOLVED,
  ASH_PLACE_CUT
} ash_place_outcome;

enum { ASH_PLACE_ELITES = 6 };

/* Good dives of the past, and the one that leads the present. */
typedef struct ash_place_guide {
  int64_t
      *place[ASH_PLACE_ELITES + 1]; /* block -> offset; the last: this dive   */
  uint32_t settled[ASH_PLACE_ELITES]; /* blocks they had placed; 0: none yet */
  uint32_t idle[ASH_PLACE_ELITES]; /* dives led since they became better     */
  uint32_t leader;
  const int64_t *lead; /* its places; NULL: nobody leads                    */
  bool strict;         /* it is followed in what it left empty as well      */
  uint32_t best;       /* blocks settled by the present dive                 */
} ash_place_guide;

typedef struct ash_place_valley {
  ash_place_skyline *sky;
  ash_zone *zone;
  ash_place_table table;
  ash_place_valley_use use;
  ash_place_taste taste;
  ash_rng rng;
  uint32_t *jobs;    /* scratch of the one-machine bound               */
  uint64_t *salt;    /* moment -> random number for its part of a key  */
  uint32_t *fails;   /* moment -> refutations there                    */
  int32_t *ease;     /* moment -> 65536 / (1 + weight * sqrt(fails))   */
  int64_t *priority; /* block -> larger first                            */
  int64_t *worth[3]; /* the keys that priorities are made of            */
  struct {
    ash_place_frame *items;
    size_t capacity;
  } frames;
  struct {
    uint32_t *items;
    size_t capacity;
  } options;
  struct {
    ash_place_part *items;
    size_t capacity;
  } parts;
  size_t frame_count, option_count, part_count;
  uint64_t nodes, node_limit;
  uint64_t ticks; /* work done, for the budget                            */
  uint64_t restart, total_nodes;
  size_t slots_max; /* of the table                                       */
  uint32_t settled; /* blocks placed by the moves made so far              */
  ash_place_guide guide;
} ash_place_valley;

typedef bool ash_place_keep_on(void *user, uint64_t ticks);

bool ash_place_valley_init(ash_place_valley *v, ash_place_skyline *sky,
                           ash_zone *zone, ash_place_valley_use use,
                           uint64_t seed);

/* One search from the root, cut after node_limit nodes. Solved: the offsets are
 * in sky->place. */
ash_place_outcome ash_place_valley_dive(ash_place_valley *v, int64_t capacity,
                                        uint64_t node_limit);

/* Luby restarts with varied tastes until an answer, `node_budget` nodes, or
 * keep_on(user) says no. */
ash_place_outcome ash_place_valley_search(ash_place_valley *v, int64_t capacity,
                                          uint64_t node_budget,
                                          ash_place_keep_on *keep_on,
                                          void *user);

/* valley_drop.c: places everything once, without going back; where that does
 * not fit, the capacity rises. The capacity it took. */
int64_t ash_place_valley_drop(ash_place_valley *v, int64_t capacity);

/* ---- parts of the search ------------------------------------------------ */

/* valley_choose.c: the moment to branch on in [from, to). */
uint32_t ash_place_valley_choose(ash_place_valley *v, uint32_t from,
                                 uint32_t to);
/* valley_options.c: pushes the blocks that may rest at the moment, best first;
 * returns the height for "nobody", 0 if nobody is not an option. */
int64_t ash_place_valley_options(ash_place_valley *v, uint32_t s,
                                 bool *nobody_first);
/* valley_learn.c */
void ash_place_valley_blame(ash_place_valley *v, uint32_t s);
void ash_place_valley_vary(ash_place_valley *v, uint64_t restart);
/* valley_guide.c: before and after a dive; at every dead end; for another
 * capacity. */
bool ash_place_guide_init(ash_place_valley *v);
void ash_place_guide_start(ash_place_valley *v);
void ash_place_guide_note(ash_place_valley *v);
void ash_place_guide_finish(ash_place_valley *v);
void ash_place_guide_forget(ash_place_valley *v);
/* valley_key.c */
ash_place_key ash_place_valley_key(const ash_place_valley *v, uint32_t from,
                                   uint32_t to);
/* jackson.c: false when a moment changed by the last move cannot hold its
 * blocks, given their lows. */
bool ash_place_jackson_allows(ash_place_valley *v);

#endif
