/* variants.c - which operators keep their fast kernels.
 *
 * The choice is made by planning: if all without their work memory fit, then as
 * long as the memory does not suffice, the operator at the highest peak gives
 * up its work memory. At the end those who gave it up early try again: the
 * later ones may have made room for them too. What fits nowhere costs two
 * plans. */
#include "plan/variants.h"

#include "graph/graph.h"
#include "plan/planner.h"

typedef struct chooser {
  ash_ctx *ctx;
  const ash_graph *g;
  const ash_target *target;
  ash_ask ask;         /* with choices of its own:                         */
  ash_choice *choices; /* by op                                            */
  const ash_plan_options *options;
  uint64_t *alive;   /* by op: bytes of activations while it runs          */
  uint32_t *dropped; /* ops that gave up their kernels, in this order      */
  uint32_t count;
} chooser;

/* Bytes alive at every operator: what each tensor adds where it is made and
 * takes back after its last use, summed up. */
static void add_alive(chooser *c, const size_t *last, uint32_t tensor,
                      size_t first) {
  ASH_ASSERT(tensor < c->g->tensor_count && last[tensor] < c->g->op_count);
  const uint64_t bytes = c->g->tensors.items[tensor].bytes;
  c->alive[first] += bytes;
  c->alive[(last[tensor] > first ? last[tensor] : first) + 1] -= bytes;
}

static ash_status find_last(const chooser *c, size_t **out) {
  const ash_graph *g = c->g;
  size_t *last = ASH_NEW_ARRAY(&c->ctx->scratch, size_t, g->tensor_count + 1);
  ASH_TRY(ash_zone_check(c->ctx, &c->ctx->scratch));
  for (size_t op = 0; op < g->op_count; op++)
    for (uint32_t k = 0; k < g->ops.items[op].input_count; k++)
      if (g->ops.items[op].inputs[k] != ASH_NO_ID)
        last[g->ops.items[op].inputs[k]] = op;
  for (size_t i = 0; i < g->output_count && g->op_count > 0; i++)
    last[g->outputs[i]] = g->op_count - 1;
  ASH_ASSERT(last != NULL);
  *out = last;
  return ASH_OK;
}

static ash_status start(chooser *c) {
  const ash_graph *g = c->g;
  size_t *last;
  ASH_TRY(find_last(c, &last));
  c->alive = ASH_NEW_ARRAY(&c->ctx->scratch, uint64_t, g->op_count + 2);
  c->dropped = ASH_NEW_ARRAY(&c->ctx->scratch, uint32_t, g->op_count + 1);
  c->choices = ASH_NEW_ARRAY(&c->ctx->scratch, ash_choice, g->op_count + 1);
  ASH_TRY(ash_zone_check(c->ctx, &c->ctx->scratch));
  for (size_t op = 0; op < g->op_count; op++)
    c->choices[op] = c->ask.choices[op];
  c->ask.choices = c->choices;
  for (size_t i = 0; i < g->input_count && g->op_count > 0; i++)
    add_alive(c, last, g->inputs[i], 0);
  for (size_t op = 0; op < g->op_count; op++)
    for (uint32_t k = 0; k < g->ops.items[op].output_count; k++)
      add_alive(c, last, g->ops.items[op].outputs[k], op);
  for (size_t op = 1; op < g->op_count; op++)
    c->alive[op] += c->alive[op - 1];
  return ASH_OK;
}

/* The fast operator with work memory at the highest peak; false: none. */
static bool drop_one(chooser *c) {
  uint32_t best = ASH_NO_ID;
  uint64_t most = 0;
  for (uint32_t op = 0; op < c->g->op_count; op++) {
    const uint64_t work = c->choices[op].given_up ? 0 : c->choices[op].scratch;
    if (work != 0 && c->alive[op] + work > most) {
      most = c->alive[op] + work;
      best = op;
    }
  }
  if (best == ASH_NO_ID)
    return false;
  c->choices[best] = ash_choose_small(c->g, best, c->target);
  ASH_ASSERT(c->count < c->g->op_count);
  c->dropped[c->count++] = best;
  return true;
}

