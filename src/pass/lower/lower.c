/* lower.c - makes operators ready for their kernels.
 *
 *   conv_2d(x, w, b)   ->  conv_2d(x, w, b, <id>_multiplier, <id>_shift)
 *   logistic(x)        ->  logistic(x, <id>_lut)
 *
 * What can be computed from scales alone is computed here, once, and becomes a
 * constant input of the operator, where planner and tiler see its bytes.
 * Weights with one scale give tables of one entry. Also checks that every
 * quantisation a kernel relies on makes sense. Operators that have their
 * tables already, and float operators, stay as they are. */
#include "pass/pass.h"

#include "kernel/kernel.h"
#include "kernel/quant.h"
#include "op/functions.h"
#include "op/sums.h"
#include "pass/lower/lower_append.h"
#include "pass/lower/lower_tables.h"

#include <string.h>

/* ---- constants ---------------------------------------------------------- */

void ash_lower_put_int(uint8_t *to, int64_t value, uint32_t bytes) {
  for (uint32_t i = 0; i < bytes; i++)
    to[i] = (uint8_t)((uint64_t)value >> (8 * i));
}

ash_status ash_lower_append(ash_graph *g, uint32_t op, const char *suffix,
                            ash_type type, uint32_t count,
                            const uint8_t *bytes) {
  const char *id =
      ash_zone_format(&g->zone, "%s_%s", g->ops.items[op].id, suffix);
  ASH_TRY(ash_zone_check(g->ctx, &g->zone));
  const ash_shape shape = {1, {(int32_t)count}};
  uint32_t index;
  ASH_TRY(ash_graph_add_constant(g, &index, id, type, &shape, bytes));
  return ash_graph_append_input(g, op, index);
}

/* Bias may be missing; what comes behind it has fixed places. */
static ash_status fill_bias(ash_graph *g, uint32_t op) {
  while (g->ops.items[op].input_count < 3)
    ASH_TRY(ash_graph_append_input(g, op, ASH_NO_ID));
  return ASH_OK;
}

/* ---- weights ------------------------------------------------------------ */

static ash_status check_symmetric(ash_ctx *ctx, const ash_graph *g,
                                  uint32_t op) {
  const uint32_t tensor = g->ops.items[op].inputs[1];
  const ash_tensor *w = &g->tensors.items[tensor];
  for (uint32_t i = 0; i < w->quant.count; i++)
    if (w->quant.zero_point[i] != 0)
      return ash_fail(ctx, ASH_UNSUPPORTED, ASH_D_quant_zero_point,
                      ash_graph_loc(g, op, tensor),
                      "weights '%s' have zero point %ld; only 0 is supported",
                      w->name, (long)w->quant.zero_point[i]);
  return ASH_OK;
}

static ash_status check_bias(ash_ctx *ctx, const ash_graph *g, uint32_t op,
                             uint64_t channels) {
  const ash_op *o = &g->ops.items[op];
  const ash_tensor *bias = ash_op_in(g, o, 2);
  if (bias && ash_shape_elements(&bias->shape) != channels)
    return ash_fail(ctx, ASH_MALFORMED, ASH_D_graph_shape,
                    ash_graph_loc(g, op, o->inputs[2]),
                    "bias '%s' must have one value for each output channel",
                    bias->name);
  return ASH_OK;
}

