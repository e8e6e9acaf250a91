/* dead_code.c - operators whose results nobody needs go.
 *
 *   y = relu(x); z = tanh(x); output y     ->     y = relu(x); output y */
#include "pass/pass.h"

#include "graph/compact.h"
#include "op/verify.h"

ash_status ash_pass_dead_code(ash_ctx *ctx, ash_graph *g) {
  const size_t before = g->op_count;
  ASH_TRY(ash_graph_prune(g));
  return g->op_count == before ? ASH_OK : ash_op_verify(ctx, g);
}
