/* table_by_reference.c - a table of all results of an operator on 8-bit values:
 * the operator alone, in a graph of its own, run by the reference interpreter
 * over every value there is. */
#include "pass/lower_tables.h"

#include "ref/ref.h"

static ash_status add_end(ash_graph *alone, uint32_t *index,
                          const ash_tensor *like, ash_tensor_kind kind) {
  const ash_tensor t = {.name = kind == ASH_TENSOR_INPUT ? "x" : "y",
                        .kind = kind,
                        .type = like->type,
                        .shape = {1, {256}},
                        .quant = like->quant,
                        .file_byte = UINT64_MAX,
                        .is_output = kind != ASH_TENSOR_INPUT};
  return ash_graph_add_tensor(alone, index, t);
}

static ash_status build_alone(ash_graph *alone, const ash_graph *g,
                              const ash_op *op) {
  uint32_t x, y, index;
  ASH_TRY(add_end(alone, &x, ash_op_in(g, op, 0), ASH_TENSOR_INPUT));
  ASH_TRY(add_end(alone, &y, ash_op_out(g, op, 0), ASH_TENSOR_ACTIVATION));
  ASH_TRY(ash_graph_add_op(alone, &index,
                           (ash_op){.kind = op->kind,
                                    .input_count = 1,
                                    .output_count = 1,
                                    .attr_count = op->attr_count,
                                    .inputs = &x,
                                    .outputs = &y,
                                    .attrs = op->attrs}));
  ASH_TRY(ash_graph_set_inputs(alone, &x, 1));
  return ash_graph_set_outputs(alone, &y, 1);
}

ash_status ash_table_by_reference(ash_ctx *ctx, uint8_t out[256],
                                  const ash_graph *g, uint32_t op) {
  const ash_op *o = &g->ops.items[op];
  const uint32_t first = ash_op_in(g, o, 0)->type == ASH_INT8 ? 128 : 0;
  uint8_t every[256];
  const void *inputs[] = {every};
  void *outputs[] = {out};
  ash_graph *alone = NULL;
  for (uint32_t i = 0; i < 256; i++)
    every[i] = (uint8_t)(i + first);
  ASH_TRY(ash_graph_new(ctx, &alone, g->name, g->file));
  ash_status status = build_alone(alone, g, o);
  if (status == ASH_OK)
    status = ash_ref_run(ctx, alone, inputs, outputs);
  ash_graph_free(alone);
  return status;
}
