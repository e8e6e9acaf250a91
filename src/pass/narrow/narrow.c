/* narrow.c - integers are stored in the narrowest type that holds them.
 *
 *   x: float32, integers, -128 to 127      x: int8
 *   y = conv_2d(x, w)               ->  y = conv_2d(x, w)  int32
 *   z = cast(y)  int64                  (z is y)
 *
 * Networks whose integers come as floats (Deeploy's, QuantLib's), and integers
 * that are wider than what they hold. An operator is rewritten if the ranges of
 * what it reads and makes are proved; others get their operands cast back. So
 * do the outputs of the graph. */
#include "pass/pass.h"

#include "graph/compact.h"
#include "op/verify.h"
#include "pass/narrow/narrow.h"
#include "pass/narrow/ranges.h"

#include <string.h>

/* ---- tensors ------------------------------------------------------------- */

bool ash_narrow_is_integer(ash_type type) {
  return type != ASH_BOOL && ash_range_of_type(type).known &&
         ash_type_bits(type) >= 8;
}

/* The type for a range; int64 as far as doubles would be exact, too. */
ash_type ash_narrow_smallest(const ash_range *r) {
  const int64_t most = (int64_t)1 << 53;
  const ash_type type = ash_range_type(r);
  if (type == ASH_NONE && r->known && r->low >= -most && r->high <= most)
    return ASH_INT64;
  return type;
}

/* A tensor like `t`, of another type. */
ash_status ash_narrow_like(ash_narrow *w, uint32_t *out, uint32_t t,
                           ash_type type, const uint8_t *data) {
  ash_tensor made = *ash_narrow_tensor(w, t);
  made.id = ash_zone_format(&w->g->zone, "%s_%s_%u", made.id,
                            ash_type_text(type), (unsigned)w->made++);
  made.type = type;
  made.kind = data ? ASH_TENSOR_CONSTANT : ASH_TENSOR_ACTIVATION;
  made.data = data;
  made.file_byte = UINT64_MAX;
  made.is_output = false;
  made.quant = (ash_quant){0};
  ASH_TRY(ash_zone_check(w->ctx, &w->g->zone));
  w->changed = true;
  return ash_graph_add_tensor(w->g, out, made);
}

static void put_int(uint8_t *to, int64_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; i++)
    to[i] = (uint8_t)((uint64_t)value >> (8 * i));
}

static ash_status narrow_constant(ash_narrow *w, uint32_t *out, uint32_t t,
                                  ash_type type) {
  const ash_tensor *c = ash_narrow_tensor(w, t);
  const size_t width = ash_type_bits(type) / 8;
  const size_t count = (size_t)ash_shape_elements(&c->shape);
  uint8_t *data = ash_zone_alloc(&w->g->zone, count * width + 1, 1, 8);
  ASH_TRY(ash_zone_check(w->ctx, &w->g->zone));
  for (size_t i = 0; i < count; i++)
    put_int(data + i * width,
            c->type == ASH_FLOAT32 ? (int64_t)ash_tensor_float(c, i)
                                   : ash_tensor_int(c, i),
            width);
  return ash_narrow_like(w, out, t, type, data);
}

/* Adds `to = cast(from)`. */
static ash_status add_cast(ash_narrow *w, uint32_t from, uint32_t to,
                           uint32_t source) {
  uint32_t op;
  ash_attr fn = ASH_STRING_ATTR("fn", "cast");
  const char *id =
      ash_zone_format(&w->g->zone, "narrow_cast_%u", (unsigned)w->made++);
  ASH_TRY(ash_zone_check(w->ctx, &w->g->zone));
  return ash_graph_add_op(w->g, &op,
                          (ash_op){.kind = ASH_OP_map,
                                   .id = id,
                                   .source_index = source,
                                   .input_count = 1,
                                   .inputs = &from,
                                   .output_count = 1,
                                   .outputs = &to,
                                   .attr_count = 1,
                                   .attrs = &fn});
}

/* The values of `t` as an integer tensor of its smallest type: any operator
 * that takes integers of every width may read it. */
ash_status ash_narrow_operand(ash_narrow *w, uint32_t *out, uint32_t t,
                              uint32_t source) {
  *out = t;
  if (t == ASH_NO_ID)
    return ASH_OK;
  if (w->narrow[t] != ASH_NO_ID) {
    *out = w->narrow[t];
    return ASH_OK;
  }
  const ash_tensor *from = ash_narrow_tensor(w, t);
  const ash_type type = ash_narrow_smallest(&w->ranges[t]);
  if (ash_narrow_is_integer(from->type) &&
      (from->kind != ASH_TENSOR_CONSTANT || type == ASH_NONE ||
       type == from->type))
    return ASH_OK;
  if (from->kind == ASH_TENSOR_CONSTANT && from->data)
    ASH_TRY(narrow_constant(w, out, t, type));
  else {
    ASH_TRY(ash_narrow_like(w, out, t, type, NULL));
    ASH_TRY(add_cast(w, t, *out, source));
  }
  w->narrow[t] = *out;
  return ASH_OK;
}

