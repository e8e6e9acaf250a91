/* uses.h - who writes and who reads a tensor, for passes that match patterns.
 */
#ifndef ASH_PASS_USES_H
#define ASH_PASS_USES_H

#include "graph/graph.h"

typedef struct ash_uses {
  uint32_t *writer; /* op, or ASH_NO_ID        */
  uint32_t *reader; /* the last op that reads it */
  uint32_t *count;  /* readings; an output of the graph counts as one */
  bool *drop;       /* one an op: to be taken out by ash_uses_drop   */
} ash_uses;

/* In the scratch zone: mark and rewind around a pass. */
ash_status ash_uses_of(ash_ctx *ctx, ash_uses *out, const ash_graph *g);

/* Takes out the ops that are marked, and what nothing needs any more; verifies
 * the graph if there were any. */
ash_status ash_uses_drop(ash_graph *g, const ash_uses *uses);

/* The op that makes `tensor`, if it is the only thing made of it; ASH_NO_ID
 * otherwise. */
uint32_t ash_uses_only(const ash_uses *uses, uint32_t tensor);

#endif
