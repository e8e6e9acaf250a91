/* take_apart.h - operators that become several, for the passes that do so. */
#ifndef ASH_PASS_TAKE_APART_H
#define ASH_PASS_TAKE_APART_H

#include "graph/graph.h"

typedef struct ash_taker {
  void *user;
  bool (*wants)(void *user, const ash_op *op);
  ash_status (*put)(void *user, const ash_op *op); /* adds what it becomes */
} ash_taker;

/* Copies the graph's operators, those that are wanted taken apart; verifies the
 * graph if there were any. */
ash_status ash_take_apart(ash_graph *g, const ash_taker *t);

#endif