/* Work memory for each core may be what does not fit: then one core runs. */
static ash_status plan(chooser *c, const ash_plan **out) {
  const size_t diags = c->ctx->diag_count;
  const ash_status status = ash_plan_once(c->ctx, out, &c->ask, c->options);
  if (status != ASH_NOFIT || c->options->cores < 2)
    return status;
  ash_plan_options one = *c->options;
  one.cores = 1;
  c->ctx->diag_count = diags;
  return ash_plan_once(c->ctx, out, &c->ask, &one);
}

static void restart(chooser *c) {
  ASH_ASSERT(c->count <= c->g->op_count);
  for (uint32_t i = 0; i < c->count; i++)
    c->choices[c->dropped[i]] = ash_choose(c->g, c->dropped[i], c->target);
  c->count = 0;
}

/* Drops all. Whatever fits with some of the fast kernels, does it fit with the
 * small ones? They may run by rows and in place where the others may. */
static bool drop_all(chooser *c) {
  bool is_sure = true;
  for (uint32_t i = 0; drop_one(c); i++) {
    const ash_choice fast = ash_choose(c->g, c->dropped[i], c->target);
    const ash_kernel *x = fast.kernel, *y = c->choices[c->dropped[i]].kernel;
    ASH_ASSERT(x != NULL);
    is_sure =
        is_sure && (y->lines || !x->lines) && !(x->in_place & ~y->in_place);
  }
  return is_sure && c->count > 1;
}

/* ASH_NOFIT is told of all operators without work memory. */
static ash_status drop_until_it_fits(chooser *c, const ash_plan **out) {
  const size_t diags = c->ctx->diag_count;
  ash_status status = plan(c, out);
  if (status == ASH_NOFIT && drop_all(c)) {
    c->ctx->diag_count = diags;
    status = plan(c, out);
    if (status != ASH_OK)
      return status;
    status = ASH_NOFIT;
  }
  restart(c);
  while (status == ASH_NOFIT && drop_one(c)) {
    c->ctx->diag_count = diags;
    status = plan(c, out);
  }
  return status;
}

/* The last one to give up was needed for sure. */
static ash_status restore(chooser *c, const ash_plan **out) {
  const size_t diags = c->ctx->diag_count;
  for (uint32_t i = 0; i + 1 < c->count; i++) {
    const uint32_t op = c->dropped[i];
    const ash_choice small = c->choices[op];
    const ash_plan *better;
    ASH_ASSERT(op < c->g->op_count);
    c->choices[op] = ash_choose(c->g, op, c->target);
    const ash_status status = plan(c, &better);
    if (status != ASH_OK && status != ASH_NOFIT)
      return status;
    if (status == ASH_OK)
      *out = better;
    else
      c->choices[op] = small;
    c->ctx->diag_count = status == ASH_OK ? c->ctx->diag_count : diags;
  }
  return ASH_OK;
}

static void tell(chooser *c) {
  for (uint32_t op = 0; op < c->g->op_count; op++) {
    const char *reason = ash_choice_reason(c->ctx, &c->choices[op]);
    if (c->choices[op].given_up)
      ash_note(c->ctx, ASH_D_plan_small_kernel,
               ash_graph_loc(c->g, op, ASH_NO_ID), "runs %s", reason);
  }
}

ash_status ash_plan_variants(ash_ctx *ctx, const ash_plan **out,
                             const ash_ask *ask, const ash_target *target,
                             const ash_plan_options *options) {
  chooser c = {.ctx = ctx,
               .g = ask->graph,
               .target = target,
               .ask = *ask,
               .options = options};
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  ash_status status = start(&c);
  if (status == ASH_OK)
    status = drop_until_it_fits(&c, out);
  if (status == ASH_OK)
    status = restore(&c, out);
  if (status == ASH_OK)
    tell(&c);
  ash_zone_rewind(&ctx->scratch, mark);
  return status;
}
