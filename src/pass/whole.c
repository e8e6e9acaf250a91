/* whole.c - whole numbers are stored as integers of the fewest bytes.
 *
 *   x: float32, whole, -128 to 127      x: int8
 *   y = conv_2d(x, w)               ->  y = whole_conv_2d(x, w)  int32
 *   z = cast(y)  int64                  (z is y)
 *
 * Networks whose integers come as floats (Deeploy's, QuantLib's), and integers
 * that are wider than what they hold. An operator is rewritten if the ranges of
 * what it reads and makes are proved; others get their operands cast back. So
 * do the outputs of the graph. */
#include "pass/pass.h"

#include "graph/compact.h"
#include "graph/verify.h"
#include "pass/ranges.h"
#include "pass/whole.h"

#include <string.h>

/* ---- tensors ------------------------------------------------------------- */

static ash_tensor *tensor(const ash_whole *w, uint32_t t) {
  return &w->g->tensors.items[t];
}

static bool is_integer(ash_type type) {
  return type != ASH_BOOL && ash_range_of_type(type).known &&
         ash_type_bits(type) >= 8;
}

/* The type for a range; int64 as far as doubles would be exact, too. */
static ash_type smallest(const ash_range *r) {
  const int64_t most = (int64_t)1 << 53;
  const ash_type type = ash_range_type(r);
  if (type == ASH_NONE && r->known && r->low >= -most && r->high <= most)
    return ASH_INT64;
  return type;
}

