/* broadcast.h - how two operands are walked through to make the elements of a
 * result that is larger than one of them.
 *
 * Dimensions of size 1 are dropped and neighbours joined wherever both
 * operands walk through them alike: equal shapes become one dimension, and a
 * bias along channels two. */
#ifndef ASH_OP_BROADCAST_H
#define ASH_OP_BROADCAST_H

#include "graph/graph.h"

typedef struct ash_broadcast {
  uint32_t rank;
  int32_t dim[ASH_RANK_MAX];
  int32_t step_a[ASH_RANK_MAX]; /* elements to the next one; 0: repeated */
  int32_t step_b[ASH_RANK_MAX];
} ash_broadcast;

/* Of inputs 0 and 1 to output 0. */
ash_broadcast ash_broadcast_of(const ash_graph *g, const ash_op *op);

#endif
