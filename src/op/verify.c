/* verify.c - is this graph well formed? Each check a function; the first
 * contradiction is reported with its place. */
#include "op/verify.h"

#include "base/sort.h"
#include "op/shape/shape.h"

#include <string.h>

static ash_status bad(ash_ctx *ctx, const ash_graph *g, uint32_t op,
                      uint32_t tensor, ash_diag_id id, const char *what) {
  return ash_fail(ctx, ASH_MALFORMED, id, ash_graph_loc(g, op, tensor), "%s",
                  what);
}

static ash_status check_tensor(ash_ctx *ctx, const ash_graph *g, uint32_t i) {
  const ash_tensor *t = &g->tensors.items[i];
  uint64_t bytes;
  if (t->type == ASH_NONE || t->type >= ASH_TYPE_COUNT)
    return bad(ctx, g, ASH_NO_ID, i, ASH_D_graph_type, "tensor has no type");
  if (!ash_shape_bytes(&bytes, &t->shape, t->type) || bytes != t->bytes)
    return bad(ctx, g, ASH_NO_ID, i, ASH_D_graph_shape,
               "tensor's bytes disagree with its shape");
  if (t->kind == ASH_TENSOR_CONSTANT && !t->data && t->bytes)
    return bad(ctx, g, ASH_NO_ID, i, ASH_D_graph_constant,
               "constant tensor has no data");
  if (t->quant.count > 1 &&
      (t->quant.axis < 0 || (uint32_t)t->quant.axis >= t->shape.rank ||
       (uint32_t)t->shape.dim[t->quant.axis] != t->quant.count))
    return bad(ctx, g, ASH_NO_ID, i, ASH_D_graph_quant,
               "as many scales are needed as the quantised axis is long");
  return ASH_OK;
}

static bool knows_attr(const char *list, const char *name) {
  const size_t n = strlen(name);
  for (const char *p = list; p && (p = strstr(p, name)) != NULL; p += n)
    if ((p == list || p[-1] == ' ') &&
        (p[n] == '\0' || p[n] == ' ' || p[n] == '='))
      return true;
  return false;
}

static ash_status check_arity(ash_ctx *ctx, const ash_graph *g, uint32_t i) {
  const ash_op *op = &g->ops.items[i];
  const ash_op_info *info = ash_kind_info(op->kind);
  const bool many = info->flags & ASH_OP_VARIADIC;
  if (op->input_count < info->inputs_min ||
      (!many && op->input_count > info->inputs_max) ||
      (info->outputs && op->output_count != info->outputs))
    return ash_fail(ctx, ASH_MALFORMED, ASH_D_graph_arity,
                    ash_graph_loc(g, i, ASH_NO_ID),
                    "%u inputs and %u outputs are not what this operator has",
                    (unsigned)op->input_count, (unsigned)op->output_count);
  for (uint32_t k = 0; k < op->attr_count; k++)
    if (!knows_attr(info->attrs, op->attrs[k].name))
      return ash_fail(ctx, ASH_MALFORMED, ASH_D_graph_attr,
                      ash_graph_loc(g, i, ASH_NO_ID), "unknown attribute '%s'",
                      op->attrs[k].name);
  return ASH_OK;
}

/* `made` marks tensors whose value exists before this op runs. */
static ash_status check_flow(ash_ctx *ctx, const ash_graph *g, uint32_t i,
                             bool *made) {
  const ash_op *op = &g->ops.items[i];
  for (uint32_t k = 0; k < op->input_count; k++) {
    const uint32_t t = op->inputs[k];
    if (t == ASH_NO_ID)
      continue;
    if (t >= g->tensor_count)
      return bad(ctx, g, i, ASH_NO_ID, ASH_D_graph_id,
                 "an input's tensor index is out of range");
    if (!made[t])
      return bad(ctx, g, i, t, ASH_D_graph_order,
                 "this tensor is read before anything writes it");
  }
  for (uint32_t k = 0; k < op->output_count; k++) {
    const uint32_t t = op->outputs[k];
    if (t >= g->tensor_count)
      return bad(ctx, g, i, ASH_NO_ID, ASH_D_graph_id,
                 "an output's tensor index is out of range");
    if (made[t] && g->tensors.items[t].kind != ASH_TENSOR_VARIABLE)
      return bad(ctx, g, i, t, ASH_D_graph_producer,
                 "this tensor is written twice, or is an input or constant");
    made[t] = true;
  }
  return ASH_OK;
}

