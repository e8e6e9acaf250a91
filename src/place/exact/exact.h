/* exact.h - the exact searches behind ash_place, one component at a time. */
#ifndef ASH_PLACE_EXACT_H
#define ASH_PLACE_EXACT_H

#include "place/exact/components.h"
#include "place/solve.h"

/* What is wanted of a component: a height as low as `floor`, else as low as
 * possible; at most `limit` in any case. */
typedef struct ash_place_goal {
  const uint32_t *items;
  uint32_t count;
  uint64_t floor;  /* lower than this is of no use                      */
  uint64_t limit;  /* higher than this is of no use                     */
  uint64_t height; /* in: of the incumbent, UINT64_MAX: none; out: new  */
  uint64_t lower;  /* in: floor; out: proved, UINT64_MAX: cannot be done */
} ash_place_goal;

/* Improves s->bases for the component's items. */
ash_status ash_place_exact_plain(ash_place_solve *s, ash_place_goal *goal);
ash_status ash_place_exact_general(ash_place_solve *s, ash_place_goal *goal);

/* subset.c: the lowest sum of some of the sizes that is at least `height`, in
 * the same unit; `height` itself where that is too costly to know. */
ash_status ash_place_subset_sum_round(ash_ctx *ctx, uint64_t *height,
                                      const uint64_t *sizes, size_t count);

#endif
