/* tflite_flow.c - IF and WHILE whose course is known: the branch that is taken
 * and every round of the loop are written out. A condition is known when it is
 * a constant, or follows from constants; operators on constants inside loops
 * are computed as they are read, so that counters count. */
#include "read/tflite/tflite_internal.h"

enum {
  IF = 118,
  WHILE = 119,
  FIRST = 0, /* options: then or condition, else or body */
  SECOND = 1,
  OPTIONS = 4,         /* of an operator */
  FOLDED_MAX = 1 << 16 /* bytes */
};

bool ash_tflite_is_flow(int32_t code) {
  return code == IF || code == WHILE;
}

static int32_t subgraph_of(const ash_tflite *r, uint32_t op, uint32_t which) {
  const ash_fb_table options = ash_fb_sub(&r->ops[op].table, OPTIONS);
  return ash_fb_i32(&options, which, 0);
}

bool ash_tflite_flow_runs(const ash_tflite *r, uint32_t op, uint32_t subgraph) {
  return ash_tflite_is_flow(r->ops[op].code->builtin) &&
         (subgraph_of(r, op, FIRST) == (int32_t)subgraph ||
          subgraph_of(r, op, SECOND) == (int32_t)subgraph);
}

/* ---- operators ----------------------------------------------------------- */

static ash_status not_known(const ash_tflite *r, uint32_t op) {
  const ash_status status = ash_fail(
      r->ctx, ASH_UNSUPPORTED, ASH_D_op_options, ash_tflite_at_op(r, op),
      "the condition is only known when the model runs");
  ash_hint(r->ctx, "IF and WHILE must be decided by constants: then they are "
                   "written out");
  return status;
}

static ash_status read_truth(const ash_tflite *r, uint32_t op, uint32_t tensor,
                             bool *out) {
  const ash_tensor *t = &r->g->tensors.items[tensor];
  if (t->kind != ASH_TENSOR_CONSTANT || !t->data || t->type != ASH_BOOL ||
      ash_shape_elements(&t->shape) != 1)
    return not_known(r, op);
  *out = t->data[0] != 0;
  return ASH_OK;
}

/* The operator's outputs are what the subgraph made. */
static ash_status put_results(ash_tflite *r, uint32_t op,
                              const uint32_t *made) {
  for (uint32_t i = 0; i < r->ops[op].output_count; i++) {
    uint32_t out = r->uses[r->ops[op].outputs[i]].graph, from = made[i], index;
    if (r->uses[r->ops[op].outputs[i]].loose)
      ash_tflite_copy_shape(r, from, out);
    const char *id =
        ash_zone_format(&r->ctx->scratch, "flow_%s%u_%u",
                        r->prefix ? r->prefix : "", (unsigned)op, (unsigned)i);
    ASH_TRY(ash_zone_check(r->ctx, &r->ctx->scratch));
    ASH_TRY(ash_graph_add_op(r->g, &index,
                             (ash_op){.kind = ASH_OP_reshape,
                                      .id = id,
                                      .source_index = op,
                                      .input_count = 1,
                                      .output_count = 1,
                                      .inputs = &from,
                                      .outputs = &out}));
  }
  return ASH_OK;
}

/* The graph's tensors behind the operator's inputs from `first` on. */
static ash_status take_inputs(const ash_tflite *r, uint32_t op, uint32_t first,
                              uint32_t **out) {
  const ash_tflite_op *from = &r->ops[op];
  *out = ASH_NEW_ARRAY(&r->ctx->scratch, uint32_t, from->input_count + 1u);
  ASH_TRY(ash_zone_check(r->ctx, &r->ctx->scratch));
  for (uint32_t i = first; i < from->input_count; i++) {
    if (from->inputs[i] == ASH_NO_ID)
      return ash_fail(r->ctx, ASH_MALFORMED, ASH_D_op_arity,
                      ash_tflite_at_op(r, op), "an input is absent");
    (*out)[i - first] = r->uses[from->inputs[i]].graph;
  }
  return ASH_OK;
}

static ash_status add_if(ash_tflite *r, uint32_t op) {
  const ash_tflite_op *from = &r->ops[op];
  uint32_t *given;
  bool truth;
  if (from->input_count < 1 || from->inputs[0] == ASH_NO_ID)
    return not_known(r, op);
  ASH_TRY(read_truth(r, op, r->uses[from->inputs[0]].graph, &truth));
  ASH_TRY(take_inputs(r, op, 1, &given));
  uint32_t *made =
      ASH_NEW_ARRAY(&r->ctx->scratch, uint32_t, from->output_count + 1u);
  ASH_TRY(ash_zone_check(r->ctx, &r->ctx->scratch));
  ASH_TRY(ash_tflite_write_out(
      r, op, subgraph_of(r, op, truth ? FIRST : SECOND), given,
      from->input_count - 1, made, from->output_count));
  return put_results(r, op, made);
}

static ash_status add_while(ash_tflite *r, uint32_t op) {
  const ash_tflite_op *from = &r->ops[op];
  uint32_t *state, condition;
  bool truth;
  if (from->input_count != from->output_count)
    return ash_fail(r->ctx, ASH_MALFORMED, ASH_D_op_arity,
                    ash_tflite_at_op(r, op),
                    "a loop needs as many outputs as inputs");
  ASH_TRY(take_inputs(r, op, 0, &state));
  for (;;) {
    size_t first = r->g->op_count;
    ASH_TRY(ash_tflite_write_out(r, op, subgraph_of(r, op, FIRST), state,
                                 from->input_count, &condition, 1));
    ASH_TRY(ash_tflite_fold(r, first, FOLDED_MAX));
    ASH_TRY(read_truth(r, op, condition, &truth));
    if (!truth)
      return put_results(r, op, state);
    first = r->g->op_count;
    ASH_TRY(ash_tflite_write_out(r, op, subgraph_of(r, op, SECOND), state,
                                 from->input_count, state, from->input_count));
    ASH_TRY(ash_tflite_fold(r, first, FOLDED_MAX));
  }
}

ash_status ash_tflite_add_flow(ash_tflite *r, uint32_t op) {
  ash_tflite_spread_loose(r, op);
  return r->ops[op].code->builtin == IF ? add_if(r, op) : add_while(r, op);
}
