/* ranges_relate.h - operands that come from one tensor. Private to ranges*.c.
 */
#ifndef ASH_PASS_RANGES_RELATE_H
#define ASH_PASS_RANGES_RELATE_H

#include "pass/narrow/ranges.h"

typedef struct ash_relations {
  const ash_graph *g;
  const ash_range *ranges;
  const uint32_t *writer; /* the op that makes a tensor, or ASH_NO_ID */
} ash_relations;

/* `r`, or what is left of it. */
ash_range ash_range_relate(const ash_relations *m, const ash_op *op,
                           ash_range r);

#endif