static ash_status lower_conv(ash_ctx *ctx, ash_graph *g, uint32_t op) {
  const ash_op *o = &g->ops.items[op];
  const bool deep = o->kind == ASH_OP_depthwise_conv_2d;
  ASH_TRY(ash_quant_check(ctx, g, op, o->inputs[0]));
  ASH_TRY(ash_quant_check_weights(ctx, g, op, o->inputs[1], deep ? 3 : 0));
  ASH_TRY(ash_quant_check(ctx, g, op, o->outputs[0]));
  const ash_tensor *w = ash_op_in(g, o, 1);
  const ash_tensor *in = ash_op_in(g, o, 0), *out = ash_op_out(g, o, 0);
  if (w->type != ASH_UINT8 || w->quant.count > 1)
    ASH_TRY(check_symmetric(ctx, g, op));
  ASH_TRY(check_bias(ctx, g, op, (uint64_t)w->shape.dim[deep ? 3 : 0]));
  const uint32_t n = w->quant.count;
  uint8_t *multiplier = ASH_NEW_ARRAY(&g->zone, uint8_t, (size_t)n * 4);
  uint8_t *shift = ASH_NEW_ARRAY(&g->zone, uint8_t, n);
  ASH_TRY(ash_zone_check(ctx, &g->zone));
  for (uint32_t i = 0; i < n; i++) {
    ash_scaling s;
    if (!ash_quant_conv(&s, in, w, out, i) ||
        (in->type == ASH_INT16 && s.shift > 7))
      return ash_quant_fail_ratio(ctx, g, op, (double)w->quant.scale[i]);
    ash_lower_put_int(multiplier + (size_t)i * 4, s.multiplier, 4);
    ash_lower_put_int(shift + i, s.shift, 1);
  }
  ASH_TRY(fill_bias(g, op));
  ASH_TRY(ash_lower_append(g, op, "multiplier", ASH_INT32, n, multiplier));
  return ash_lower_append(g, op, "shift", ASH_INT8, n, shift);
}

/* Products of int16 matrices: one scale, or one per column. */
static ash_status lower_matmul(ash_ctx *ctx, ash_graph *g, uint32_t op) {
  const ash_op *o = &g->ops.items[op];
  const ash_tensor *a = ash_op_in(g, o, 0), *b = ash_op_in(g, o, 1);
  const ash_tensor *out = ash_op_out(g, o, 0);
  const uint32_t n = b->quant.count;
  if (a->type != ASH_INT16)
    return ASH_OK;
  uint8_t *multiplier = ASH_NEW_ARRAY(&g->zone, uint8_t, (size_t)n * 4);
  uint8_t *shift = ASH_NEW_ARRAY(&g->zone, uint8_t, n);
  ASH_TRY(ash_zone_check(ctx, &g->zone));
  for (uint32_t i = 0; i < n; i++) {
    const float product = ash_quant_scale(a) * b->quant.scale[i];
    ash_scaling s;
    if (!ash_quant_scaling(&s,
                           (double)product / (double)ash_quant_scale(out)) ||
        s.shift > 7)
      return ash_quant_fail_ratio(ctx, g, op, (double)product);
    ash_lower_put_int(multiplier + (size_t)i * 4, s.multiplier, 4);
    ash_lower_put_int(shift + i, s.shift, 1);
  }
  ASH_TRY(fill_bias(g, op));
  ASH_TRY(ash_lower_append(g, op, "multiplier", ASH_INT32, n, multiplier));
  return ash_lower_append(g, op, "shift", ASH_INT8, n, shift);
}

/* Sums of int16 layers are scaled in double. */
static ash_status lower_ratios(ash_ctx *ctx, ash_graph *g, uint32_t op) {
  const ash_op *o = &g->ops.items[op];
  const ash_tensor *w = ash_op_in(g, o, 1);
  const ash_tensor *in = ash_op_in(g, o, 0), *out = ash_op_out(g, o, 0);
  const uint32_t n = w->quant.count;
  uint8_t *ratios = ASH_NEW_ARRAY(&g->zone, uint8_t, (size_t)n * 8);
  ASH_TRY(ash_zone_check(ctx, &g->zone));
  for (uint32_t i = 0; i < n; i++) {
    const double ratio = ash_quant_ratio(in, w, out, i);
    uint64_t bits;
    memcpy(&bits, &ratio, sizeof bits);
    ash_lower_put_int(ratios + (size_t)i * 8, (int64_t)bits, 8);
  }
  ASH_TRY(fill_bias(g, op));
  return ash_lower_append(g, op, "ratio", ASH_FLOAT64, n, ratios);
}

