/* ranges.c - the walk through the graph: sources, and the rule of each
 * operator. What has no rule here may hold anything that its type can. */
#include "pass/narrow/ranges.h"
#include "op/sums.h"
#include "pass/narrow/ranges_relate.h"

#include <math.h>
#include <string.h>

static ash_range unknown(void) {
  return (ash_range){false, 0, 0};
}

ash_range ash_range_of_type(ash_type type) {
  const uint32_t bits = ash_type_bits(type);
  switch (type) {
  case ASH_BOOL:
    return (ash_range){true, 0, 1};
  case ASH_INT4:
  case ASH_INT8:
  case ASH_INT16:
  case ASH_INT32:
    return (ash_range){true, -((int64_t)1 << (bits - 1)),
                       ((int64_t)1 << (bits - 1)) - 1};
  case ASH_UINT4:
  case ASH_UINT8:
  case ASH_UINT16:
  case ASH_UINT32:
    return (ash_range){true, 0, ((int64_t)1 << bits) - 1};
  case ASH_INT64:
    return (ash_range){true, INT64_MIN, INT64_MAX};
  default:
    return unknown();
  }
}

bool ash_range_fits(const ash_range *r, ash_type type) {
  const ash_range all = ash_range_of_type(type);
  return r->known && all.known && r->low >= all.low && r->high <= all.high;
}

ash_type ash_range_type(const ash_range *r) {
  static const ash_type types[] = {ASH_INT8, ASH_UINT8, ASH_INT16, ASH_INT32};
  for (size_t i = 0; i < ASH_COUNT_OF(types); i++)
    if (ash_range_fits(r, types[i]))
      return types[i];
  return ASH_NONE;
}

/* ---- sources ------------------------------------------------------------- */

static ash_range of_floats(const ash_tensor *t) {
  ash_range r = unknown();
  for (uint64_t i = 0; i < ash_shape_elements(&t->shape); i++) {
    const float x = ash_tensor_float(t, i);
    if (!(fabsf(x) < 2147483648.0f) || x != floorf(x))
      return unknown();
    const ash_range one = {true, (int64_t)x, (int64_t)x};
    r = i ? ash_range_join(r, one) : one;
  }
  return r;
}

static ash_range of_constant(const ash_tensor *t) {
  ash_range r = ash_range_of_type(t->type);
  if (t->type == ASH_FLOAT32)
    return of_floats(t);
  if (!r.known || ash_type_bits(t->type) < 8)
    return r;
  for (uint64_t i = 0; i < ash_shape_elements(&t->shape); i++) {
    const ash_range one = {true, ash_tensor_int(t, i), ash_tensor_int(t, i)};
    r = i ? ash_range_join(r, one) : one;
  }
  return r;
}

/* ---- operators ----------------------------------------------------------- */

static ash_range input(const ash_op *op, const ash_range *r, uint32_t k) {
  return k < op->input_count && op->inputs[k] != ASH_NO_ID ? r[op->inputs[k]]
                                                           : unknown();
}

/* Elements that come from the first input, or from all of them. */
static ash_range of_first(const ash_graph *g, const ash_op *op,
                          const ash_range *r) {
  (void)g;
  return input(op, r, 0);
}

static ash_range of_concatenation(const ash_graph *g, const ash_op *op,
                                  const ash_range *r) {
  ash_range all = of_first(g, op, r);
  for (uint32_t k = 1; k < op->input_count; k++)
    all = ash_range_join(all, input(op, r, k));
  return all;
}

static ash_range of_map(const ash_graph *g, const ash_op *op,
                        const ash_range *r) {
  const ash_fn fn = ash_op_fn(op);
  const ash_type first = ash_op_in(g, op, 0)->type;
  const ash_range o[3] = {input(op, r, 0), input(op, r, 1), input(op, r, 2)};
  if (fn >= ASH_FN_COUNT ||
      (fn == ASH_FN_div && ash_type_is_float(first))) /* leaves a fraction */
    return unknown();
  const ash_range y = ash_range_apply(fn, o);
  const char *act = ash_attr_string(op, "act", "none");
  const ash_fn rectifier = ash_fn_find(act);
  return strcmp(act, "none") == 0    ? y
         : rectifier == ASH_FN_COUNT ? unknown()
                                     : ash_range_apply(rectifier, &y);
}

/* Elements of the input that make one of the output. */
static uint64_t folded_by(const ash_graph *g, const ash_op *op) {
  return ash_shape_elements(&ash_op_in(g, op, 0)->shape) /
         ash_shape_elements(&ash_op_out(g, op, 0)->shape);
}

static ash_range of_fold(const ash_graph *g, const ash_op *op,
                         const ash_range *r) {
  const ash_range x = input(op, r, 0);
  const uint64_t count = folded_by(g, op);
  switch (ash_op_fold(op)) {
  case ASH_FOLD_SUM:
    return ash_range_sum(x, count);
  case ASH_FOLD_MAX:
  case ASH_FOLD_MIN:
    return x;
  case ASH_FOLD_SUM_ABS:
    return ash_range_sum(ash_range_apply(ASH_FN_abs, &x), count);
  case ASH_FOLD_SUM_SQUARE: {
    const ash_range size = ash_range_apply(ASH_FN_abs, &x);
    return ash_range_sum(ash_range_times(size, size), count);
  }
  default:
    return unknown();
  }
}

