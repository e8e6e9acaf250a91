/* reduce.h - the problem as the searches see it.
 *
 * Buffers tied rigidly to each other (same offset, fixed distance) form one
 * *item*: it has one unknown, its base, the lowest of its offsets. An item is
 * made of *pieces*, rectangles of time x bytes relative to the base; a buffer
 * with gaps gives several. Times become *sections*: the maximal cliques of the
 * interval graph of the pieces, so two pieces meet in time exactly when they
 * share a section. Buffers that take no room have no piece.
 *
 * The base of an item is `residue` modulo `modulus`; `fixed` pins it. */
#ifndef ASH_PLACE_REDUCE_H
#define ASH_PLACE_REDUCE_H

#include "ashlar/place.h"
#include "base/ctx.h"

typedef struct ash_piece {
  uint32_t item, buffer;
  uint32_t first, last; /* sections [first, last)              */
  int64_t lo, hi;       /* bytes, relative to the item's base   */
} ash_piece;

typedef struct ash_item {
  int64_t modulus, residue;
  int64_t fixed;  /* ASH_FREE_OFFSET: free                              */
  int64_t reach;  /* base + reach must not exceed the height            */
  uint32_t piece; /* its pieces are model.pieces[piece .. +piece_count)  */
  uint32_t piece_count;
} ash_item;

/* A pair of pieces' buffers that is more than "disjoint while both live".
 * Stored under both buffers. */
typedef struct ash_special {
  uint32_t other;
  ash_relation_kind kind; /* INSIDE (exempt ancestor) or MAY_OVERLAP   */
  bool is_a;              /* the owner is the relation's `a`            */
  int64_t distance;
} ash_special;

typedef struct ash_model {
  const ash_place_problem *problem;
  uint32_t item_count, piece_count, section_count;
  ash_item *items;
  ash_piece *pieces;     /* grouped by item                             */
  uint32_t *item_of;     /* buffer -> item                               */
  int64_t *delta;        /* buffer -> offset relative to its item's base */
  int64_t *section_time; /* a time inside the section                    */
  uint32_t *special_at;  /* buffer -> its specials; buffer_count + 1     */
  ash_special *specials;
  uint32_t special_count;
  bool impossible; /* relations or fixed offsets contradict each other   */
  bool plain;      /* every item one piece from 0, no special, no fixed  */
} ash_model;

/* Checks the problem (diagnostics, ASH_MALFORMED or ASH_LIMIT). */
ash_status ash_model_validate(ash_ctx *ctx, const ash_place_problem *problem);

/* Builds the model in the scratch zone. */
ash_status ash_model_build(ash_ctx *ctx, ash_model *out,
                           const ash_place_problem *problem);

/* The differences base(y's item) - base(x's item) at which the pieces x and y,
 * which share a section, are not allowed: up to two open intervals. Returns how
 * many. */
typedef struct ash_span {
  int64_t lo, hi;
} ash_span;
int ash_model_forbidden(const ash_model *m, const ash_piece *x,
                        const ash_piece *y, ash_span out[2]);

/* The lowest base at or above `at` that suits the item's alignment. */
static inline int64_t ash_item_round_up(const ash_item *item, int64_t at) {
  if (item->modulus == 1)
    return at;
  const int64_t over = (at - item->residue) % item->modulus;
  return over == 0 ? at : over > 0 ? at + item->modulus - over : at - over;
}

/* Offsets of all buffers from the bases of the items. */
void ash_model_offsets(const ash_model *m, const int64_t *bases,
                       int64_t *offsets);

#endif
