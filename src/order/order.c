/* order.c - the order the model came in, and orders from elsewhere. */
#include "order/order.h"

static ash_status order_as_given(ash_ctx *ctx, ash_steps *out,
                                 const ash_graph *g) {
  ash_zone *zone = &ctx->keep;
  uint32_t *ops = ASH_NEW_ARRAY(zone, uint32_t, g->op_count + 1);
  ash_step *steps = ASH_NEW_ARRAY(zone, ash_step, g->op_count + 1);
  ASH_TRY(ash_zone_check(ctx, zone));
  for (uint32_t i = 0; i < g->op_count; i++) {
    ops[i] = i;
    steps[i] = (ash_step){.ops = &ops[i], .op_count = 1};
  }
  *out = (ash_steps){.items = steps, .count = (uint32_t)g->op_count};
  return ASH_OK;
}

/* ---- orders from elsewhere ----------------------------------------------- */

typedef struct going {
  ash_ctx *ctx;
  const ash_graph *g;
  bool *done;     /* by op */
  uint32_t *user; /* by tensor: the op that makes it, or, of a variable, the
                     last op so far that uses it; ASH_NO_ID: none */
} going;

static ash_status refuse(const going *o, uint32_t op, const char *what) {
  return ash_fail(o->ctx, ASH_MISUSE, ASH_D_tiler_steps,
                  ash_graph_loc(o->g, op, ASH_NO_ID), "a schedule %s", what);
}

static bool is_variable(const going *o, uint32_t tensor) {
  return o->g->tensors.items[tensor].kind == ASH_TENSOR_VARIABLE;
}

static ash_status meet(going *o, uint32_t op, uint32_t tensor) {
  const uint32_t user = o->user[tensor];
  if (user == ASH_NO_ID)
    return ASH_OK;
  if (is_variable(o, tensor) ? user > op : user != op && !o->done[user])
    return refuse(o, op, "runs an operator before what it reads");
  return ASH_OK;
}

static ash_status go(going *o, uint32_t op) {
  if (op >= o->g->op_count || o->done[op])
    return refuse(o, op < o->g->op_count ? op : ASH_NO_ID,
                  "has an operator twice, or one that is not there");
  const ash_op *x = &o->g->ops.items[op];
  for (uint32_t k = 0; k < x->input_count + x->output_count; k++) {
    const uint32_t tensor =
        k < x->input_count ? x->inputs[k] : x->outputs[k - x->input_count];
    if (tensor == ASH_NO_ID)
      continue;
    ASH_TRY(meet(o, op, tensor));
    if (is_variable(o, tensor))
      o->user[tensor] = op;
  }
  o->done[op] = true;
  return ASH_OK;
}

static ash_status start(going *o) {
  ash_zone *z = &o->ctx->scratch;
  o->done = ASH_NEW_ARRAY(z, bool, o->g->op_count + 1);
  o->user = ASH_NEW_ARRAY(z, uint32_t, o->g->tensor_count + 1);
  ASH_TRY(ash_zone_check(o->ctx, z));
  for (size_t i = 0; i < o->g->tensor_count; i++)
    o->user[i] = ASH_NO_ID;
  for (uint32_t op = 0; op < o->g->op_count; op++)
    for (uint32_t k = 0; k < o->g->ops.items[op].output_count; k++)
      if (!is_variable(o, o->g->ops.items[op].outputs[k]))
        o->user[o->g->ops.items[op].outputs[k]] = op;
  return ASH_OK;
}

static ash_status check_order(ash_ctx *ctx, const ash_steps *steps,
                              const ash_graph *g) {
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  going o = {.ctx = ctx, .g = g};
  size_t count = 0;
  ash_status status = start(&o);
  for (uint32_t s = 0; s < steps->count; s++)
    for (uint32_t k = 0; status == ASH_OK && k < steps->items[s].op_count;
         k++, count++)
      status = go(&o, steps->items[s].ops[k]);
  if (status == ASH_OK && count != g->op_count)
    status = refuse(&o, ASH_NO_ID, "leaves operators out");
  ash_zone_rewind(&ctx->scratch, mark);
  return status;
}

ash_status ash_order_steps(ash_ctx *ctx, ash_steps *out, const ash_graph *g,
                           const ash_steps *given) {
  *out = (ash_steps){0};
  if (!given)
    return order_as_given(ctx, out, g);
  ASH_TRY(check_order(ctx, given, g));
  *out = *given;
  return ASH_OK;
}
