/* uses.c - see uses.h. */
#include "pass/uses.h"

#include "graph/compact.h"
#include "op/verify.h"

static void count_readings(const ash_uses *u, const ash_graph *g, uint32_t op) {
  const ash_op *o = &g->ops.items[op];
  for (uint32_t k = 0; k < o->input_count; k++)
    if (o->inputs[k] != ASH_NO_ID) {
      u->count[o->inputs[k]]++;
      u->reader[o->inputs[k]] = op;
    }
  for (uint32_t k = 0; k < o->output_count; k++)
    u->writer[o->outputs[k]] = op;
}

ash_status ash_uses_of(ash_ctx *ctx, ash_uses *out, const ash_graph *g) {
  const size_t n = g->tensor_count + 1;
  out->writer = ASH_NEW_ARRAY(&ctx->scratch, uint32_t, n);
  out->reader = ASH_NEW_ARRAY(&ctx->scratch, uint32_t, n);
  out->count = ASH_NEW_ARRAY(&ctx->scratch, uint32_t, n);
  out->drop = ASH_NEW_ARRAY(&ctx->scratch, bool, g->op_count + 1);
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  for (size_t i = 0; i < n; i++) {
    out->writer[i] = out->reader[i] = ASH_NO_ID;
    out->count[i] = 0;
  }
  for (uint32_t i = 0; i < g->op_count; i++)
    count_readings(out, g, i);
  for (size_t i = 0; i < g->output_count; i++)
    out->count[g->outputs[i]]++;
  return ASH_OK;
}

ash_status ash_uses_drop(ash_graph *g, const ash_uses *uses) {
  size_t kept = 0;
  for (size_t i = 0; i < g->op_count; i++)
    if (!uses->drop[i])
      g->ops.items[kept++] = g->ops.items[i];
  if (kept == g->op_count)
    return ASH_OK;
  g->op_count = kept;
  ASH_TRY(ash_graph_prune(g));
  return ash_op_verify(g->ctx, g);
}

uint32_t ash_uses_only(const ash_uses *uses, uint32_t tensor) {
  return tensor != ASH_NO_ID && uses->count[tensor] == 1 ? uses->writer[tensor]
                                                         : ASH_NO_ID;
}
