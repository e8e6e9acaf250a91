/* row_order.c - from the kernels to the ordering problem, and from its answer
 * to steps. Operators whose kernels cannot make single rows run whole. */
#include "plan/row_order.h"

#include "domain/rows.h"
#include "order/join.h"
#include "order/rows.h"

typedef struct ordering {
  ash_ctx *ctx;
  const ash_ask *ask;
  const ash_plan_options *options;
  bool *is_whole;     /* by op                                              */
  uint32_t *in_place; /* by op                                              */
  uint64_t *work;     /* by op: bytes                                       */
  bool has_work;
  ash_order_model model;
  ash_order_answer answer; /* the order                                     */
  ash_order_proof proof;
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

/* Of one step: kernels that make rows may need less than for all at once. */
static uint64_t work_of(const ordering *o, uint32_t op) {
  const ash_choice *choice = &o->ask->choices[op];
  const ash_op *x = &o->ask->graph->ops.items[op];
  const bool by_rows =
      o->options->order == ASH_ORDER_ROWS && !o->is_whole[op] &&
      ash_domain_row_count(&o->ask->graph->tensors.items[x->outputs[0]]) > 1;
  return by_rows ? choice->row_scratch : choice->scratch;
}

static ash_status ask_kernels(ordering *o) {
  const bool *is_whole = o->ask->is_whole;
  const ash_graph *g = o->ask->graph;
  ash_zone *z = &o->ctx->scratch;
  o->is_whole = ASH_NEW_ARRAY(z, bool, g->op_count + 1);
  o->in_place = ASH_NEW_ARRAY(z, uint32_t, g->op_count + 1);
  o->work = ASH_NEW_ARRAY(z, uint64_t, g->op_count + 1);
  ASH_TRY(ash_zone_check(o->ctx, z));
  for (uint32_t op = 0; op < g->op_count; op++) {
    ash_domain_row_rule rows;
    ASH_TRY(ash_domain_row_rule_of(o->ctx, &rows, g, op));
    o->is_whole[op] = (is_whole && is_whole[op]) || writes_variable(g, op) ||
                      !ash_kernel_runs_rows(o->ask->choices[op].kernel, g, op,
                                            rows.is_row_to_row);
    o->in_place[op] = in_place_of(o, op);
    o->work[op] = work_of(o, op);
    o->has_work = o->has_work || o->work[op] > 0;
  }
  return ASH_OK;
}

static ash_status make_model(ordering *o, ash_order_model *out,
                             const uint64_t *work) {
  const ash_order_ask ask = {.is_fed = o->ask->is_fed,
                             .is_drained = o->ask->is_drained,
                             .is_whole = o->is_whole,
                             .in_place = o->in_place,
                             .work = work};
  return ash_order_model_of(o->ctx, out, o->ask->graph, o->options->order,
                            &ask);
}

static ash_status find_best(ordering *o, const ash_order_model *m) {
  const ash_order_options options = {.ticks = o->options->order_ticks};
  ASH_TRY(ash_order_best(o->ctx, &o->answer, &m->problem, &options));
  o->proof.ticks += o->answer.ticks;
  return ASH_OK;
}

static ash_status count(ordering *o, uint64_t *peak, const ash_order_model *m,
                        const ash_order_answer *order) {
  ash_order_load load;
  const char *wrong = ash_order_count(o->ctx, &load, &m->problem, order->runs,
                                      order->run_count);
  ASH_TRY(ash_zone_check(o->ctx, &o->ctx->scratch));
  ASH_INVARIANT(o->ctx, !wrong);
  *peak = load.peak;
  return ASH_OK;
}

/* Of activations, and with work memory. */
static ash_status count_peaks(ordering *o, const ash_order_model *both) {
  ASH_TRY(count(o, &o->proof.peak, &o->model, &o->answer));
  return count(o, &o->proof.peak_with_work, both, &o->answer);
}

static const ash_order_model *keep_model(ordering *o,
                                         const ash_order_model *m) {
  ASH_ASSERT(m->problem.ops || m->problem.op_count == 0);
  return ash_zone_copy(&o->ctx->keep, m, sizeof *m);
}

/* Rows share their memory with the work memory of the kernels: the best order
 * of both together, unless that of the activations is wanted. */
static ash_status search_rows(ordering *o) {
  ash_order_model both = o->model;
  const ash_order_answer first = o->answer;
  ash_order_proof *proof = &o->proof;
  if (o->has_work) {
    ASH_TRY(make_model(o, &both, o->work));
    ASH_TRY(find_best(o, &both));
  }
  proof->bound_with_work = o->answer.bound;
  proof->model_with_work = keep_model(o, &both);
  if (o->ask->ignores_work)
    o->answer = first;
  ASH_TRY(count_peaks(o, &both));
  if (o->ask->join.rows > 0) {
    const ash_order_caps caps = {.all = proof->peak_with_work,
                                 .rows = proof->peak,
                                 .free = proof->peak_with_work *
                                         o->ask->join.free / 1000};
    ASH_TRY(ash_order_join(o->ctx, &o->answer, &both.problem, &caps,
                           o->ask->join.rows));
    ASH_TRY(count_peaks(o, &both));
  }
  ASH_ASSERT(proof->lower_bound <= proof->peak);
  ASH_ASSERT(proof->bound_with_work <= proof->peak_with_work);
  ASH_ASSERT(proof->peak <= proof->peak_with_work);
  if (proof->lower_bound < proof->peak)
    proof->verdict = ASH_FEASIBLE;
  return ASH_OK;
}

static ash_status search(ordering *o) {
  ASH_TRY(make_model(o, &o->model, NULL));
  o->proof.model = keep_model(o, &o->model);
  ASH_TRY(ash_zone_check(o->ctx, &o->ctx->keep));
  ASH_TRY(find_best(o, &o->model));
  o->proof.kind = o->options->order;
  o->proof.peak = o->answer.peak;
  o->proof.lower_bound = o->answer.bound;
  o->proof.verdict = o->answer.verdict;
  return o->options->order == ASH_ORDER_ROWS ? search_rows(o) : ASH_OK;
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

/* ---- whole operators ----------------------------------------------------- */

/* Steps under way. */
typedef struct putting {
  const ash_graph *g;
  const uint32_t *ops;   /* by op: itself, which steps point at              */
  const uint32_t *maker; /* by tensor: the view that makes it, or ASH_NO_ID   */
  bool *done;            /* by op                                            */
  ash_step *items;
  uint32_t count;
} putting;

static ash_step whole_step(const putting *p, uint32_t op) {
  ASH_ASSERT(op < p->g->op_count && !p->done[op]);
  return (ash_step){.ops = &p->ops[op], .op_count = 1, .input = 0};
}

/* The view that makes the tensor and has not run yet, or ASH_NO_ID. */
static uint32_t missing_view(const putting *p, uint32_t tensor) {
  const uint32_t view = tensor == ASH_NO_ID ? ASH_NO_ID : p->maker[tensor];
  return view == ASH_NO_ID || p->done[view] ? ASH_NO_ID : view;
}

/* The views that lead to the tensor, the first one first. */
static void put_views(putting *p, uint32_t tensor) {
  const ash_op *ops = p->g->ops.items;
  uint32_t view = missing_view(p, tensor), count = 0;
  for (; view != ASH_NO_ID; view = missing_view(p, ops[view].inputs[0]))
    count++;
  ASH_ASSERT(count <= p->g->op_count - p->count);
  p->count += count;
  view = missing_view(p, tensor);
  for (uint32_t i = 1; i <= count; i++) {
    p->items[p->count - i] = whole_step(p, view);
    p->done[view] = true;
    view = missing_view(p, ops[view].inputs[0]);
  }
}

/* The op, after the views that it reads and that have not run yet. */
static void put_op(putting *p, uint32_t op) {
  const ash_op *o = &p->g->ops.items[op];
  for (uint32_t k = 0; k < o->input_count; k++)
    put_views(p, o->inputs[k]);
  if (p->done[op])
    return;
  ASH_ASSERT(p->count < p->g->op_count);
  p->items[p->count++] = whole_step(p, op);
  p->done[op] = true;
}

/* Views, which the problem does not know, run when somebody reads them. */
static ash_status make_whole_steps(ordering *o, ash_steps *out) {
  const ash_graph *g = o->ask->graph;
  ash_zone *z = &o->ctx->scratch;
  uint32_t *root = ASH_NEW_ARRAY(z, uint32_t, g->tensor_count + 1);
  uint32_t *maker = ASH_NEW_ARRAY(z, uint32_t, g->tensor_count + 1);
  uint32_t *ops = ASH_NEW_ARRAY(&o->ctx->keep, uint32_t, g->op_count + 1);
  putting p = {.g = g, .ops = ops, .maker = maker};
  p.done = ASH_NEW_ARRAY(z, bool, g->op_count + 1);
  p.items = ASH_NEW_ARRAY(&o->ctx->keep, ash_step, g->op_count + 1);
  ASH_TRY(ash_zone_check(o->ctx, z));
  ASH_TRY(ash_zone_check(o->ctx, &o->ctx->keep));
  ash_domain_row_roots(g, root);
  for (uint32_t t = 0; t < g->tensor_count; t++)
    maker[t] = ASH_NO_ID;
  for (uint32_t op = 0; op < g->op_count; op++) {
    ops[op] = op;
    if (ash_domain_row_is_view(g, root, op))
      maker[g->ops.items[op].outputs[0]] = op;
  }
  for (uint32_t i = 0; i < o->answer.run_count; i++)
    put_op(&p, o->model.op_of[o->answer.runs[i].op]);
  for (uint32_t op = 0; op < g->op_count; op++)
    put_op(&p, op);
  *out = (ash_steps){p.items, p.count};
  return ASH_OK;
}

/* The load of the order of the graph. */
static ash_status count_given(ordering *o, uint64_t *given) {
  const uint32_t ops = o->model.problem.op_count;
  ash_zone *z = &o->ctx->scratch;
  ash_order_run *runs = ASH_NEW_ARRAY(z, ash_order_run, ops + 1u);
  ASH_TRY(ash_zone_check(o->ctx, z));
  for (uint32_t i = 0; i < ops; i++)
    runs[i] = (ash_order_run){i, 0, o->model.problem.ops[i].steps};
  return count(o, given, &o->model,
               &(ash_order_answer){.runs = runs, .run_count = ops});
}

static ash_status find(ordering *o, ash_steps *steps, ash_order_proof *proof,
                       uint64_t *given) {
  ASH_TRY(ask_kernels(o));
  ASH_TRY(search(o));
  *proof = o->proof;
  if (given)
    ASH_TRY(count_given(o, given));
  return o->options->order == ASH_ORDER_ROWS ? make_steps(o, steps)
                                             : make_whole_steps(o, steps);
}

ash_status ash_plan_find_order(ash_ctx *ctx, ash_steps *steps,
                               ash_order_proof *proof, uint64_t *given,
                               const ash_ask *ask,
                               const ash_plan_options *options) {
  ASH_ASSERT(options->order == ASH_ORDER_ROWS ||
             options->order == ASH_ORDER_OPERATORS);
  ordering o = {.ctx = ctx, .ask = ask, .options = options};
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  const ash_status status = find(&o, steps, proof, given);
  ash_zone_rewind(&ctx->scratch, mark);
  return status;
}
