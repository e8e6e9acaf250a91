/* row_overlap.h - see row_overlap.c. */
#ifndef ASH_PLAN_ROW_OVERLAP_H
#define ASH_PLAN_ROW_OVERLAP_H

#include "plan/planner.h"

/* Rows that lie over a row that dies with the step that makes them. */
typedef struct ash_row_overlaps {
  uint32_t *behind;  /* by buffer: the one that dies, or ASH_NO_ID         */
  int64_t *distance; /* by buffer: how far before it the new one begins    */
  uint64_t *saved;   /* by step: no placement shares more bytes there      */
  uint32_t count;
} ash_row_overlaps;

/* Which of them there may be, in ctx->scratch: of buffers that `can_move`;
 * `buffer_of`: by slot. */
ash_status ash_find_row_overlaps(ash_draft *d, const ash_scratch *s,
                                 const uint32_t *buffer_of,
                                 const bool *can_move, ash_row_overlaps *out);

/* Notes in the slots, with those of moves, which of them there are. */
void ash_mark_row_overlaps(const ash_draft *d, ash_slot *slots, uint32_t count);

#endif
