/* fit.h - placing one item at a time at the lowest free base, without a list
 * of conflicting pairs: memory is linear in the number of pieces. */
#ifndef ASH_PLACE_FIT_H
#define ASH_PLACE_FIT_H

#include "place/fit/offset_list.h"
#include "place/reduce.h"

typedef struct ash_fit {
  const ash_model *m;
  uint32_t *by_start;  /* rank -> piece, in order of the first section     */
  uint32_t *rank;      /* piece -> rank                                    */
  uint32_t *started;   /* section -> pieces that start before it           */
  uint32_t *ends;      /* rank -> `last` of a placed piece, else 0         */
  int64_t *height;     /* rank -> bytes of the piece                       */
  int64_t *bottom;     /* rank -> offset of a placed piece                 */
  uint32_t *tree;      /* over blocks of ranks: the largest of their ends  */
  uint32_t leaf_count; /* blocks; a power of two                           */
  uint32_t *found;     /* placed pieces that meet the query                */
  int64_t *bases;      /* item -> base, INT64_MIN: not placed              */
  ash_span *spans;
  uint64_t *key;
  uint32_t *order, *spare;
  bool dense; /* the shelf is used instead of the tree (first fit only)     */
  ash_shelf shelf;
  uint64_t steps; /* pieces looked at: the measure of work                 */
} ash_fit;

ash_status ash_fit_init(ash_ctx *ctx, ash_fit *out, const ash_model *m);
/* Nothing placed but the fixed items. */
void ash_fit_clear(ash_fit *f);
/* The lowest base (first fit), or the base in the smallest gap that is large
 * enough (best fit). INT64_MAX: none, the item's place is fixed elsewhere. */
int64_t ash_fit_lowest(ash_fit *f, uint32_t item, bool best);
void ash_fit_put(ash_fit *f, uint32_t item, int64_t base);
/* Takes an item out again; not with a shelf. */
void ash_fit_take(ash_fit *f, uint32_t item);
/* Places all items of the list that are not placed; the height. Gives up with
 * UINT64_MAX as soon as `limit` is reached. */
uint64_t ash_fit_run(ash_fit *f, const uint32_t *items, size_t count, bool best,
                     uint64_t limit);

/* Sets *collide when two fixed items do. */
ash_status ash_fit_check_fixed(ash_ctx *ctx, const ash_model *m, bool *collide);

#endif