/* Float activations with int8 weights: the weights' scales. */
static ash_status lower_hybrid(ash_ctx *ctx, ash_graph *g, uint32_t op) {
  const ash_op *o = &g->ops.items[op];
  const bool deep = o->kind == ASH_OP_depthwise_conv_2d;
  const ash_tensor *w = ash_op_in(g, o, 1);
  if (ash_op_in(g, o, 0)->type != ASH_FLOAT32 || !w || w->type != ASH_INT8)
    return ASH_OK;
  ASH_TRY(ash_quant_check_weights(ctx, g, op, o->inputs[1], deep ? 3 : 0));
  ASH_TRY(check_symmetric(ctx, g, op));
  const uint32_t n = w->quant.count;
  uint8_t *scales = ASH_NEW_ARRAY(&g->zone, uint8_t, (size_t)n * 4);
  ASH_TRY(ash_zone_check(ctx, &g->zone));
  for (uint32_t i = 0; i < n; i++) {
    uint32_t bits;
    memcpy(&bits, &w->quant.scale[i], sizeof bits);
    ash_lower_put_int(scales + (size_t)i * 4, bits, 4);
  }
  ASH_TRY(fill_bias(g, op));
  return ash_lower_append(g, op, "scale", ASH_FLOAT32, n, scales);
}

static ash_status lower_dense(ash_ctx *ctx, ash_graph *g, uint32_t op) {
  const ash_op *o = &g->ops.items[op];
  const ash_type type = ash_op_in(g, o, 0)->type;
  if (type == ASH_UINT8)
    return lower_conv(ctx, g, op);
  ASH_TRY(ash_quant_check(ctx, g, op, o->inputs[0]));
  ASH_TRY(ash_quant_check_weights(ctx, g, op, o->inputs[1], 0));
  ASH_TRY(ash_quant_check(ctx, g, op, o->outputs[0]));
  const ash_tensor *w = ash_op_in(g, o, 1);
  const ash_tensor *in = ash_op_in(g, o, 0), *out = ash_op_out(g, o, 0);
  ASH_TRY(check_bias(ctx, g, op, (uint64_t)w->shape.dim[0]));
  const uint32_t n = w->quant.count;
  if (n > 1)
    ASH_TRY(check_symmetric(ctx, g, op));
  if (type == ASH_INT16)
    return lower_ratios(ctx, g, op);
  uint8_t *multiplier = ASH_NEW_ARRAY(&g->zone, uint8_t, (size_t)n * 8);
  uint8_t *shift = ASH_NEW_ARRAY(&g->zone, uint8_t, n);
  ASH_TRY(ash_zone_check(ctx, &g->zone));
  for (uint32_t i = 0; i < n; i++) {
    ash_long_scaling s;
    if (!ash_quant_fully_connected(&s, in, w, out, i))
      return ash_quant_fail_ratio(ctx, g, op, (double)w->quant.scale[i]);
    ash_lower_put_int(multiplier + (size_t)i * 8, s.multiplier, 8);
    ash_lower_put_int(shift + i, s.shift, 1);
  }
  ASH_TRY(fill_bias(g, op));
  ASH_TRY(ash_lower_append(g, op, "multiplier", ASH_INT64, n, multiplier));
  return ash_lower_append(g, op, "shift", ASH_INT8, n, shift);
}

/* ---- tables ------------------------------------------------------------- */

static ash_status check_ends(ash_ctx *ctx, const ash_graph *g, uint32_t op) {
  const ash_op *o = &g->ops.items[op];
  ASH_TRY(ash_quant_check(ctx, g, op, o->inputs[0]));
  return ash_quant_check(ctx, g, op, o->outputs[0]);
}

