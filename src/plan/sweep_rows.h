/* sweep_rows.h - rows placed one after the other in the order of time. */
#ifndef ASH_PLAN_SWEEP_ROWS_H
#define ASH_PLAN_SWEEP_ROWS_H

#include "ashlar/graph.h"
#include "ashlar/place.h"
#include "base/ctx.h"

/* Buffers, some of them at fixed distances from each other. */
typedef struct ash_sweep {
  const ash_buffer *buffers;
  uint32_t count;
  const uint32_t *group_of; /* by buffer; ASH_NO_ID: it is alone             */
  const int64_t *delta;     /* by buffer: from the start of its group        */
  uint32_t group_count;
  uint64_t capacity;
  const bool *is_left_out; /* by buffer: it gets no place; NULL: none      */
  /* By buffer: one that dies at its first step, over which it may lie if it
   * begins at least so many bytes before it; ASH_NO_ID, NULL: none. */
  const uint32_t *behind;
  const int64_t *distance;
} ash_sweep;

enum { ASH_SWEEP_WAYS = 24 };

/* Offsets of all buffers below the capacity, in `offsets`; false in `*found`:
 * none of the ways to sweep finds any. */
ash_status ash_sweep_rows(ash_ctx *ctx, const ash_sweep *s, int64_t *offsets,
                          bool *found);

/* The same for one way of ASH_SWEEP_WAYS. */
ash_status ash_sweep_one_way(ash_ctx *ctx, const ash_sweep *s, uint32_t number,
                             int64_t *offsets, bool *found);

#endif
