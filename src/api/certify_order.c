/* certify_order.c - why no order of its kind is better than a plan's: the
 * ordering problem, in the words of the plan's JSON, and evidence of its bounds
 * (docs/certificates.md). */
#include "ashlar/plan.h"

#include "order/certify.h"
#include "order/rows.h"
#include "plan/file/rows_json.h"
#include "plan/record/record.h"

#include <string.h>

typedef struct certifying {
  ash_ctx *ctx;
  const ash_plan *plan;
  const ash_graph *g;
  const ash_order_model *model, *with_work;
  ash_row_entries entries;
  ash_order_options options;
  ash_stream out;
} certifying;

/* The place of a tensor in the plan's JSON; false: it has none. */
static bool find_tensor(const certifying *c, uint32_t tensor, uint32_t *place) {
  const char *id = c->g->tensors.items[tensor].id;
  for (uint32_t i = 0; i < c->plan->slot_count; i++)
    if (ash_rows_begin(&c->entries, i) &&
        strcmp(c->plan->slots[i].id, id) == 0) {
      *place = c->entries.entry[i];
      return true;
    }
  return false;
}

/* "tensors": their places, rows, and bytes of a row. */
static bool put_tensors(certifying *c) {
  const ash_order_problem *p = &c->model->problem;
  uint32_t place = 0;
  ash_stream_put(&c->out, "tensors %lu\n", (unsigned long)p->tensor_count);
  for (uint32_t t = 0; t < p->tensor_count; t++) {
    if (!find_tensor(c, c->model->tensor_of[t], &place))
      return false;
    ash_stream_put(&c->out, "%lu %lu %llu\n", (unsigned long)place,
                   (unsigned long)p->tensors[t].rows,
                   (unsigned long long)p->tensors[t].row_bytes);
  }
  return true;
}

/* The place of an operator in the plan's JSON, which lists them by steps, or
 * once in an order of rows; -1 - K: it feeds input K. */
static int64_t place_of(const certifying *c, uint32_t i) {
  const ash_plan *p = c->plan;
  const uint32_t op = c->model->op_of[i];
  int64_t place = 0;
  if (op == ASH_NO_ID) {
    const uint32_t fed = c->model->problem.ops[i].writes->tensor;
    while (c->g->inputs[place] != c->model->tensor_of[fed])
      place++;
    return -1 - place;
  }
  if (ash_plan_in_rows(p))
    return op;
  for (uint32_t s = 0; s < p->steps.count; s++)
    for (uint32_t k = 0; k < p->steps.items[s].op_count; k++, place++)
      if (p->steps.items[s].ops[k] == op)
        return place;
  ASH_ASSERT(false);
  return place;
}

/* The rows of each step: from, to, of each read and write. */
static void put_steps(certifying *c, const ash_order_op *o) {
  const uint32_t uses = o->read_count + o->write_count;
  for (uint32_t step = 0; step < o->steps; step++)
    for (uint32_t k = 0; k < uses; k++) {
      const ash_order_access *a =
          k < o->read_count ? &o->reads[k] : &o->writes[k - o->read_count];
      ash_stream_put(&c->out, "%lu %lu%c", (unsigned long)a->rows[step].from,
                     (unsigned long)a->rows[step].to,
                     k + 1 < uses ? ' ' : '\n');
    }
}

static void put_ops(certifying *c) {
  const ash_order_problem *p = &c->model->problem;
  ASH_ASSERT(!c->with_work || c->with_work->problem.op_count == p->op_count);
  ash_stream_put(&c->out, "ops %lu\n", (unsigned long)p->op_count);
  for (uint32_t i = 0; i < p->op_count; i++) {
    const ash_order_op *o = &p->ops[i];
    ash_stream_put(&c->out, "%lld %lu %llu %lu %lu %lu",
                   (long long)place_of(c, i), (unsigned long)o->steps,
                   (unsigned long long)(c->with_work
                                            ? c->with_work->problem.ops[i].work
                                            : 0),
                   (unsigned long)o->in_place, (unsigned long)o->read_count,
                   (unsigned long)o->write_count);
    for (uint32_t k = 0; k < o->read_count; k++)
      ash_stream_put(&c->out, " %lu", (unsigned long)o->reads[k].tensor);
    for (uint32_t k = 0; k < o->write_count; k++)
      ash_stream_put(&c->out, " %lu", (unsigned long)o->writes[k].tensor);
    ash_stream_put(&c->out, "\n");
    put_steps(c, o);
  }
}

static bool show(certifying *c, const ash_order_model *m, uint64_t bound) {
  ASH_ASSERT(m && bound > 0);
  return ash_order_certify(c->ctx, &c->out, &m->problem, bound, &c->options) &&
         !c->out.failed;
}

static bool put_order(certifying *c) {
  const ash_order_proof *p = &c->plan->order;
  const bool in_rows = p->kind == ASH_ORDER_ROWS;
  ASH_ASSERT(p->lower_bound <= p->peak);
  ash_stream_put(&c->out, "order %s\n", in_rows ? "rows" : "operators");
  if (!put_tensors(c))
    return false;
  put_ops(c);
  if (!show(c, p->model, p->lower_bound))
    return false;
  /* what the activations need is needed with work memory, too */
  return !in_rows || p->bound_with_work <= p->lower_bound ||
         show(c, p->model_with_work, p->bound_with_work);
}

ash_status ash_plan_certify_order(ash_ctx *ctx, bool *certified,
                                  const ash_plan *plan, const ash_graph *g,
                                  uint64_t ticks, ash_text_writer *write,
                                  void *user) {
  ASH_NEED(ctx, ctx && certified && plan && g && write);
  const ash_order_proof *p = &plan->order;
  *certified = false;
  if ((p->kind != ASH_ORDER_ROWS && p->kind != ASH_ORDER_OPERATORS) ||
      !p->model || (p->kind == ASH_ORDER_ROWS && !p->model_with_work) ||
      p->lower_bound == 0)
    return ASH_OK;
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  certifying *c = ASH_NEW(&ctx->scratch, certifying);
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  *c = (certifying){.ctx = ctx,
                    .plan = plan,
                    .g = g,
                    .model = p->model,
                    .with_work = p->model_with_work,
                    .options = {.ticks = ticks}};
  ASH_TRY(ash_rows_entries(ctx, &c->entries, plan));
  ash_stream_init(&c->out, write, user);
  *certified = put_order(c);
  ash_stream_flush(&c->out);
  *certified = *certified && !c->out.failed;
  const ash_status status = ash_zone_check(ctx, &ctx->scratch);
  ash_zone_rewind(&ctx->scratch, mark);
  return status;
}