static ash_status lower_mapped16(ash_ctx *ctx, ash_graph *g, uint32_t op) {
  enum { ENTRIES = 513 };
  int16_t table[ENTRIES];
  uint8_t *bytes = ASH_NEW_ARRAY(&g->zone, uint8_t, sizeof table);
  ASH_TRY(ash_zone_check(ctx, &g->zone));
  ASH_TRY(ash_table16_by_reference(ctx, table, g, op));
  for (uint32_t i = 0; i < ENTRIES; i++)
    ash_lower_put_int(bytes + (size_t)i * 2, table[i], 2);
  return ash_lower_append(g, op, "lut", ASH_INT16, ENTRIES, bytes);
}

/* Functions without integer arithmetic of their own: the reference computes
 * all 256 results. */
static ash_status lower_mapped(ash_ctx *ctx, ash_graph *g, uint32_t op) {
  const ash_type type = ash_op_out(g, &g->ops.items[op], 0)->type;
  ASH_TRY(check_ends(ctx, g, op));
  const ash_fn fn = ash_op_fn(&g->ops.items[op]);
  if (type == ASH_INT16 && (fn == ASH_FN_logistic || fn == ASH_FN_tanh))
    return ash_lower_curve(ctx, g, op);
  if (type == ASH_INT16 && ash_fn_has_table16(fn))
    return lower_mapped16(ctx, g, op);
  if (ash_type_bits(type) != 8)
    return ASH_OK;
  uint8_t *table = ASH_NEW_ARRAY(&g->zone, uint8_t, 256);
  ASH_TRY(ash_zone_check(ctx, &g->zone));
  ASH_TRY(ash_table_by_reference(ctx, table, g, op));
  return ash_lower_append(g, op, "lut", type, 256, table);
}

static ash_status lower_unary(ash_ctx *ctx, ash_graph *g, uint32_t op) {
  if (ash_op_out(g, &g->ops.items[op], 0)->type != ASH_INT8)
    return lower_mapped(ctx, g, op);
  ASH_TRY(check_ends(ctx, g, op));
  int8_t *table = ASH_NEW_ARRAY(&g->zone, int8_t, 256);
  ASH_TRY(ash_zone_check(ctx, &g->zone));
  ASH_TRY(ash_table_of_unary(ctx, table, g, op));
  return ash_lower_append(g, op, "lut", ASH_INT8, 256, (const uint8_t *)table);
}

/* The kernel writes probabilities in units of 1/256, from -128 on. */
static ash_status check_softmax(ash_ctx *ctx, const ash_graph *g, uint32_t op) {
  const uint32_t tensor = g->ops.items[op].outputs[0];
  const ash_tensor *t = &g->tensors.items[tensor];
  if (t->type == ASH_INT16) /* the shape rule looked */
    return ASH_OK;
  const double off = (double)ash_quant_scale(t) - 1.0 / 256.0;
  const int32_t low = ash_kernel_type_range(t->type).low;
  if (ash_quant_zero(t) == low && off < 4e-6 && off > -4e-6)
    return ASH_OK;
  return ash_fail(ctx, ASH_UNSUPPORTED, ASH_D_quant_zero_point,
                  ash_graph_loc(g, op, tensor),
                  "softmax needs an output with scale 1/256 and zero point "
                  "%ld, not %g and %ld",
                  (long)low, (double)ash_quant_scale(t),
                  (long)ash_quant_zero(t));
}

static ash_status append_exponentials(ash_ctx *ctx, ash_graph *g, uint32_t op,
                                      double scale) {
  int32_t table[256];
  ASH_TRY(ash_table_of_softmax(ctx, table, g, op, scale));
  uint8_t *bytes = ASH_NEW_ARRAY(&g->zone, uint8_t, sizeof table);
  ASH_TRY(ash_zone_check(ctx, &g->zone));
  for (size_t i = 0; i < 256; i++)
    ash_lower_put_int(bytes + 4 * i, table[i], 4);
  return ash_lower_append(g, op, "lut", ASH_INT32, 256, bytes);
}

