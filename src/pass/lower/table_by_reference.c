/* table_by_reference.c - a table of all results of an operator on 8-bit values:
 * the operator alone, in a graph of its own, run by the reference interpreter
 * over every value there is. On 16-bit values: the entries between which a
 * kernel interpolates. */
#include "pass/lower/lower_tables.h"

#include "ref/ref.h"

static ash_status add_end(ash_graph *alone, uint32_t *index,
                          const ash_tensor *like, ash_tensor_kind kind,
                          int32_t count) {
  const ash_tensor t = {.name = kind == ASH_TENSOR_INPUT ? "x" : "y",
                        .kind = kind,
                        .type = like->type,
                        .shape = {1, {count}},
                        .quant = like->quant,
                        .file_byte = UINT64_MAX,
                        .is_output = kind != ASH_TENSOR_INPUT};
  return ash_graph_add_tensor(alone, index, t);
}

static ash_status build_alone(ash_graph *alone, const ash_graph *g,
                              const ash_op *op, int32_t count) {
  uint32_t x, y, index;
  ASH_TRY(add_end(alone, &x, ash_op_in(g, op, 0), ASH_TENSOR_INPUT, count));
  ASH_TRY(
      add_end(alone, &y, ash_op_out(g, op, 0), ASH_TENSOR_ACTIVATION, count));
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

static ash_status run_alone(ash_ctx *ctx, const ash_graph *g, uint32_t op,
                            const void *every, void *results, int32_t count) {
  const void *inputs[] = {every};
  void *outputs[] = {results};
  ash_graph *alone = NULL;
  ASH_TRY(ash_graph_new(ctx, &alone, g->name, g->file));
  ash_status status = build_alone(alone, g, &g->ops.items[op], count);
  if (status == ASH_OK)
    status = ash_ref_run(ctx, alone, inputs, outputs);
  ash_graph_free(alone);
  return status;
}

ash_status ash_table_by_reference(ash_ctx *ctx, uint8_t out[256],
                                  const ash_graph *g, uint32_t op) {
  const ash_op *o = &g->ops.items[op];
  const uint32_t first = ash_op_in(g, o, 0)->type == ASH_INT8 ? 128 : 0;
  uint8_t every[256];
  for (uint32_t i = 0; i < 256; i++)
    every[i] = (uint8_t)(i + first);
  return run_alone(ctx, g, op, every, out, 256);
}

enum { STEPS = 512, BETWEEN = 128 };

/* The rise of the last step: its end is no value of 16 bits, but the values on
 * the way are known. */
static int32_t last_rise(const int16_t *way) {
  const int32_t about = (way[BETWEEN - 1] - way[0]) * BETWEEN / (BETWEEN - 1);
  for (int32_t rise = about - 3; rise <= about + 3; rise++) {
    bool fits = true;
    for (int32_t k = 0; fits && k < BETWEEN; k++)
      fits = way[k] == way[0] + ((rise * k + BETWEEN / 2) >> 7);
    if (fits)
      return rise;
  }
  return about;
}

ash_status ash_table16_by_reference(ash_ctx *ctx, int16_t out[STEPS + 1],
                                    const ash_graph *g, uint32_t op) {
  int16_t every[STEPS + BETWEEN], results[STEPS + BETWEEN];
  for (int32_t i = 0; i < STEPS; i++)
    every[i] = (int16_t)(i * BETWEEN - 32768);
  for (int32_t k = 0; k < BETWEEN; k++)
    every[STEPS + k] = (int16_t)(32768 - BETWEEN + k);
  ASH_TRY(run_alone(ctx, g, op, every, results, STEPS + BETWEEN));
  for (int32_t i = 0; i < STEPS; i++)
    out[i] = results[i];
  const int32_t end = results[STEPS] + last_rise(results + STEPS);
  out[STEPS] = (int16_t)(end > 32767 ? 32767 : end < -32768 ? -32768 : end);
  return ASH_OK;
}
