/* fit.h - placing one item at a time at the lowest free base, without a list
 * of conflicting pairs: memory is linear in the number of rects. */
#ifndef ASH_PLACE_FIT_H
#define ASH_PLACE_FIT_H

#include "place/fit/offset_list.h"
#include "place/solve.h"

typedef struct ash_place_fit {
  const ash_place_reduced *in;
  ash_place_solve *solve; /* whose budget pays for runs; NULL: nobody's      */
  uint32_t *by_start;     /* rank -> rect, in order of the first moment     */
  uint32_t *rank;         /* rect -> rank                                    */
  uint32_t *started;      /* moment -> rects that start before it           */
  uint32_t *ends;         /* rank -> `last` of a placed rect, else 0         */
  int64_t *height;        /* rank -> bytes of the rect                       */
  int64_t *bottom;        /* rank -> offset of a placed rect                 */
  uint32_t *tree;         /* over chunks of ranks: the largest of their ends  */
  uint32_t leaf_count;    /* chunks; a power of two                           */
  uint32_t *found;        /* placed rects that meet the query                */
  int64_t *bases;         /* item -> base, INT64_MIN: not placed              */
  ash_place_span *spans;
  uint64_t *key;
  uint32_t *order, *spare;
  bool dense; /* `by_offset` is used instead of the tree (first fit only)     */
  ash_place_offset_list by_offset;
  uint64_t steps; /* rects looked at: the measure of work                 */
  uint64_t paid;  /* of them, by a run                                    */
} ash_place_fit;

ash_status ash_place_fit_init(ash_ctx *ctx, ash_place_fit *out,
                              const ash_place_reduced *in);
/* Nothing placed but the fixed items. */
void ash_place_fit_clear(ash_place_fit *f);
/* The lowest base (first fit), or the base in the smallest gap that is large
 * enough (best fit). INT64_MAX: none, the item's place is fixed elsewhere. */
int64_t ash_place_fit_lowest(ash_place_fit *f, uint32_t item, bool best);
/* The lowest base that is not below `from`. */
int64_t ash_place_fit_lowest_from(ash_place_fit *f, uint32_t item,
                                  int64_t from);
void ash_place_fit_put(ash_place_fit *f, uint32_t item, int64_t base);
/* Takes an item out again; not with `by_offset`. */
void ash_place_fit_take(ash_place_fit *f, uint32_t item);
/* Pays for the steps since the last payment; true: the budget is spent. */
bool ash_place_fit_pay(ash_place_fit *f);
/* The highest top of what is placed. */
uint64_t ash_place_fit_height(const ash_place_fit *f);
/* Places all items of the list that are not placed; the height. Gives up with
 * UINT64_MAX as soon as `limit` is reached. When the budget ends, the rest is
 * stacked on top: there is a placement however little time there was. */
uint64_t ash_place_fit_run(ash_place_fit *f, const uint32_t *items,
                           size_t count, bool best, uint64_t limit);

/* Sets *collide when two fixed items do. */
ash_status ash_place_fit_check_fixed(ash_ctx *ctx, const ash_place_reduced *in,
                                     bool *collide);

#endif