static ash_status lower_softmax(ash_ctx *ctx, ash_graph *g, uint32_t op) {
  const ash_tensor *in = ash_op_in(g, &g->ops.items[op], 0);
  if (in->type == ASH_INT16)
    return ash_lower_softmax_s16(ctx, g, op);
  ASH_TRY(check_ends(ctx, g, op));
  if (g->ops.items[op].kind == ASH_OP_softmax)
    ASH_TRY(check_softmax(ctx, g, op));
  return append_exponentials(ctx, g, op, (double)ash_quant_scale(in));
}

/* Its exponentials are those of a softmax of the scores. */
static ash_status lower_attention(ash_ctx *ctx, ash_graph *g, uint32_t op) {
  const ash_op *o = &g->ops.items[op];
  ash_scaling s, t;
  for (uint32_t k = 0; k < 3; k++)
    ASH_TRY(ash_quant_check(ctx, g, op, o->inputs[k]));
  ASH_TRY(ash_quant_check(ctx, g, op, o->outputs[0]));
  if (!ash_quant_attention(&s, &t, g, o))
    return ash_quant_fail_ratio(ctx, g, op,
                                ash_attr_float(o, "score_scale", 1.0));
  return append_exponentials(ctx, g, op, ash_attr_float(o, "score_scale", 1.0));
}

/* ---- operators without tables: only checked ----------------------------- */

static ash_status check_binary(ash_ctx *ctx, ash_graph *g, uint32_t op) {
  const ash_op *o = &g->ops.items[op];
  ASH_TRY(ash_quant_check(ctx, g, op, o->inputs[1]));
  ASH_TRY(check_ends(ctx, g, op));
  const ash_tensor *a = ash_op_in(g, o, 0), *b = ash_op_in(g, o, 1);
  const ash_tensor *out = ash_op_out(g, o, 0);
  ash_add_scaling s;
  const ash_fn fn = ash_op_fn(o);
  const bool good = fn == ASH_FN_add ? ash_quant_add(&s, a, b, out)
                                     : ash_quant_pair(&s, fn, a, b, out);
  return good ? ASH_OK
              : ash_quant_fail_ratio(ctx, g, op,
                                     (double)ash_quant_scale(a) /
                                         (double)ash_quant_scale(out));
}

/* From one scale to another. */
static ash_status check_converted(ash_ctx *ctx, ash_graph *g, uint32_t op) {
  const ash_op *o = &g->ops.items[op];
  ASH_TRY(check_ends(ctx, g, op));
  ash_scaling s;
  const ash_tensor *in = ash_op_in(g, o, 0), *out = ash_op_out(g, o, 0);
  return ash_quant_convert(&s, in, out)
             ? ASH_OK
             : ash_quant_fail_ratio(ctx, g, op,
                                    (double)ash_quant_scale(in) /
                                        (double)ash_quant_scale(out));
}

static ash_status check_fold(ash_ctx *ctx, ash_graph *g, uint32_t op) {
  return ash_op_rescales(g, &g->ops.items[op]) ? check_converted(ctx, g, op)
                                               : ASH_OK;
}

/* Values move without arithmetic. LiteRT does not look at the scales either,
 * so this is only a warning. */
static ash_status check_moved(ash_ctx *ctx, ash_graph *g, uint32_t op) {
  const ash_op *o = &g->ops.items[op];
  const ash_tensor *in = ash_op_in(g, o, 0), *out = ash_op_out(g, o, 0);
  if (in->quant.count == 0 && out->quant.count == 0)
    return ASH_OK;
  ASH_TRY(check_ends(ctx, g, op));
  const double off = (double)ash_quant_scale(in) - (double)ash_quant_scale(out);
  if (ash_quant_zero(in) != ash_quant_zero(out) || off > 1e-6 || off < -1e-6)
    ash_warn(ctx, ASH_D_quant_differs, ash_graph_loc(g, op, o->outputs[0]),
             "input '%s' and output '%s' of %s differ in scale or zero point",
             in->name, out->name, ash_op_text(o));
  return ASH_OK;
}