/* Sums of integers wrap around at 32 bits, or at 64 if the output has them. */
static ash_range of_product(const ash_graph *g, const ash_op *op,
                            const ash_range *r) {
  ash_range y = ash_range_of_product(g, op, r);
  if (!ash_op_is_integer_layer(g, op))
    return y;
  const bool is_long = ash_type_bits(ash_op_out(g, op, 0)->type) == 64;
  const ash_type sum = is_long ? ASH_INT64 : ASH_INT32;
  if (!ash_range_fits(&y, sum))
    y = ash_range_of_type(sum);
  if (op->input_count > 3 && op->inputs[3] != ASH_NO_ID) {
    const int64_t shift = ash_attr_int(op, "shift", 0);
    const bool moved = op->input_count > 4 && op->inputs[4] != ASH_NO_ID;
    y = ash_range_times(y, input(op, r, 3));
    y = moved ? ash_range_plus(y, input(op, r, 4)) : y;
    const ash_range o[] = {y, {true, shift, shift}};
    y = y.known ? ash_range_apply(ASH_FN_shift_right, o)
                : ash_range_of_type(ASH_INT64);
  }
  return ash_range_clamp(y, ash_attr_int(op, "low", INT64_MIN),
                         ash_attr_int(op, "high", INT64_MAX));
}

static ash_range of_max_pool(const ash_graph *g, const ash_op *op,
                             const ash_range *r) {
  return strcmp(ash_attr_string(op, "act", "none"), "none") == 0
             ? of_first(g, op, r)
             : unknown();
}

static ash_range of_pool_nd(const ash_graph *g, const ash_op *op,
                            const ash_range *r) {
  return strcmp(ash_attr_string(op, "fn", ""), "max") == 0 ? of_first(g, op, r)
                                                           : unknown();
}

/* Where nothing is given, pads are 0. */
static ash_range of_pad(const ash_graph *g, const ash_op *op,
                        const ash_range *r) {
  const ash_range zero = {true, 0, 0};
  const bool given = op->input_count > 1 && op->inputs[1] != ASH_NO_ID;
  (void)g;
  return ash_range_join(input(op, r, 0), given ? input(op, r, 1) : zero);
}

typedef ash_range range_rule(const ash_graph *g, const ash_op *op,
                             const ash_range *r);

static const struct {
  ash_op_kind kind;
  range_rule *rule;
} table[ASH_OP_COUNT] = {
#define OP(op, columns) [ASH_OP_##op] = {columns.kind = ASH_OP_##op},
#define RANGE(name)     .rule = of_##name,
#include "op/ops.def"
#undef OP
};

static ash_range rule(const ash_graph *g, const ash_op *op,
                      const ash_range *r) {
  if (table[op->kind].rule)
    return table[op->kind].rule(g, op, r);
  return ash_op_has(op, ASH_OP_MOVES) ? input(op, r, 0) : unknown();
}

static bool is_quantised(const ash_graph *g, const ash_op *op) {
  for (uint32_t k = 0; k < op->input_count; k++)
    if (ash_op_in(g, op, k) && ash_op_in(g, op, k)->quant.count)
      return true;
  return false;
}

/* Integers that do not fit their type wrap around. Floats are followed as far
 * as a double is exact; other types than float32 are not. */
static ash_range stored(const ash_tensor *t, ash_range r) {
  const ash_range all = ash_range_of_type(t->type);
  if (t->quant.count && t->type == ASH_FLOAT32)
    return unknown();
  if (all.known)
    return ash_range_fits(&r, t->type) ? r : all;
  const int64_t most = (int64_t)1 << 53;
  return t->type == ASH_FLOAT32 && r.known && r.low >= -most && r.high <= most
             ? r
             : unknown();
}

/* Only elements of float32 and of integers with up to 63 bits are known: a
 * value cut on its way through another type is not. */
static bool passes_floats(const ash_graph *g, const ash_op *op) {
  for (uint32_t k = 0; k < op->input_count; k++) {
    const ash_tensor *t = ash_op_in(g, op, k);
    if (t && t->type != ASH_FLOAT32 && !ash_range_of_type(t->type).known)
      return false;
  }
  return true;
}

static void visit(const ash_relations *m, const ash_op *op, ash_range *r) {
  const ash_graph *g = m->g;
  const bool scaled =
      op->kind == ASH_OP_map ? ash_op_is_scaled(g, op) : is_quantised(g, op);
  const bool skip = scaled || !passes_floats(g, op);
  const ash_range y =
      skip ? unknown() : ash_range_relate(m, op, rule(g, op, r));
  for (uint32_t k = 0; k < op->output_count; k++) {
    const ash_tensor *t = ash_op_out(g, op, k);
    if (t->kind == ASH_TENSOR_ACTIVATION)
      r[op->outputs[k]] = stored(t, y);
  }
}

ash_status ash_ranges_of(ash_ctx *ctx, ash_range **out, const ash_graph *g) {
  ash_range *r = ASH_NEW_ARRAY(&ctx->scratch, ash_range, g->tensor_count + 1);
  uint32_t *writer =
      ASH_NEW_ARRAY(&ctx->scratch, uint32_t, g->tensor_count + 1);
  const ash_relations m = {g, r, writer};
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  for (size_t i = 0; i < g->tensor_count; i++) {
    const ash_tensor *t = &g->tensors.items[i];
    writer[i] = ASH_NO_ID;
    r[i] = t->kind == ASH_TENSOR_CONSTANT && t->data
               ? of_constant(t)
               : ash_range_of_type(t->type);
  }
  for (uint32_t i = 0; i < g->op_count; i++) {
    const ash_op *op = &g->ops.items[i];
    visit(&m, op, r);
    for (uint32_t k = 0; k < op->output_count; k++)
      writer[op->outputs[k]] = i;
  }
  *out = r;
  return ASH_OK;
}
