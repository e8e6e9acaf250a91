/* row_order.c - from the kernels to the ordering problem, and from its answer
 * to steps. Operators whose kernels cannot make single rows run whole. */
#include "plan/row_order.h"

#include "domain/rows.h"
#include "order/rows.h"

typedef struct ordering {
  ash_ctx *ctx;
  const ash_ask *ask;
  const ash_plan_options *options;
  bool *is_whole;     /* by op                                              */
  uint32_t *in_place; /* by op                                              */
  ash_order_model model;
  ash_order_answer answer;
} ordering;

static uint32_t in_place_of(const ordering *o, uint32_t op) {
  const ash_kernel *kernel = o->ask->choices[op].kernel;
  const ash_graph *g = o->ask->graph;
  uint32_t bits = 0;
  for (uint32_t k = 0; kernel && k < g->ops.items[op].input_count && k < 32;
       k++)
    if (ash_kernel_in_place(kernel, g, op, k))
      bits |= 1u << k;
  return o->options->no_in_place ? 0 : bits;
}

/* Variables have no rows: they are read and written in the order of the graph.
 */
static bool writes_variable(const ash_graph *g, uint32_t op) {
  const ash_op *o = &g->ops.items[op];
  for (uint32_t k = 0; k < o->output_count; k++)
    if (g->tensors.items[o->outputs[k]].kind == ASH_TENSOR_VARIABLE)
      return true;
  return false;
}

static ash_status ask_kernels(ordering *o, const bool *is_whole) {
  const ash_graph *g = o->ask->graph;
  ash_zone *z = &o->ctx->scratch;
  o->is_whole = ASH_NEW_ARRAY(z, bool, g->op_count + 1);
  o->in_place = ASH_NEW_ARRAY(z, uint32_t, g->op_count + 1);
  ASH_TRY(ash_zone_check(o->ctx, z));
  for (uint32_t op = 0; op < g->op_count; op++) {
    ash_op_rows rows;
    ASH_TRY(ash_op_rows_of(o->ctx, &rows, g, op));
    o->is_whole[op] = (is_whole && is_whole[op]) || writes_variable(g, op) ||
                      !ash_kernel_runs_rows(o->ask->choices[op].kernel, g, op,
                                            rows.is_row_to_row);
    o->in_place[op] = in_place_of(o, op);
  }
  return ASH_OK;
}

static ash_status search(ordering *o) {
  const ash_order_ask ask = {.is_fed = o->ask->is_fed,
                             .is_drained = o->ask->is_drained,
                             .is_whole = o->is_whole,
                             .in_place = o->in_place};
  const ash_order_options options = {.ticks = o->options->order_ticks};
  ASH_TRY(ash_order_model_of(o->ctx, &o->model, o->ask->graph,
                             o->options->order, &ask));
  return ash_order_best(o->ctx, &o->answer, &o->model.problem, &options);
}

/* Step `n` of an operator of the problem. Rows are those of its first result;
 * what has one step runs whole. */
static ash_step step_of(const ordering *o, uint32_t op, uint32_t n) {
  const ash_order_op *x = &o->model.problem.ops[op];
  ash_step s = {.ops = &o->model.op_of[op], .op_count = 1, .input = ASH_NO_ID};
  if (o->model.op_of[op] == ASH_NO_ID) {
    s.op_count = 0;
    s.input = o->model.tensor_of[x->writes[0].tensor];
  }
  if (s.op_count == 0 || x->steps > 1) {
    ASH_ASSERT(x->write_count > 0 && n < x->steps);
    s.first_row = x->writes[0].rows[n].from;
    s.row_count = x->writes[0].rows[n].to - s.first_row;
  }
  return s;
}

static ash_status make_steps(ordering *o, ash_steps *out) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < o->answer.run_count; i++)
    count += o->answer.runs[i].count;
  ash_step *items = ASH_NEW_ARRAY(&o->ctx->keep, ash_step, count + 1u);
  ASH_TRY(ash_zone_check(o->ctx, &o->ctx->keep));
  count = 0;
  for (uint32_t i = 0; i < o->answer.run_count; i++) {
    const ash_order_run *run = &o->answer.runs[i];
    for (uint32_t n = 0; n < run->count; n++)
      items[count++] = step_of(o, run->op, run->first + n);
  }
  *out = (ash_steps){items, count};
  return ASH_OK;
}

static ash_status find(ordering *o, ash_steps *steps, ash_order_proof *proof,
                       const bool *is_whole) {
  ASH_TRY(ask_kernels(o, is_whole));
  ASH_TRY(search(o));
  *proof = (ash_order_proof){.kind = o->options->order,
                             .peak = o->answer.peak,
                             .lower_bound = o->answer.bound,
                             .verdict = o->answer.verdict,
                             .ticks = o->answer.ticks};
  return make_steps(o, steps);
}

ash_status ash_plan_find_order(ash_ctx *ctx, ash_steps *steps,
                               ash_order_proof *proof, const ash_ask *ask,
                               const ash_plan_options *options,
                               const bool *is_whole) {
  ASH_ASSERT(options->order == ASH_ORDER_ROWS ||
             options->order == ASH_ORDER_OPERATORS);
  ordering o = {.ctx = ctx, .ask = ask, .options = options};
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  const ash_status status = find(&o, steps, proof, is_whole);
  ash_zone_rewind(&ctx->scratch, mark);
  return status;
}
