/* decompose.c - see decompose.h. */
#include "pass/decompose.h"

#include "graph/compact.h"
#include "op/verify.h"

ash_status ash_pass_decompose(ash_graph *g, const ash_decomposer *t) {
  const size_t count = g->op_count;
  bool any = false;
  for (size_t i = 0; i < count && !any; i++)
    any = t->wants(t->user, &g->ops.items[i]);
  if (!any)
    return ASH_OK;
  ash_zone *scratch = &g->ctx->scratch;
  ash_op *ops = ash_zone_copy(scratch, g->ops.items, count * sizeof *ops);
  ASH_TRY(ash_zone_check(g->ctx, scratch));
  g->op_count = 0;
  for (size_t i = 0; i < count; i++) {
    uint32_t same;
    if (t->wants(t->user, &ops[i]))
      ASH_TRY(t->put(t->user, &ops[i]));
    else
      ASH_TRY(ash_graph_add_op(g, &same, ops[i]));
  }
  ASH_TRY(ash_graph_compact(g));
  return ash_op_verify(g->ctx, g);
}
