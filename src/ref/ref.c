/* ref.c - the interpreter's loop: a value for every tensor, then one kernel
 * after the other in the order of the graph. */
#include "ref/ref.h"

#include "op/functions.h"
#include "op/verify.h"
#include "ref/ref_call.h"

#include <string.h>

static const struct {
  uint32_t row;
  ash_status (*run)(const ash_ref_call *c); /* NULL: none */
} kernels[ASH_ROW_COUNT] = {
#define OP(op, columns) [ASH_OP_##op] = {columns.row = ASH_OP_##op},
#define FN(fn, columns) [ASH_FN_ROW(fn)] = {columns.row = ASH_FN_ROW(fn)},
#define REF(kernel)     .run = ash_ref_##kernel,
#include "op/ops.def"
#undef OP
};

bool ash_ref_knows(ash_op_kind kind) {
  return kind < ASH_OP_COUNT && kernels[kind].run != NULL;
}

/* Room for every tensor; constants and variables get their first value. */
static ash_status make_values(ash_ctx *ctx, const ash_graph *g, void **values) {
  for (size_t i = 0; i < g->tensor_count; i++) {
    const ash_tensor *t = &g->tensors.items[i];
    values[i] = ash_zone_alloc(&ctx->scratch, (size_t)t->bytes + 1, 1, 16);
    ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
    if (t->data && t->bytes)
      memcpy(values[i], t->data, (size_t)t->bytes);
  }
  return ASH_OK;
}

static ash_status show(const ash_ref_call *c, const ash_ref_watch *watch) {
  const void **outputs = ASH_NEW_ARRAY(&c->ctx->scratch, const void *,
                                       (size_t)c->op->output_count + 1);
  ASH_TRY(ash_zone_check(c->ctx, &c->ctx->scratch));
  for (uint32_t k = 0; k < c->op->output_count; k++)
    outputs[k] = ash_ref_write(c, k);
  watch->after(watch->user, c->g, c->index, outputs);
  return ASH_OK;
}

/* Quantised values have an arithmetic of their function; all others are taken
 * as they are stored. */
static ash_status run_kernel(const ash_ref_call *c) {
  return ash_op_is_scaled(c->g, c->op) ? kernels[ash_row_of(c->op)].run(c)
                                       : kernels[c->op->kind].run(c);
}

ash_status ash_ref_run_op(ash_ctx *ctx, const ash_graph *g, uint32_t op,
                          void *const *values) {
  const ash_ref_call call = {ctx, g, op, &g->ops.items[op], values};
  return run_kernel(&call);
}

static ash_status run_op(const ash_ref_call *c, const ash_ref_watch *watch) {
  if (!ash_ref_knows(c->op->kind))
    return ash_fail(c->ctx, ASH_UNSUPPORTED, ASH_D_ref_kernel,
                    ash_graph_loc(c->g, c->index, ASH_NO_ID),
                    "no reference kernel for %s", ash_op_text(c->op));
  ASH_TRY(run_kernel(c));
  return watch && watch->after ? show(c, watch) : ASH_OK;
}

/* ---- state --------------------------------------------------------------- */

typedef void visit_variable(const ash_tensor *t, void *value, uint8_t *kept);

/* Goes through the variables and their places in `state`. */
static uint64_t each_variable(const ash_graph *g, void *const *values,
                              uint8_t *state, visit_variable *visit) {
  uint64_t at = 0;
  for (size_t i = 0; i < g->tensor_count; i++) {
    const ash_tensor *t = &g->tensors.items[i];
    if (t->kind != ASH_TENSOR_VARIABLE)
      continue;
    if (visit)
      visit(t, values ? values[i] : NULL, state + at);
    at += t->bytes;
  }
  return at;
}

static void put_first(const ash_tensor *t, void *value, uint8_t *kept) {
  (void)value;
  memset(kept, 0, (size_t)t->bytes);
  if (t->data)
    memcpy(kept, t->data, (size_t)t->bytes);
}

static void restore(const ash_tensor *t, void *value, uint8_t *kept) {
  memcpy(value, kept, (size_t)t->bytes);
}

static void keep(const ash_tensor *t, void *value, uint8_t *kept) {
  memcpy(kept, value, (size_t)t->bytes);
}

uint64_t ash_ref_state_bytes(const ash_graph *g) {
  return each_variable(g, NULL, NULL, NULL);
}

void ash_ref_first_state(const ash_graph *g, void *state) {
  (void)each_variable(g, NULL, state, put_first);
}

/* ---- a run --------------------------------------------------------------- */

static ash_status run(ash_ctx *ctx, const ash_graph *g,
                      const void *const *inputs, void *const *outputs,
                      const ash_ref_watch *watch, void *state) {
  ASH_TRY(ash_op_verify(ctx, g));
  void **values = ASH_NEW_ARRAY(&ctx->scratch, void *, g->tensor_count + 1);
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  ASH_TRY(make_values(ctx, g, values));
  if (state)
    (void)each_variable(g, values, state, restore);
  for (size_t i = 0; i < g->input_count; i++)
    memcpy(values[g->inputs[i]], inputs[i],
           (size_t)g->tensors.items[g->inputs[i]].bytes);
  for (uint32_t i = 0; i < g->op_count; i++) {
    const ash_mark mark = ash_zone_mark(&ctx->scratch);
    const ash_ref_call call = {ctx, g, i, &g->ops.items[i], values};
    const ash_status status = run_op(&call, watch);
    ash_zone_rewind(&ctx->scratch, mark);
    ASH_TRY(status);
  }
  for (size_t i = 0; i < g->output_count; i++)
    memcpy(outputs[i], values[g->outputs[i]],
           (size_t)g->tensors.items[g->outputs[i]].bytes);
  if (state)
    (void)each_variable(g, values, state, keep);
  return ASH_OK;
}

static ash_status run_once(ash_ctx *ctx, const ash_graph *g,
                           const void *const *inputs, void *const *outputs,
                           const ash_ref_watch *watch, void *state) {
  ASH_TRY(ash_graph_need_constants(ctx, g));
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  const ash_status status = run(ctx, g, inputs, outputs, watch, state);
  ash_zone_rewind(&ctx->scratch, mark);
  return status;
}

ash_status ash_ref_run_watched(ash_ctx *ctx, const ash_graph *g,
                               const void *const *inputs, void *const *outputs,
                               const ash_ref_watch *watch) {
  return run_once(ctx, g, inputs, outputs, watch, NULL);
}

ash_status ash_ref_run_kept(ash_ctx *ctx, const ash_graph *g,
                            const void *const *inputs, void *const *outputs,
                            void *state) {
  return run_once(ctx, g, inputs, outputs, NULL, state);
}

ash_status ash_ref_run(ash_ctx *ctx, const ash_graph *g,
                       const void *const *inputs, void *const *outputs) {
  return ash_ref_run_watched(ctx, g, inputs, outputs, NULL);
}

/* ---- operators on constants, computed once and for all ------------------ */

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
