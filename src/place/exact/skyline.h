/* skyline.h - the state of the valley search and its bookkeeping.
 *
 * A *block* is an unplaced buffer of one component; the *sky* of a moment is
 * the lowest offset any unplaced block alive in it can still have. `low[j]`,
 * the lowest offset of block j, is the highest sky-to-be over its moments,
 * rounded up to its alignment. A *valley* is a maximal run of moments of equal
 * sky with higher neighbours: a block that rests on its floor lies inside it,
 * so its place is final whatever happens elsewhere.
 *
 * Bytes are scaled by their greatest common divisor. */
#ifndef ASH_PLACE_SKYLINE_H
#define ASH_PLACE_SKYLINE_H

#include "base/checked.h"
#include "place/reduce.h"

typedef struct ash_place_block {
  int64_t size; /* as it counts towards the height                   */
  int64_t room; /* size rounded up to the common alignment            */
  int64_t align;
  uint32_t first, last; /* moments [first, last)                        */
  uint32_t twin; /* the same for blocks of equal span, size, alignment  */
} ash_place_block;

/* What changes at the moments while blocks are placed, one array each: the
 * loops over moments are the inner loops of the search. */
typedef struct ash_place_cells {
  int64_t *sky;
  int64_t *left;    /* room of the unplaced blocks alive here                */
  int64_t *top;     /* of the placed blocks alive here                       */
  int32_t *support; /* unplaced blocks alive here with low == sky            */
  int32_t *bridges; /* unplaced blocks alive here and in the next moment    */
} ash_place_cells;

typedef struct ash_place_skyline {
  uint32_t block_count, moment_count;
  ash_place_block *blocks; /* sorted by first moment                        */
  uint32_t *item;          /* block -> item of the reduced problem          */
  uint32_t *begin;         /* moment -> blocks that start before it          */
  uint64_t **alive; /* moment -> set of blocks, words [word_lo, word_hi) */
  uint32_t *word_lo, *word_hi;
  int64_t *waste; /* moment -> what the topmost block may save      */
  int64_t unit;   /* bytes of 1                                     */
  bool aligned;   /* some block has an alignment above 1             */
  int64_t load;   /* the largest room of a moment                  */
  int64_t bound;  /* the same, with what the topmost block saves     */
  /* the state */
  int64_t capacity;
  ash_place_cells cells;
  int64_t *low;
  uint64_t *unplaced; /* set of blocks */
  uint32_t word_count;
  int64_t *place; /* block -> offset, of the blocks placed so far          */
  uint32_t failed_at; /* the moment that refuted the last move          */
  uint32_t changed_first, changed_last; /* what the last move touched     */
  ash_place_cells fresh; /* the cells before any move; sky and top are 0  */
  uint32_t *touched;     /* scratch: blocks whose low changes              */
  int32_t *rest;         /* scratch: changes of support, zero between moves */
  /* undo: copies of what a move changes, newest last                    */
  ash_zone *zone;
  struct {
    uint64_t *items;
    size_t capacity;
  } log;
  size_t log_used;
  bool soft; /* nothing is undone; what does not fit raises the
                capacity instead                                   */
} ash_place_skyline;

/* Makes a skyline of a set of plain items (one rect from 0, free). `first` and
 * `last` of their rects are renumbered to maximal cliques of the set.
 * ASH_LIMIT without a diagnostic when the scaled sizes exceed 30 bits. */
ash_status ash_place_skyline_build(ash_ctx *ctx, ash_zone *z,
                                   ash_place_skyline *out,
                                   const ash_place_reduced *in,
                                   const uint32_t *items, size_t count);

/* Empties the state; false: the loads alone exceed the capacity. */
bool ash_place_skyline_reset(ash_place_skyline *k, int64_t capacity);

/* Would the block, resting where it can, leave too little room above itself?
 * A quick look that spares most refuted moves. */
bool ash_place_skyline_may_put(ash_place_skyline *k, uint32_t block);

/* Moves: rest a block on the floor of its valley; leave the floor of a moment
 * empty up to a height. Each is undone by ash_place_skyline_undo, also when it
 * returns false: some moment cannot hold what is left. */
bool ash_place_skyline_put(ash_place_skyline *k, uint32_t block);
bool ash_place_skyline_raise(ash_place_skyline *k, uint32_t moment,
                             int64_t height);
void ash_place_skyline_undo(ash_place_skyline *k);

static inline bool ash_place_skyline_is_unplaced(const ash_place_skyline *k,
                                                 uint32_t block) {
  ASH_ASSERT(block < k->block_count);
  return k->unplaced[block / 64] >> (block % 64) & 1;
}

static inline int64_t ash_place_block_round(const ash_place_block *t,
                                            int64_t at) {
  ASH_ASSERT(at >= 0 && t->align > 0);
  return (int64_t)ash_align_up((uint64_t)at, (uint64_t)t->align);
}

static inline int64_t ash_place_skyline_slack(const ash_place_skyline *k,
                                              uint32_t s) {
  ASH_ASSERT(s < k->moment_count);
  return k->capacity + k->waste[s] - k->cells.sky[s] - k->cells.left[s];
}

/* May block j rest at its lowest offset, which is the sky of its valley? Only
 * if something below holds it there (bottom-justified normal form). */
bool ash_place_skyline_supported(const ash_place_skyline *k, uint32_t block);

#endif
