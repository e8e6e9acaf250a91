/* narrow_ops.c - what becomes of each operator in the pass `narrow`. */
#include "pass/narrow/narrow.h"

#include <string.h>

/* ---- operators ----------------------------------------------------------- */

static ash_status keep(ash_narrow *w, const ash_op *op) {
  uint32_t index;
  for (uint32_t k = 0; k < op->input_count; k++)
    ASH_TRY(ash_narrow_settle(w, op->inputs[k], op->source_index));
  return ash_graph_add_op(w->g, &index, *op);
}

/* A narrow tensor for what an operator makes as `t`. */
static ash_status result(ash_narrow *w, uint32_t *out, uint32_t t,
                         ash_type type) {
  *out = t;
  if (type == ash_narrow_tensor(w, t)->type)
    return ASH_OK;
  ASH_TRY(ash_narrow_like(w, out, t, type, NULL));
  w->narrow[t] = *out;
  w->pending[t] = true;
  return ASH_OK;
}

/* The type for what has been proved, if it is better than the tensor's own. */
static ash_type result_type(const ash_narrow *w, uint32_t t) {
  const ash_type own = ash_narrow_tensor(w, t)->type;
  const ash_type type = ash_narrow_smallest(&w->ranges[t]);
  const bool may = (own == ASH_FLOAT32 || ash_narrow_is_integer(own)) &&
                   ash_narrow_tensor(w, t)->quant.count == 0;
  if (!may || type == ASH_NONE)
    return own;
  return own == ASH_FLOAT32 || ash_type_bits(type) < ash_type_bits(own) ? type
                                                                        : own;
}

/* The operator with other inputs and an output of its smallest type. */
static ash_status put_op(ash_narrow *w, ash_op op, const uint32_t *inputs,
                         ash_type type) {
  uint32_t index, out;
  uint32_t *copy =
      ash_zone_copy(&w->ctx->scratch, inputs, op.input_count * sizeof *inputs);
  ASH_TRY(ash_zone_check(w->ctx, &w->ctx->scratch));
  ASH_TRY(result(w, &out, op.outputs[0], type));
  op.inputs = copy;
  op.outputs = &out;
  return ash_graph_add_op(w->g, &index, op);
}

enum { MOST = 5 }; /* operands of what is rewritten one by one */

static ash_status put_mixed(ash_narrow *w, const ash_op *op) {
  uint32_t inputs[MOST + 1];
  for (uint32_t k = 0; k < op->input_count; k++) {
    const uint32_t t = op->inputs[k];
    inputs[k] = t;
    if (t != ASH_NO_ID && ash_narrow_tensor(w, t)->type != ASH_BOOL)
      ASH_TRY(ash_narrow_operand(w, &inputs[k], t, op->source_index));
  }
  return put_op(w, *op, inputs, result_type(w, op->outputs[0]));
}

/* Sums of layers have 32 bits. */
static bool fits_layer(const ash_narrow *w, const ash_op *op) {
  for (uint32_t k = 0; k < op->input_count; k++)
    if (op->inputs[k] != ASH_NO_ID &&
        !ash_range_fits(&w->ranges[op->inputs[k]], ASH_INT32))
      return false;
  return ash_range_fits(&w->ranges[op->outputs[0]], ASH_INT32);
}

/* Everything it reads and makes is proved. */
static bool is_proved(const ash_narrow *w, const ash_op *op) {
  for (uint32_t k = 0; k < op->input_count; k++)
    if (op->inputs[k] != ASH_NO_ID &&
        (ash_narrow_smallest(&w->ranges[op->inputs[k]]) == ASH_NONE ||
         ash_narrow_tensor(w, op->inputs[k])->quant.count))
      return false;
  return ash_narrow_smallest(&w->ranges[op->outputs[0]]) != ASH_NONE &&
         ash_narrow_tensor(w, op->outputs[0])->quant.count == 0;
}

