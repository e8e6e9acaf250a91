/* shrink.h - see shrink.c. */
#ifndef ASH_PLAN_SHRINK_H
#define ASH_PLAN_SHRINK_H

#include "plan/planner.h"

/* The result in storage `out` may be written over the start of an input in
 * storage `in`; both are there at `step` only. */
struct ash_shrink {
  uint32_t in, out; /* slots that are storages                              */
  uint32_t step;
  int64_t distance; /* from the start of `in` to that of `out`              */
  uint64_t shared;  /* bytes                                                */
};

/* Finds them; in ctx->scratch, d->shrinks. */
ash_status ash_find_shrinks(ash_draft *d);
/* The most bytes alive at once in this part if all results that can do shrink:
 * no packing is lower, whatever shrinks. */
ash_status ash_shrunk_peak(ash_draft *d, const ash_scratch *s, uint64_t *peak);
/* Appends those of which both storages are in this part to the relations. */
ash_status ash_shrink_relations(ash_draft *d, const ash_scratch *s,
                                const ash_relation **relations, size_t *count);
/* Notes in the slots which results do lie over their input. */
ash_status ash_mark_shrinks(ash_draft *d, const ash_scratch *s,
                            const ash_place_result *placed);

#endif
