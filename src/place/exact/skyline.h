/* skyline.h - the state of the valley search and its bookkeeping.
 *
 * A *tile* is an unplaced buffer of one component; the *sky* of a section is
 * the lowest offset any unplaced tile alive in it can still have. `low[j]`, the
 * lowest offset of tile j, is the highest sky-to-be over its sections, rounded
 * up to its alignment. A *valley* is a maximal run of sections of equal sky
 * with higher neighbours: a tile that rests on its floor lies inside it, so its
 * place is final whatever happens elsewhere.
 *
 * Bytes are scaled by their greatest common divisor. */
#ifndef ASH_PLACE_SKYLINE_H
#define ASH_PLACE_SKYLINE_H

#include "base/checked.h"
#include "place/reduce.h"

typedef struct ash_tile {
  int64_t size; /* as it counts towards the height                   */
  int64_t room; /* size rounded up to the common alignment            */
  int64_t align;
  uint32_t first, last; /* sections [first, last)                        */
  uint32_t twin;        /* the same for tiles of equal span, size, alignment  */
} ash_tile;

/* What changes at the sections while tiles are placed, one array each: the
 * loops over sections are the inner loops of the search. */
typedef struct ash_cells {
  int64_t *sky;
  int64_t *left;    /* room of the unplaced tiles alive here                */
  int64_t *top;     /* of the placed tiles alive here                       */
  int32_t *support; /* unplaced tiles alive here with low == sky            */
  int32_t *bridges; /* unplaced tiles alive here and in the next section    */
} ash_cells;

typedef struct ash_skyline {
  uint32_t tile_count, section_count;
  ash_tile *tiles;  /* sorted by first section                        */
  uint32_t *item;   /* tile -> item of the model                      */
  uint32_t *begin;  /* section -> tiles that start before it          */
  uint64_t **alive; /* section -> set of tiles, words [word_lo, word_hi) */
  uint32_t *word_lo, *word_hi;
  int64_t *waste; /* section -> what the topmost tile may save      */
  int64_t unit;   /* bytes of 1                                     */
  bool aligned;   /* some tile has an alignment above 1             */
  int64_t load;   /* the largest room of a section                  */
  int64_t bound;  /* the same, with what the topmost tile saves     */
  /* the state */
  int64_t capacity;
  ash_cells cells;
  int64_t *low;
  uint64_t *unplaced; /* set of tiles */
  uint32_t word_count;
  int64_t *place;     /* tile -> offset, of the tiles placed so far          */
  uint32_t failed_at; /* the section that refuted the last move          */
  uint32_t changed_first, changed_last; /* what the last move touched     */
  ash_cells fresh;   /* the cells before any move; sky and top are 0  */
  uint32_t *touched; /* scratch: tiles whose low changes              */
  int32_t *rest;     /* scratch: changes of support, zero between moves */
  /* undo: copies of what a move changes, newest last                    */
  ash_zone *zone;
  struct {
    uint64_t *items;
    size_t capacity;
  } log;
  size_t log_used;
  bool soft; /* nothing is undone; what does not fit raises the
                capacity instead                                   */
} ash_skyline;

/* Makes a skyline of a set of plain items (one piece from 0, free). `first` and
 * `last` of their pieces are renumbered to maximal cliques of the set.
 * ASH_LIMIT without a diagnostic when the scaled sizes exceed 30 bits. */
ash_status ash_skyline_build(ash_ctx *ctx, ash_zone *z, ash_skyline *out,
                             const ash_model *m, const uint32_t *items,
                             size_t count);

/* Empties the state; false: the loads alone exceed the capacity. */
bool ash_skyline_reset(ash_skyline *k, int64_t capacity);

/* Would the tile, resting where it can, leave too little room above itself?
 * A quick look that spares most refuted moves. */
bool ash_skyline_may_put(ash_skyline *k, uint32_t tile);

/* Moves: rest a tile on the floor of its valley; leave the floor of a section
 * empty up to a height. Each is undone by ash_skyline_undo, also when it
 * returns false: some section cannot hold what is left. */
bool ash_skyline_put(ash_skyline *k, uint32_t tile);
bool ash_skyline_raise(ash_skyline *k, uint32_t section, int64_t height);
void ash_skyline_undo(ash_skyline *k);

static inline int64_t ash_tile_round(const ash_tile *t, int64_t at) {
  return (int64_t)ash_align_up((uint64_t)at, (uint64_t)t->align);
}

static inline int64_t ash_skyline_slack(const ash_skyline *k, uint32_t s) {
  return k->capacity + k->waste[s] - k->cells.sky[s] - k->cells.left[s];
}

/* May tile j rest at its lowest offset, which is the sky of its valley? Only
 * if something below holds it there (bottom-justified normal form). */
bool ash_skyline_supported(const ash_skyline *k, uint32_t tile);

#endif