static bool is_integer_fn(ash_fn fn) {
  switch (fn) {
  case ASH_FN_add:
  case ASH_FN_sub:
  case ASH_FN_mul:
  case ASH_FN_minimum:
  case ASH_FN_maximum:
  case ASH_FN_neg:
  case ASH_FN_abs:
  case ASH_FN_sign:
  case ASH_FN_clip:
  case ASH_FN_select:
  case ASH_FN_relu:
  case ASH_FN_relu6:
  case ASH_FN_relu_n1_to_1:
  case ASH_FN_relu_0_to_1:
  case ASH_FN_square:
  case ASH_FN_equal:
  case ASH_FN_not_equal:
  case ASH_FN_less:
  case ASH_FN_less_equal:
  case ASH_FN_greater:
  case ASH_FN_greater_equal:
    return true;
  default:
    return false;
  }
}

static bool is_rounding(ash_fn fn) {
  return fn == ASH_FN_cast || fn == ASH_FN_floor || fn == ASH_FN_ceil ||
         fn == ASH_FN_round;
}

/* Floats that are not integers, or types of which nothing is known. */
static bool all_integers(const ash_narrow *w, const ash_op *op) {
  for (uint32_t k = 0; k < op->input_count; k++) {
    const ash_type type = ash_narrow_tensor(w, op->inputs[k])->type;
    if (!ash_narrow_is_integer(type) && type != ASH_BOOL)
      return false;
  }
  return true;
}

/* A function that changes no value is none. */
static ash_status put_cast(ash_narrow *w, const ash_op *op) {
  const uint32_t from = op->inputs[0], to = op->outputs[0];
  const ash_range *r = &w->ranges[from];
  const ash_type own = ash_narrow_tensor(w, to)->type;
  if (ash_narrow_tensor(w, from)->quant.count ||
      ash_narrow_tensor(w, to)->quant.count ||
      ash_narrow_tensor(w, from)->type == ASH_BOOL ||
      ash_narrow_smallest(r) == ASH_NONE)
    return keep(w, op);
  const bool same = own == ASH_FLOAT32 || ash_range_fits(r, own);
  if (!same || (own != ASH_FLOAT32 && !ash_narrow_is_integer(own)))
    return put_mixed(w, op);
  uint32_t narrow;
  ASH_TRY(ash_narrow_operand(w, &narrow, from, op->source_index));
  w->narrow[to] = narrow;
  w->pending[to] = true;
  w->changed = true;
  return ASH_OK;
}

static bool is_always(const ash_range *r, int64_t value) {
  return r->known && r->low == value && r->high == value;
}

/* Does the function, of what may come, never change its first operand? */
static bool is_idle(const ash_narrow *w, const ash_op *op, ash_fn fn) {
  const uint32_t x = op->inputs[0];
  const ash_range *a = &w->ranges[x];
  const ash_range *b = op->input_count > 1 ? &w->ranges[op->inputs[1]] : a;
  const ash_range *c = op->input_count > 2 ? &w->ranges[op->inputs[2]] : a;
  if (ash_narrow_smallest(a) == ASH_NONE || !b->known || !c->known ||
      !ash_shape_equal(&ash_narrow_tensor(w, x)->shape,
                       &ash_narrow_tensor(w, op->outputs[0])->shape))
    return false;
  switch (fn) {
  case ASH_FN_add:
  case ASH_FN_sub:
  case ASH_FN_shift_left:
  case ASH_FN_shift_right:
    return is_always(b, 0);
  case ASH_FN_mul:
  case ASH_FN_div:
    return is_always(b, 1);
  case ASH_FN_clip:
    return a->low >= b->high && a->high <= c->low;
  case ASH_FN_maximum:
    return a->low >= b->high;
  case ASH_FN_minimum:
    return a->high <= b->low;
  case ASH_FN_abs:
  case ASH_FN_relu:
    return a->low >= 0;
  default:
    return false;
  }
}

