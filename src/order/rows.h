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
  const uint32_t *tensor_of; /* by tensor of the problem: of the graph;
                                ASH_NO_ID: no bytes, only the order of the
                                users of a variable                          */
} ash_order_model;

/* `grain`: ASH_ORDER_OPERATORS, whole tensors, one step per operator; or
 * ASH_ORDER_ROWS, rows along the outermost dimension. `is_fed`: by input of the
 * graph, whether its rows arrive while the model runs; NULL: all inputs are
 * there from the start. Only activations count: constants, variables and work
 * memory are not ordered. Kept by `ctx`. */
ash_status ash_order_model_of(ash_ctx *ctx, ash_order_model *out,
                              const ash_graph *g, ash_order_kind grain,
                              const bool *is_fed);

#endif