static ash_status check_shapes(ash_ctx *ctx, const ash_graph *g, uint32_t i) {
  const ash_op *op = &g->ops.items[i];
  char declared[ASH_SHAPE_TEXT], made[ASH_SHAPE_TEXT];
  ash_shape *want = ASH_NEW_ARRAY(&ctx->scratch, ash_shape,
                                  op->output_count ? op->output_count : 1);
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  ASH_TRY(ash_infer_shape(ctx, g, i, want));
  for (uint32_t k = 0; k < op->output_count; k++)
    if (!ash_shape_equal(&want[k], &ash_op_out(g, op, k)->shape))
      return ash_fail(ctx, ASH_MALFORMED, ASH_D_graph_shape,
                      ash_graph_loc(g, i, op->outputs[k]),
                      "declared as %s, the operator makes %s of its inputs",
                      ash_shape_text(declared, &ash_op_out(g, op, k)->shape),
                      ash_shape_text(made, &want[k]));
  return ASH_OK;
}

static ash_status check_ends(ash_ctx *ctx, const ash_graph *g,
                             const bool *made) {
  for (size_t i = 0; i < g->input_count; i++)
    if (g->inputs[i] >= g->tensor_count ||
        g->tensors.items[g->inputs[i]].kind != ASH_TENSOR_INPUT)
      return bad(ctx, g, ASH_NO_ID, g->inputs[i], ASH_D_graph_id,
                 "the model lists an input that is not one");
  for (size_t i = 0; i < g->output_count; i++)
    if (g->outputs[i] >= g->tensor_count || !made[g->outputs[i]])
      return bad(ctx, g, ASH_NO_ID, g->outputs[i], ASH_D_graph_producer,
                 "nothing writes this output of the model");
  if (g->output_count == 0)
    return bad(ctx, g, ASH_NO_ID, ASH_NO_ID, ASH_D_graph_producer,
               "the model has no output");
  return ASH_OK;
}

static int by_text(const void *a, const void *b, const void *user) {
  (void)user;
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static ash_status check_unique(ash_ctx *ctx, const ash_graph *g,
                               const char **names, size_t count,
                               const char *what) {
  const char **spare = ASH_NEW_ARRAY(&ctx->scratch, const char *, count + 1);
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  ash_sort(names, spare, count, sizeof *names, by_text, NULL);
  for (size_t i = 1; i < count; i++)
    if (strcmp(names[i - 1], names[i]) == 0)
      return ash_fail(ctx, ASH_MALFORMED, ASH_D_graph_id,
                      ash_graph_loc(g, ASH_NO_ID, ASH_NO_ID),
                      "two %s have the id '%s'", what, names[i]);
  return ASH_OK;
}

/* Ids of operators become parts of C names. */
static bool is_name(const char *id) {
  for (const char *p = id; *p; p++)
    if (!((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
          (*p >= '0' && *p <= '9') || *p == '_'))
      return false;
  return *id != '\0';
}

static ash_status check_ids(ash_ctx *ctx, const ash_graph *g) {
  const size_t most =
      g->tensor_count > g->op_count ? g->tensor_count : g->op_count;
  const char **names = ASH_NEW_ARRAY(&ctx->scratch, const char *, most + 1);
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  for (size_t i = 0; i < g->tensor_count; i++)
    names[i] = g->tensors.items[i].id;
  ASH_TRY(check_unique(ctx, g, names, g->tensor_count, "tensors"));
  for (uint32_t i = 0; i < g->op_count; i++) {
    names[i] = g->ops.items[i].id;
    if (!is_name(names[i]))
      return bad(ctx, g, i, ASH_NO_ID, ASH_D_graph_id,
                 "an operator's id must be letters, digits and underscores");
  }
  return check_unique(ctx, g, names, g->op_count, "operators");
}

static ash_status verify(ash_ctx *ctx, const ash_graph *g) {
  bool *made = ASH_NEW_ARRAY(&ctx->scratch, bool, g->tensor_count + 1);
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  for (uint32_t i = 0; i < g->tensor_count; i++) {
    ASH_TRY(check_tensor(ctx, g, i));
    made[i] = g->tensors.items[i].kind != ASH_TENSOR_ACTIVATION;
  }
  for (uint32_t i = 0; i < g->op_count; i++) {
    ASH_TRY(check_arity(ctx, g, i));
    ASH_TRY(check_flow(ctx, g, i, made));
    ASH_TRY(check_shapes(ctx, g, i));
  }
  ASH_TRY(check_ends(ctx, g, made));
  return check_ids(ctx, g);
}

ash_status ash_op_verify(ash_ctx *ctx, const ash_graph *g) {
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  const ash_status status = verify(ctx, g);
  ash_zone_rewind(&ctx->scratch, mark);
  return status;
}