static bool is_integer(const ash_tensor *t) {
  return t->type == ASH_INT8 || t->type == ASH_UINT8 || t->type == ASH_INT16;
}

static bool has_quantised_ends(const ash_graph *g, uint32_t op) {
  const ash_op *o = &g->ops.items[op];
  return is_integer(ash_op_in(g, o, 0)) && is_integer(ash_op_out(g, o, 0));
}

static ash_status check_conversion(ash_ctx *ctx, ash_graph *g, uint32_t op) {
  const ash_op *o = &g->ops.items[op];
  if (has_quantised_ends(g, op))
    return check_converted(ctx, g, op);
  return ash_quant_check(
      ctx, g, op,
      ash_op_in(g, o, 0)->type == ASH_FLOAT32 ? o->outputs[0] : o->inputs[0]);
}

static ash_status check_concatenation(ash_ctx *ctx, ash_graph *g, uint32_t op) {
  const ash_op *o = &g->ops.items[op];
  const ash_tensor *out = ash_op_out(g, o, 0);
  for (uint32_t i = 0; i < o->input_count; i++) {
    const ash_tensor *in = ash_op_in(g, o, i);
    ash_scaling s;
    if (!in || ash_quant_equal(in, out))
      continue;
    ASH_TRY(ash_quant_check(ctx, g, op, o->inputs[i]));
    ASH_TRY(ash_quant_check(ctx, g, op, o->outputs[0]));
    if (!ash_quant_convert(&s, in, out))
      return ash_quant_fail_ratio(ctx, g, op, (double)ash_quant_scale(in));
  }
  return ASH_OK;
}

/* The int16 form alone has a table. */
static ash_status lower_lstm(ash_ctx *ctx, ash_graph *g, uint32_t op) {
  return ash_op_out(g, &g->ops.items[op], 0)->type == ASH_INT16
             ? ash_lower_curve(ctx, g, op)
             : ASH_OK;
}

/* ---- dispatch ----------------------------------------------------------- */

typedef struct lower_rule {
  ash_status (*run)(ash_ctx *ctx, ash_graph *g, uint32_t op);
  uint32_t inputs; /* an operator with more has been lowered */
} lower_rule;

static const struct {
  uint32_t row;
  lower_rule lower, scales;
} table[ASH_ROW_COUNT] = {
#define OP(op, columns)      [ASH_OP_##op] = {columns.row = ASH_OP_##op},
#define FN(fn, columns)      [ASH_FN_ROW(fn)] = {columns.row = ASH_FN_ROW(fn)},
#define LOWER(rule, inputs)  .lower = {rule, inputs},
#define SCALES(rule, inputs) .scales = {rule, inputs},
#include "op/ops.def"
#undef OP
};

static ash_status apply(ash_ctx *ctx, ash_graph *g, uint32_t op,
                        const lower_rule *rule) {
  return rule->run && g->ops.items[op].input_count <= rule->inputs
             ? rule->run(ctx, g, op)
             : ASH_OK;
}

ash_status ash_pass_lower(ash_ctx *ctx, ash_graph *g) {
  for (uint32_t op = 0; op < g->op_count; op++) {
    const uint32_t row = ash_row_of(&g->ops.items[op]);
    const ash_kernel *kernel = ash_kernel_find(g, op, NULL, false);
    ASH_TRY(ash_kernel_check(ctx, kernel, g, op));
    ASH_TRY(apply(ctx, g, op, &table[row].lower));
    const bool scaled =
        g->ops.items[op].kind == ASH_OP_map
            ? ash_op_is_scaled(g, &g->ops.items[op])
            : has_quantised_ends(g, op) &&
                  !ash_op_is_integer_layer(g, &g->ops.items[op]);
    if (scaled)
      ASH_TRY(apply(ctx, g, op, &table[row].scales));
  }
  return ASH_OK;
}
