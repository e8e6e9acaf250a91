/* overlap.h - see overlap.c. */
#ifndef ASH_PLAN_OVERLAP_H
#define ASH_PLAN_OVERLAP_H

#include "plan/planner.h"

/* The pairs of buffers that may lie over each other, in ctx->scratch. */
ash_status ash_find_overlaps(ash_draft *d, const ash_scratch *s,
                             const ash_relation **out, size_t *count);
/* Notes in the slots which of them do. */
ash_status ash_mark_overlaps(ash_draft *d, const ash_scratch *s,
                             const ash_place_result *placed);

#endif
