/* decompose.h - operators that become several, for the passes that do so. */
#ifndef ASH_PASS_DECOMPOSE_H
#define ASH_PASS_DECOMPOSE_H

#include "graph/graph.h"

typedef struct ash_decomposer {
  void *user;
  bool (*wants)(void *user, const ash_op *op);
  ash_status (*put)(void *user, const ash_op *op); /* adds what it becomes */
} ash_decomposer;

/* Copies the graph's operators, those that are wanted taken apart; verifies the
 * graph if there were any. */
ash_status ash_pass_decompose(ash_graph *g, const ash_decomposer *t);

#endif