static bool is_scaled(const ash_narrow *w, const ash_op *op) {
  return ash_op_is_scaled(w->g, op);
}

static ash_status visit_map(ash_narrow *w, const ash_op *op) {
  const ash_fn fn = ash_op_fn(op);
  const uint32_t value = fn == ASH_FN_select;
  const ash_type type = ash_narrow_tensor(w, op->inputs[value])->type;
  const bool plain = strcmp(ash_attr_string(op, "act", "none"), "none") == 0;
  if (!plain || op->input_count > ash_fn_operands(fn) || is_scaled(w, op))
    return keep(w, op);
  if (is_rounding(fn) ||
      (is_idle(w, op, fn) && (type != ASH_FLOAT32 || is_integer_fn(fn))))
    return put_cast(w, op);
  if (type == ASH_FLOAT32)
    return is_integer_fn(fn) && is_proved(w, op) ? put_mixed(w, op)
                                                 : keep(w, op);
  return ash_narrow_is_integer(type) && all_integers(w, op) ? put_mixed(w, op)
                                                            : keep(w, op);
}

static ash_status visit_fold(ash_narrow *w, const ash_op *op) {
  const ash_fold fold = ash_op_fold(op);
  const ash_type type = ash_narrow_tensor(w, op->inputs[0])->type;
  const bool sums = fold == ASH_FOLD_SUM || fold == ASH_FOLD_MAX ||
                    fold == ASH_FOLD_MIN || fold == ASH_FOLD_SUM_ABS ||
                    fold == ASH_FOLD_SUM_SQUARE;
  const bool scaled = ash_narrow_tensor(w, op->inputs[0])->quant.count != 0 &&
                      ash_narrow_tensor(w, op->outputs[0])->quant.count != 0;
  if (type == ASH_FLOAT32 ? sums && is_proved(w, op)
                          : ash_narrow_is_integer(type) && !scaled)
    return put_mixed(w, op);
  return keep(w, op);
}

/* ---- layers -------------------------------------------------------------- */

/* A layer of integers has limits instead of an activation. */
static uint32_t layer_attrs(const ash_op *op, ash_attr *to) {
  const char *act = ash_attr_string(op, "act", "none");
  const bool unit = strcmp(act, "relu_n1_to_1") == 0;
  uint32_t count = 0;
  for (uint32_t i = 0; i < op->attr_count; i++)
    if (strcmp(op->attrs[i].name, "act") != 0 &&
        strcmp(op->attrs[i].name, "asymmetric") != 0)
      to[count++] = op->attrs[i];
  if (strcmp(act, "none") != 0)
    to[count++] = ASH_INT_ATTR("low", unit ? -1 : 0);
  if (strcmp(act, "relu6") == 0 || unit)
    to[count++] = ASH_INT_ATTR("high", unit ? 1 : 6);
  return count;
}

static ash_status visit_layer(ash_narrow *w, const ash_op *op) {
  ash_op layer = *op;
  if (ash_narrow_tensor(w, op->inputs[0])->type != ASH_FLOAT32 ||
      ash_narrow_tensor(w, op->inputs[1])->type != ASH_FLOAT32 ||
      op->input_count > 3 || !is_proved(w, op) || !fits_layer(w, op))
    return keep(w, op);
  layer.attrs = ASH_NEW_ARRAY(&w->ctx->scratch, ash_attr, op->attr_count + 3u);
  ASH_TRY(ash_zone_check(w->ctx, &w->ctx->scratch));
  layer.attr_count = layer_attrs(op, layer.attrs);
  return put_mixed(w, &layer);
}

/* Products of matrices and convolutions of any rank. */
static ash_status visit_product(ash_narrow *w, const ash_op *op) {
  const ash_tensor *x = ash_narrow_tensor(w, op->inputs[0]);
  if (x->type == ASH_FLOAT32
          ? !is_proved(w, op)
          : !ash_narrow_is_integer(x->type) || x->quant.count)
    return keep(w, op);
  return put_mixed(w, op);
}