/* A tensor like `t`, of another type. */
static ash_status add_like(ash_whole *w, uint32_t *out, uint32_t t,
                           ash_type type, const uint8_t *data) {
  ash_tensor made = *tensor(w, t);
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

static ash_status narrow_constant(ash_whole *w, uint32_t *out, uint32_t t,
                                  ash_type type) {
  const ash_tensor *c = tensor(w, t);
  const size_t width = ash_type_bits(type) / 8;
  const size_t count = (size_t)ash_shape_elements(&c->shape);
  uint8_t *data = ash_zone_alloc(&w->g->zone, count * width + 1, 1, 8);
  ASH_TRY(ash_zone_check(w->ctx, &w->g->zone));
  for (size_t i = 0; i < count; i++)
    put_int(data + i * width,
            c->type == ASH_FLOAT32 ? (int64_t)ash_tensor_float(c, i)
                                   : ash_tensor_int(c, i),
            width);
  return add_like(w, out, t, type, data);
}

/* Adds `to = cast(from)`. */
static ash_status add_cast(ash_whole *w, uint32_t from, uint32_t to,
                           uint32_t source) {
  uint32_t op;
  ash_attr fn = ASH_STRING_ATTR("fn", "cast");
  const char *id =
      ash_zone_format(&w->g->zone, "whole_cast_%u", (unsigned)w->made++);
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
static ash_status operand(ash_whole *w, uint32_t *out, uint32_t t,
                          uint32_t source) {
  *out = t;
  if (t == ASH_NO_ID)
    return ASH_OK;
  if (w->narrow[t] != ASH_NO_ID) {
    *out = w->narrow[t];
    return ASH_OK;
  }
  const ash_tensor *from = tensor(w, t);
  const ash_type type = smallest(&w->ranges[t]);
  if (is_integer(from->type) && (from->kind != ASH_TENSOR_CONSTANT ||
                                 type == ASH_NONE || type == from->type))
    return ASH_OK;
  if (from->kind == ASH_TENSOR_CONSTANT && from->data)
    ASH_TRY(narrow_constant(w, out, t, type));
  else {
    ASH_TRY(add_like(w, out, t, type, NULL));
    ASH_TRY(add_cast(w, t, *out, source));
  }
  w->narrow[t] = *out;
  return ASH_OK;
}

/* The values of `t` in exactly that integer type. */
static ash_status operand_of(ash_whole *w, uint32_t *out, uint32_t t,
                             ash_type type, uint32_t source) {
  uint32_t from;
  const ash_tensor *c = tensor(w, t);
  if (c->kind == ASH_TENSOR_CONSTANT && c->data && c->type != type)
    return narrow_constant(w, out, t, type);
  ASH_TRY(operand(w, &from, t, source));
  *out = from;
  if (tensor(w, from)->type == type)
    return ASH_OK;
  ASH_TRY(add_like(w, out, t, type, NULL));
  return add_cast(w, from, *out, source);
}

/* The values of `t` in its own type. */
static ash_status settle(ash_whole *w, uint32_t t, uint32_t source) {
  if (t == ASH_NO_ID || w->narrow[t] == ASH_NO_ID || !w->pending[t])
    return ASH_OK;
  w->pending[t] = false;
  return add_cast(w, w->narrow[t], t, source);
}

/* ---- operators ----------------------------------------------------------- */

static ash_status keep(ash_whole *w, const ash_op *op) {
  uint32_t index;
  for (uint32_t k = 0; k < op->input_count; k++)
    ASH_TRY(settle(w, op->inputs[k], op->source_index));
  return ash_graph_add_op(w->g, &index, *op);
}

/* A narrow tensor for what an operator makes as `t`. */
static ash_status result(ash_whole *w, uint32_t *out, uint32_t t,
                         ash_type type) {
  *out = t;
  if (type == tensor(w, t)->type)
    return ASH_OK;
  ASH_TRY(add_like(w, out, t, type, NULL));
  w->narrow[t] = *out;
  w->pending[t] = true;
  return ASH_OK;
}

/* The type for what has been proved, if it is better than the tensor's own. */
static ash_type result_type(const ash_whole *w, uint32_t t) {
  const ash_type own = tensor(w, t)->type;
  const ash_type type = smallest(&w->ranges[t]);
  const bool may =
      (own == ASH_FLOAT32 || is_integer(own)) && tensor(w, t)->quant.count == 0;
  if (!may || type == ASH_NONE)
    return own;
  return own == ASH_FLOAT32 || ash_type_bits(type) < ash_type_bits(own) ? type
                                                                        : own;
}

/* The operator with other inputs and an output of its smallest type. */
static ash_status put_op(ash_whole *w, ash_op op, const uint32_t *inputs,
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

static ash_status put_mixed(ash_whole *w, const ash_op *op) {
  uint32_t inputs[MOST + 1];
  for (uint32_t k = 0; k < op->input_count; k++) {
    const uint32_t t = op->inputs[k];
    inputs[k] = t;
    if (t != ASH_NO_ID && tensor(w, t)->type != ASH_BOOL)
      ASH_TRY(operand(w, &inputs[k], t, op->source_index));
  }
  return put_op(w, *op, inputs, result_type(w, op->outputs[0]));
}

/* Sums of layers have 32 bits. */
static bool fits_layer(const ash_whole *w, const ash_op *op) {
  for (uint32_t k = 0; k < op->input_count; k++)
    if (op->inputs[k] != ASH_NO_ID &&
        !ash_range_fits(&w->ranges[op->inputs[k]], ASH_INT32))
      return false;
  return ash_range_fits(&w->ranges[op->outputs[0]], ASH_INT32);
}

/* Everything it reads and makes is proved. */
static bool is_proved(const ash_whole *w, const ash_op *op) {
  for (uint32_t k = 0; k < op->input_count; k++)
    if (op->inputs[k] != ASH_NO_ID &&
        (smallest(&w->ranges[op->inputs[k]]) == ASH_NONE ||
         tensor(w, op->inputs[k])->quant.count))
      return false;
  return smallest(&w->ranges[op->outputs[0]]) != ASH_NONE &&
         tensor(w, op->outputs[0])->quant.count == 0;
}

static bool is_whole_fn(ash_fn fn) {
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
  case ASH_FN_equal:
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

/* Floats that are not whole, or types of which nothing is known. */
static bool all_integers(const ash_whole *w, const ash_op *op) {
  for (uint32_t k = 0; k < op->input_count; k++) {
    const ash_type type = tensor(w, op->inputs[k])->type;
    if (!is_integer(type) && type != ASH_BOOL)
      return false;
  }
  return true;
}

/* A function that changes no value is none. */
static ash_status put_cast(ash_whole *w, const ash_op *op) {
  const uint32_t from = op->inputs[0], to = op->outputs[0];
  const ash_range *r = &w->ranges[from];
  const ash_type own = tensor(w, to)->type;
  if (tensor(w, from)->quant.count || tensor(w, to)->quant.count ||
      tensor(w, from)->type == ASH_BOOL || smallest(r) == ASH_NONE)
    return keep(w, op);
  const bool same = own == ASH_FLOAT32 || ash_range_fits(r, own);
  if (!same || (own != ASH_FLOAT32 && !is_integer(own)))
    return put_mixed(w, op);
  uint32_t narrow;
  ASH_TRY(operand(w, &narrow, from, op->source_index));
  w->narrow[to] = narrow;
  w->pending[to] = true;
  w->changed = true;
  return ASH_OK;
}

static bool is_always(const ash_range *r, int64_t value) {
  return r->known && r->low == value && r->high == value;
}

/* Does the function, of what may come, never change its first operand? */
static bool is_idle(const ash_whole *w, const ash_op *op, ash_fn fn) {
  const uint32_t x = op->inputs[0];
  const ash_range *a = &w->ranges[x];
  const ash_range *b = op->input_count > 1 ? &w->ranges[op->inputs[1]] : a;
  const ash_range *c = op->input_count > 2 ? &w->ranges[op->inputs[2]] : a;
  if (smallest(a) == ASH_NONE || !b->known || !c->known ||
      !ash_shape_equal(&tensor(w, x)->shape, &tensor(w, op->outputs[0])->shape))
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
    return a->low >= 0;
  default:
    return false;
  }
}

static ash_status visit_map(ash_whole *w, const ash_op *op) {
  const ash_fn fn = ash_op_fn(op);
  const uint32_t value = fn == ASH_FN_select;
  const ash_type type = tensor(w, op->inputs[value])->type;
  if (is_rounding(fn) ||
      (is_idle(w, op, fn) && (type != ASH_FLOAT32 || is_whole_fn(fn))))
    return put_cast(w, op);
  if (type == ASH_FLOAT32)
    return is_whole_fn(fn) && is_proved(w, op) ? put_mixed(w, op) : keep(w, op);
  return is_integer(type) && all_integers(w, op) ? put_mixed(w, op)
                                                 : keep(w, op);
}

static ash_status visit_fold(ash_whole *w, const ash_op *op) {
  const ash_fold fold = ash_op_fold(op);
  const ash_type type = tensor(w, op->inputs[0])->type;
  const bool sums = fold == ASH_FOLD_SUM || fold == ASH_FOLD_MAX ||
                    fold == ASH_FOLD_MIN || fold == ASH_FOLD_SUM_ABS ||
                    fold == ASH_FOLD_SUM_SQUARE;
  if (type == ASH_FLOAT32 ? sums && is_proved(w, op) : is_integer(type))
    return put_mixed(w, op);
  return keep(w, op);
}

/* ---- named operators ----------------------------------------------------- */

static ash_op as_map(const ash_op *op, ash_attr *fn, const char *name) {
  ash_op map = *op;
  *fn = ASH_STRING_ATTR("fn", name);
  map.kind = ASH_OP_map;
  map.attrs = fn;
  map.attr_count = 1;
  return map;
}

/* Float sums, differences, products.. of two. */
static ash_status visit_pair(ash_whole *w, const ash_op *op) {
  ash_attr fn;
  const bool plain = strcmp(ash_op_string(op, "act", "none"), "none") == 0;
  if (tensor(w, op->inputs[0])->type != ASH_FLOAT32 || !plain ||
      !is_proved(w, op))
    return keep(w, op);
  const ash_op map = as_map(op, &fn, ash_op_kind_text(op->kind));
  return put_mixed(w, &map);
}

static ash_status visit_relu(ash_whole *w, const ash_op *op) {
  static const uint8_t zero[1] = {0};
  uint32_t inputs[2];
  ash_attr fn;
  if (tensor(w, op->inputs[0])->type != ASH_FLOAT32 || op->input_count != 1 ||
      !is_proved(w, op))
    return keep(w, op);
  ash_op map = as_map(op, &fn, "maximum");
  ASH_TRY(operand(w, &inputs[0], op->inputs[0], op->source_index));
  ASH_TRY(add_like(w, &inputs[1], inputs[0], ASH_INT8, zero));
  tensor(w, inputs[1])->shape = (ash_shape){0};
  tensor(w, inputs[1])->bytes = 1;
  map.input_count = 2;
  return put_op(w, map, inputs, result_type(w, op->outputs[0]));
}

/* ---- layers -------------------------------------------------------------- */

/* The attributes that a layer of whole numbers has, too. */
static uint32_t layer_attrs(const ash_op *op, ash_attr *to) {
  const char *act = ash_op_string(op, "act", "none");
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

static ash_op_kind whole_kind(ash_op_kind kind) {
  return kind == ASH_OP_conv_2d             ? ASH_OP_whole_conv_2d
         : kind == ASH_OP_depthwise_conv_2d ? ASH_OP_whole_depthwise_conv_2d
                                            : ASH_OP_whole_fully_connected;
}

static ash_status visit_layer(ash_whole *w, const ash_op *op) {
  ash_op layer = *op;
  if (tensor(w, op->inputs[0])->type != ASH_FLOAT32 ||
      tensor(w, op->inputs[1])->type != ASH_FLOAT32 || op->input_count > 3 ||
      !is_proved(w, op) || !fits_layer(w, op))
    return keep(w, op);
  layer.attrs = ASH_NEW_ARRAY(&w->ctx->scratch, ash_attr, op->attr_count + 3u);
  ASH_TRY(ash_zone_check(w->ctx, &w->ctx->scratch));
  layer.kind = whole_kind(op->kind);
  layer.attr_count = layer_attrs(op, layer.attrs);
  return put_mixed(w, &layer);
}

/* Products of matrices and convolutions of any rank. */
static ash_status visit_product(ash_whole *w, const ash_op *op) {
  ash_attr turns[2];
  ash_op product = *op;
  const ash_type type = tensor(w, op->inputs[0])->type;
  if (type == ASH_FLOAT32
          ? !is_proved(w, op) || op->input_count > 3
          : !is_integer(type) || op->kind == ASH_OP_batch_matmul)
    return keep(w, op);
  if (op->kind == ASH_OP_batch_matmul) {
    if (op->input_count != 2)
      return keep(w, op);
    turns[0] = ASH_INT_ATTR("transpose_a", ash_op_int(op, "adj_x", 0));
    turns[1] = ASH_INT_ATTR("transpose_b", ash_op_int(op, "adj_y", 0));
    product.kind = ASH_OP_matmul;
    product.attrs = turns;
    product.attr_count = 2;
  }
  return put_mixed(w, &product);
}

/* ---- elements that are moved --------------------------------------------- */

/* Outputs take the type of input 0; the others are places and sizes. */
static ash_status visit_move(ash_whole *w, const ash_op *op) {
  const uint32_t from = w->narrow[op->inputs[0]];
  if (from == ASH_NO_ID || tensor(w, op->outputs[0])->quant.count)
    return keep(w, op);
  ash_op moved = *op;
  moved.inputs = ash_zone_copy(&w->ctx->scratch, op->inputs,
                               op->input_count * sizeof *op->inputs);
  moved.outputs = ash_zone_copy(&w->ctx->scratch, op->outputs,
                                op->output_count * sizeof *op->outputs);
  ASH_TRY(ash_zone_check(w->ctx, &w->ctx->scratch));
  for (uint32_t k = 1; k < op->input_count; k++)
    ASH_TRY(settle(w, op->inputs[k], op->source_index));
  moved.inputs[0] = from;
  for (uint32_t k = 0; k < op->output_count; k++)
    ASH_TRY(
        result(w, &moved.outputs[k], op->outputs[k], tensor(w, from)->type));
  uint32_t index;
  return ash_graph_add_op(w->g, &index, moved);
}

/* Kernels of pools know few types. */
static ash_status visit_pool(ash_whole *w, const ash_op *op) {
  const uint32_t from = w->narrow[op->inputs[0]];
  const bool plain = strcmp(ash_op_string(op, "act", "none"), "none") == 0;
  if (from == ASH_NO_ID || !plain || ash_type_bits(tensor(w, from)->type) > 16)
    return keep(w, op);
  return visit_move(w, op);
}

/* Inputs first to end - 1 and the output get one type. */
static ash_status visit_join(ash_whole *w, const ash_op *op, uint32_t stride) {
  const ash_type type = result_type(w, op->outputs[0]);
  bool any = false, fits = type != tensor(w, op->outputs[0])->type;
  for (uint32_t k = 0; k < op->input_count; k += stride) {
    const uint32_t t = op->inputs[k];
    any = any || (t != ASH_NO_ID && w->narrow[t] != ASH_NO_ID &&
                  tensor(w, t)->kind != ASH_TENSOR_CONSTANT);
    fits = fits && (t == ASH_NO_ID || tensor(w, t)->quant.count == 0);
  }
  if (!any || !fits)
    return keep(w, op);
  uint32_t *inputs = ash_zone_copy(&w->ctx->scratch, op->inputs,
                                   op->input_count * sizeof *inputs);
  ASH_TRY(ash_zone_check(w->ctx, &w->ctx->scratch));
  for (uint32_t k = 0; k < op->input_count; k++)
    if (k % stride)
      ASH_TRY(settle(w, inputs[k], op->source_index));
    else if (inputs[k] != ASH_NO_ID)
      ASH_TRY(operand_of(w, &inputs[k], op->inputs[k], type, op->source_index));
  return put_op(w, *op, inputs, type);
}

static ash_status visit(ash_whole *w, const ash_op *op) {
  switch (op->kind) {
  case ASH_OP_map:
    return visit_map(w, op);
  case ASH_OP_fold:
    return visit_fold(w, op);
  case ASH_OP_add:
  case ASH_OP_sub:
  case ASH_OP_mul:
  case ASH_OP_minimum:
  case ASH_OP_maximum:
    return visit_pair(w, op);
  case ASH_OP_relu:
    return visit_relu(w, op);
  case ASH_OP_conv_2d:
  case ASH_OP_depthwise_conv_2d:
  case ASH_OP_fully_connected:
    return visit_layer(w, op);
  case ASH_OP_batch_matmul:
  case ASH_OP_matmul:
  case ASH_OP_conv_nd:
    return visit_product(w, op);
  case ASH_OP_max_pool_2d:
    return visit_pool(w, op);
  case ASH_OP_pool_nd:
    return strcmp(ash_op_string(op, "fn", ""), "max") == 0 ? visit_move(w, op)
                                                           : keep(w, op);
  case ASH_OP_reshape:
  case ASH_OP_squeeze:
  case ASH_OP_expand_dims:
  case ASH_OP_transpose:
  case ASH_OP_slice:
  case ASH_OP_strided_slice:
  case ASH_OP_split:
  case ASH_OP_split_v:
  case ASH_OP_unpack:
  case ASH_OP_gather:
  case ASH_OP_gather_nd:
  case ASH_OP_tile:
  case ASH_OP_broadcast_to:
  case ASH_OP_reverse:
  case ASH_OP_space_to_depth:
  case ASH_OP_depth_to_space:
  case ASH_OP_mirror_pad:
  case ASH_OP_strided:
  case ASH_OP_take:
  case ASH_OP_take_elements:
  case ASH_OP_take_nd:
    return visit_move(w, op);
  case ASH_OP_concatenation:
  case ASH_OP_join:
  case ASH_OP_pack:
  case ASH_OP_fill_pad:
    return visit_join(w, op, 1);
  case ASH_OP_pad: /* data, how much, with what */
    return visit_join(w, op, 2);
  default:
    return keep(w, op);
  }
}

/* ---- the pass ------------------------------------------------------------ */

static ash_status prepare(ash_whole *w) {
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
static ash_status settle_output(ash_whole *w, uint32_t t, uint32_t source) {
  const uint32_t from = w->narrow[t];
  if (from == ASH_NO_ID || !w->pending[t])
    return ASH_OK;
  const ash_tensor *n = tensor(w, from);
  if (n->kind != ASH_TENSOR_ACTIVATION || n->is_output ||
      n->type != tensor(w, t)->type ||
      !ash_shape_equal(&n->shape, &tensor(w, t)->shape))
    return settle(w, t, source);
  w->pending[t] = false;
  rename_all(w->g, from, t);
  for (size_t i = 0; i < w->tensors; i++)
    w->narrow[i] = w->narrow[i] == from ? t : w->narrow[i];
  return ASH_OK;
}

ash_status ash_pass_whole(ash_ctx *ctx, ash_graph *g) {
  ash_whole w = {.ctx = ctx, .g = g, .tensors = g->tensor_count};
  const size_t count = g->op_count, tensors = g->tensor_count;
  if (count == 0)
    return ASH_OK;
  ASH_TRY(prepare(&w));
  ash_op *ops = ash_zone_copy(&ctx->scratch, g->ops.items, count * sizeof *ops);
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  g->op_count = 0;
  for (size_t i = 0; i < count; i++)
    ASH_TRY(visit(&w, &ops[i]));
  for (size_t i = 0; i < g->output_count; i++)
    ASH_TRY(settle_output(&w, g->outputs[i], ops[count - 1].source_index));
  if (!w.changed) {
    memcpy(g->ops.items, ops, count * sizeof *ops);
    g->op_count = count;
    g->tensor_count = tensors;
    return ASH_OK;
  }
  ASH_TRY(ash_graph_prune(g));
  return ash_graph_verify(ctx, g);
}