/* The values of `t` in exactly that integer type. */
ash_status ash_narrow_operand_of(ash_narrow *w, uint32_t *out, uint32_t t,
                                 ash_type type, uint32_t source) {
  uint32_t from;
  const ash_tensor *c = ash_narrow_tensor(w, t);
  if (c->kind == ASH_TENSOR_CONSTANT && c->data && c->type != type)
    return narrow_constant(w, out, t, type);
  ASH_TRY(ash_narrow_operand(w, &from, t, source));
  *out = from;
  if (ash_narrow_tensor(w, from)->type == type)
    return ASH_OK;
  ASH_TRY(ash_narrow_like(w, out, t, type, NULL));
  return add_cast(w, from, *out, source);
}

/* The values of `t` in its own type. */
ash_status ash_narrow_settle(ash_narrow *w, uint32_t t, uint32_t source) {
  if (t == ASH_NO_ID || w->narrow[t] == ASH_NO_ID || !w->pending[t])
    return ASH_OK;
  w->pending[t] = false;
  return add_cast(w, w->narrow[t], t, source);
}

/* ---- the pass ------------------------------------------------------------ */

static ash_status prepare(ash_narrow *w) {
  const size_t n = w->g->tensor_count + 1;
  ASH_TRY(ash_ranges_of(w->ctx, &w->ranges, w->g));
  w->narrow = ASH_NEW_ARRAY(&w->ctx->scratch, uint32_t, n);
  w->pending = ASH_NEW_ARRAY(&w->ctx->scratch, bool, n);
  ASH_TRY(ash_zone_check(w->ctx, &w->ctx->scratch));
  for (size_t i = 0; i < n; i++)
    w->narrow[i] = ASH_NO_ID;
  return ASH_OK;
}

static void rename_all(ash_graph *g, uint32_t from, uint32_t to) {
  for (size_t i = 0; i < g->op_count; i++) {
    const ash_op *op = &g->ops.items[i];
    for (uint32_t k = 0; k < op->input_count; k++)
      op->inputs[k] = op->inputs[k] == from ? to : op->inputs[k];
    for (uint32_t k = 0; k < op->output_count; k++)
      op->outputs[k] = op->outputs[k] == from ? to : op->outputs[k];
  }
}

/* An output of the graph: made as it is, where what holds its values is of its
 * type and shape and has no other name to keep. */
static ash_status settle_output(ash_narrow *w, uint32_t t, uint32_t source) {
  const uint32_t from = w->narrow[t];
  if (from == ASH_NO_ID || !w->pending[t])
    return ASH_OK;
  const ash_tensor *n = ash_narrow_tensor(w, from);
  if (n->kind != ASH_TENSOR_ACTIVATION || n->is_output ||
      n->type != ash_narrow_tensor(w, t)->type ||
      !ash_shape_equal(&n->shape, &ash_narrow_tensor(w, t)->shape))
    return ash_narrow_settle(w, t, source);
  w->pending[t] = false;
  rename_all(w->g, from, t);
  for (size_t i = 0; i < w->tensors; i++)
    w->narrow[i] = w->narrow[i] == from ? t : w->narrow[i];
  return ASH_OK;
}

ash_status ash_pass_narrow(ash_ctx *ctx, ash_graph *g) {
  ash_narrow w = {.ctx = ctx, .g = g, .tensors = g->tensor_count};
  const size_t count = g->op_count, tensors = g->tensor_count;
  if (count == 0)
    return ASH_OK;
  ASH_TRY(prepare(&w));
  ash_op *ops = ash_zone_copy(&ctx->scratch, g->ops.items, count * sizeof *ops);
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  g->op_count = 0;
  for (size_t i = 0; i < count; i++)
    ASH_TRY(ash_narrow_visit(&w, &ops[i]));
  for (size_t i = 0; i < g->output_count; i++)
    ASH_TRY(settle_output(&w, g->outputs[i], ops[count - 1].source_index));
  if (!w.changed) {
    memcpy(g->ops.items, ops, count * sizeof *ops);
    g->op_count = count;
    g->tensor_count = tensors;
    return ASH_OK;
  }
  ASH_TRY(ash_graph_prune(g));
  return ash_op_verify(ctx, g);
}