/* ---- elements that are moved --------------------------------------------- */

/* Outputs take the type of input 0; the others are places and sizes. */
static ash_status visit_move(ash_narrow *w, const ash_op *op) {
  const uint32_t from = w->narrow[op->inputs[0]];
  if (from == ASH_NO_ID || ash_narrow_tensor(w, op->outputs[0])->quant.count)
    return keep(w, op);
  ash_op moved = *op;
  moved.inputs = ash_zone_copy(&w->ctx->scratch, op->inputs,
                               op->input_count * sizeof *op->inputs);
  moved.outputs = ash_zone_copy(&w->ctx->scratch, op->outputs,
                                op->output_count * sizeof *op->outputs);
  ASH_TRY(ash_zone_check(w->ctx, &w->ctx->scratch));
  for (uint32_t k = 1; k < op->input_count; k++)
    ASH_TRY(ash_narrow_settle(w, op->inputs[k], op->source_index));
  moved.inputs[0] = from;
  for (uint32_t k = 0; k < op->output_count; k++)
    ASH_TRY(result(w, &moved.outputs[k], op->outputs[k],
                   ash_narrow_tensor(w, from)->type));
  uint32_t index;
  return ash_graph_add_op(w->g, &index, moved);
}

/* Kernels of pools know few types. */
static ash_status visit_pool(ash_narrow *w, const ash_op *op) {
  const uint32_t from = w->narrow[op->inputs[0]];
  const bool plain = strcmp(ash_attr_string(op, "act", "none"), "none") == 0;
  if (from == ASH_NO_ID || !plain ||
      ash_type_bits(ash_narrow_tensor(w, from)->type) > 16)
    return keep(w, op);
  return visit_move(w, op);
}

/* All inputs and the output get one type. */
static ash_status visit_concatenation(ash_narrow *w, const ash_op *op) {
  const ash_type type = result_type(w, op->outputs[0]);
  bool any = false, fits = type != ash_narrow_tensor(w, op->outputs[0])->type;
  for (uint32_t k = 0; k < op->input_count; k++) {
    const uint32_t t = op->inputs[k];
    any = any || (t != ASH_NO_ID && w->narrow[t] != ASH_NO_ID &&
                  ash_narrow_tensor(w, t)->kind != ASH_TENSOR_CONSTANT);
    fits =
        fits && (t == ASH_NO_ID || ash_narrow_tensor(w, t)->quant.count == 0);
  }
  if (!any || !fits)
    return keep(w, op);
  uint32_t *inputs = ash_zone_copy(&w->ctx->scratch, op->inputs,
                                   op->input_count * sizeof *inputs);
  ASH_TRY(ash_zone_check(w->ctx, &w->ctx->scratch));
  for (uint32_t k = 0; k < op->input_count; k++)
    if (inputs[k] != ASH_NO_ID)
      ASH_TRY(ash_narrow_operand_of(w, &inputs[k], op->inputs[k], type,
                                    op->source_index));
  return put_op(w, *op, inputs, type);
}

static ash_status visit_pool_nd(ash_narrow *w, const ash_op *op) {
  return strcmp(ash_attr_string(op, "fn", ""), "max") == 0 ? visit_move(w, op)
                                                           : keep(w, op);
}

static const struct {
  ash_op_kind kind;
  ash_status (*visit)(ash_narrow *w, const ash_op *op);
} table[ASH_OP_COUNT] = {
#define OP(op, columns) [ASH_OP_##op] = {columns.kind = ASH_OP_##op},
#define NARROW(rule)    .visit = visit_##rule,
#include "op/ops.def"
#undef OP
};

ash_status ash_narrow_visit(ash_narrow *w, const ash_op *op) {
  if (table[op->kind].visit)
    return table[op->kind].visit(w, op);
  return ash_op_has(op, ASH_OP_MOVES) ? visit_move(w, op) : keep(w, op);
}
