/* rows.h - the ordering problem of a graph, at two grains. */
#ifndef ASH_ORDER_ROWS_H
#define ASH_ORDER_ROWS_H

#include "ashlar/steps.h"
#include "graph/graph.h"
#include "order/problem.h"

/* A problem, and where it comes from. */
typedef struct ash_order_model {
  ash_order_problem problem;
  const uint32_t *op_of; /* by op of the problem: of the graph; ASH_NO_ID: it
                            feeds an input. Views have none.                 */
  const uint32_t *tensor_of; /* by tensor of the problem: of the graph. A
                                variable has no bytes, and there is one for
                                each of its users: their order               */
} ash_order_model;

/* What an order must respect; a NULL asks for nothing. */
typedef struct ash_order_ask {
  const bool *is_fed;       /* by input of the graph: its rows arrive while the
                               model runs; else it is there from the start   */
  const bool *is_drained;   /* by output of the graph: its rows leave while the
                               model runs; else they are kept to the end     */
  const bool *is_whole;     /* by op: it runs whole                          */
  const uint32_t *in_place; /* by op, bit k: the result may take input k's
                               place; NULL: of element-wise operators        */
  const uint64_t *work;     /* by op: bytes of work memory while it runs     */
} ash_order_ask;

/* `grain`: ASH_ORDER_OPERATORS, whole tensors, one step per operator; or
 * ASH_ORDER_ROWS, rows along the outermost dimension. `ask` may be NULL. Only
 * activations count, and work memory if `ask` tells it: constants and variables
 * are not ordered. Kept by `ctx`. */
ash_status ash_order_model_of(ash_ctx *ctx, ash_order_model *out,
                              const ash_graph *g, ash_order_kind grain,
                              const ash_order_ask *ask);

#endif
