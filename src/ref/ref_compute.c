/* ref_compute.c - an operator on constants is computed once and for all. */
#include "ref/ref.h"

#include <string.h>

/* Data of a model may lie anywhere; the interpreter wants it aligned. */
static ash_status copy_inputs(ash_ctx *ctx, const ash_graph *g, const ash_op *o,
                              void **values) {
  for (uint32_t k = 0; k < o->input_count; k++) {
    const ash_tensor *t = ash_op_in(g, o, k);
    if (!t)
      continue;
    void *copy = ash_zone_alloc(&ctx->scratch, (size_t)t->bytes + 1, 1, 16);
    ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
    memcpy(copy, t->data, (size_t)t->bytes);
    values[o->inputs[k]] = copy;
  }
  return ASH_OK;
}

ash_status ash_ref_compute(ash_ctx *ctx, ash_graph *g, uint32_t op) {
  const ash_op *o = &g->ops.items[op];
  void **values = ASH_NEW_ARRAY(&ctx->scratch, void *, g->tensor_count + 1);
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  ASH_TRY(copy_inputs(ctx, g, o, values));
  for (uint32_t k = 0; k < o->output_count; k++) {
    const size_t bytes = (size_t)ash_op_out(g, o, k)->bytes;
    values[o->outputs[k]] = ash_zone_alloc(&g->zone, bytes + 1, 1, 16);
    ASH_TRY(ash_zone_check(ctx, &g->zone));
  }
  ASH_TRY(ash_ref_run_op(ctx, g, op, values));
  for (uint32_t k = 0; k < o->output_count; k++) {
    ash_tensor *t = ash_op_out(g, o, k);
    t->data = values[o->outputs[k]];
    t->kind = ASH_TENSOR_CONSTANT;
    t->file_byte = UINT64_MAX;
  }
  return ASH_OK;
}
