/* reduce.h - the reduced problem: what the searches work on.
 *
 * Buffers tied to each other (same offset, fixed distance) form one rigid
 * *item*: it has one unknown, its base, the lowest of its offsets. An item is
 * made of *rects*, rectangles of time x bytes relative to the base; a buffer
 * with gaps gives several. Times become *moments*: the maximal cliques of the
 * interval graph of the rects, so two rects meet in time exactly when they
 * share a moment. Buffers that take no room have no rect.
 *
 * The base of an item is `residue` modulo `modulus`; `fixed` pins it. */
#ifndef ASH_PLACE_REDUCE_H
#define ASH_PLACE_REDUCE_H

#include "ashlar/place.h"
#include "base/ctx.h"

typedef struct ash_place_rect {
  uint32_t item, buffer;
  uint32_t first, last; /* moments [first, last)              */
  int64_t lo, hi;       /* bytes, relative to the item's base   */
} ash_place_rect;

typedef struct ash_place_item {
  int64_t modulus, residue;
  int64_t fixed; /* ASH_FREE_OFFSET: free                              */
  int64_t reach; /* base + reach must not exceed the height            */
  uint32_t rect; /* its rects are reduced.rects[rect .. +rect_count)  */
  uint32_t rect_count;
} ash_place_item;

/* A pair of rects' buffers that is more than "disjoint while both live".
 * Stored under both buffers. */
typedef struct ash_place_special {
  uint32_t other;
  ash_relation_kind kind; /* INSIDE (exempt ancestor) or MAY_OVERLAP   */
  bool is_a;              /* the owner is the relation's `a`            */
  int64_t distance;
} ash_place_special;

typedef struct ash_place_reduced {
  const ash_place_problem *problem;
  uint32_t item_count, rect_count, moment_count;
  ash_place_item *items;
  ash_place_rect *rects; /* grouped by item                             */
  uint32_t *item_of;     /* buffer -> item                               */
  int64_t *delta;        /* buffer -> offset relative to its item's base */
  int64_t *moment_time;  /* a time inside the moment                    */
  uint32_t *special_at;  /* buffer -> its specials; buffer_count + 1     */
  ash_place_special *specials;
  uint32_t special_count;
  bool impossible; /* relations or fixed offsets contradict each other   */
  bool plain;      /* every item one rect from 0, no special, no fixed  */
} ash_place_reduced;

/* Checks the problem (diagnostics, ASH_MALFORMED or ASH_LIMIT). */
ash_status ash_place_validate(ash_ctx *ctx, const ash_place_problem *problem);

/* Reduces a valid problem, in the scratch zone. */
ash_status ash_place_reduce(ash_ctx *ctx, ash_place_reduced *out,
                            const ash_place_problem *problem);

/* The differences base(y's item) - base(x's item) at which the rects x and y,
 * which share a moment, are not allowed: up to two open intervals. Returns how
 * many. */
typedef struct ash_place_span {
  int64_t lo, hi;
} ash_place_span;
int ash_place_forbidden(const ash_place_reduced *in, const ash_place_rect *x,
                        const ash_place_rect *y, ash_place_span out[2]);

/* The lowest base at or above `at` that suits the item's alignment. */
static inline int64_t ash_place_item_round_up(const ash_place_item *item,
                                              int64_t at) {
  ASH_ASSERT(0 <= item->residue && item->residue < item->modulus);
  if (item->modulus == 1)
    return at;
  const int64_t over = (at - item->residue) % item->modulus;
  return over == 0 ? at : over > 0 ? at + item->modulus - over : at - over;
}

/* Offsets of all buffers from the bases of the items. */
void ash_place_offsets(const ash_place_reduced *in, const int64_t *bases,
                       int64_t *offsets);

#endif
