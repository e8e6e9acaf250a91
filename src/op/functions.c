/* functions.c - the table of scalar functions, and what names mean. */
#include "op/functions.h"

#include "base/nearest.h"

static const struct {
  const char *text;
  uint32_t operands, flags;
  ash_fn_result result;
  ash_fn_values stored;
  bool scales;
} fn_table[ASH_FN_COUNT] = {
#define OP(op, columns)
#define FN(fn, columns) {.text = #fn, columns},
#define OPERANDS(count) .operands = (count),
#define RESULT(type)    .result = ASH_FN_##type,
#define STORED(values)  .stored = ASH_FN_OF_##values,
#define FLAGS(bits)     .flags = (bits),
#define REF(kernel)     .scales = true,
#include "op/ops.def"
#undef OP
};

static const char *const fold_table[ASH_FOLD_COUNT] = {
    "sum",     "mean",         "prod",        "max", "min",
    "sum_abs", "sum_square",   "any",         "all", "arg_max",
    "arg_min", "arg_max_last", "arg_min_last"};

const char *ash_fn_text(ash_fn fn) {
  return fn < ASH_FN_COUNT ? fn_table[fn].text : "?";
}

const char *ash_fold_text(ash_fold fold) {
  return fold < ASH_FOLD_COUNT ? fold_table[fold] : "?";
}

ash_fn ash_fn_find(const char *name) {
  return (ash_fn)ash_name_find(&fn_table->text, sizeof *fn_table, ASH_FN_COUNT,
                               name);
}

ash_fold ash_fold_find(const char *name) {
  return (ash_fold)ash_name_find(fold_table, sizeof *fold_table, ASH_FOLD_COUNT,
                                 name);
}

uint32_t ash_fn_operands(ash_fn fn) {
  return fn_table[fn].operands;
}

ash_fn_result ash_fn_result_of(ash_fn fn) {
  return fn_table[fn].result;
}

bool ash_fn_computes(ash_fn fn, ash_type type) {
  ASH_ASSERT(fn < ASH_FN_COUNT);
  const ash_fn_values stored = fn_table[fn].stored;
  return stored == ASH_FN_OF_ALL ||
         stored ==
             (ash_type_is_float(type) ? ASH_FN_OF_FLOATS : ASH_FN_OF_INTEGERS);
}

ash_type ash_fn_inner(ash_fn fn, const ash_type *in) {
  if (fn == ASH_FN_select)
    return in[1];
  if (fn == ASH_FN_pow && ash_type_is_float(in[1]) && !ash_type_is_float(in[0]))
    return ASH_FLOAT64;
  return in[0];
}

uint32_t ash_row_of(const ash_op *op) {
  return op->kind == ASH_OP_map ? ASH_OP_COUNT + ash_op_fn(op) : op->kind;
}

const char *ash_row_text(uint32_t row) {
  return row < ASH_OP_COUNT ? ash_op_kind_text(row)
                            : ash_fn_text(row - ASH_OP_COUNT);
}

bool ash_op_rectifies(const ash_op *op) {
  const ash_fn fn = op->kind == ASH_OP_map ? ash_op_fn(op) : ASH_FN_COUNT;
  return ash_op_has(op, ASH_OP_RECTIFIES) ||
         (fn < ASH_FN_COUNT && (fn_table[fn].flags & ASH_OP_RECTIFIES));
}

bool ash_fn_scales(ash_fn fn) {
  return fn < ASH_FN_COUNT && fn_table[fn].scales;
}

bool ash_op_is_integer_pow(const ash_graph *g, const ash_op *op) {
  return ash_op_fn(op) == ASH_FN_pow &&
         !ash_type_is_float(ash_op_in(g, op, 0)->type) &&
         !ash_type_is_float(ash_op_in(g, op, 1)->type);
}

bool ash_fn_has_table16(ash_fn fn) {
  return fn == ASH_FN_exp || fn == ASH_FN_log || fn == ASH_FN_rsqrt ||
         fn == ASH_FN_gelu || fn == ASH_FN_gelu_tanh;
}

static bool is_scaled(const ash_tensor *t) {
  return t && t->quant.count != 0 &&
         (t->type == ASH_INT8 || t->type == ASH_UINT8 || t->type == ASH_INT16);
}

/* LiteRT looks at the scales of int16 for equality alone. */
static bool orders_sixteen(const ash_graph *g, const ash_op *op, ash_fn fn) {
  return fn_table[fn].result == ASH_FN_BOOL && fn != ASH_FN_equal &&
         fn != ASH_FN_not_equal && ash_op_in(g, op, 0)->type == ASH_INT16;
}

bool ash_op_is_scaled(const ash_graph *g, const ash_op *op) {
  const ash_fn fn = op->kind == ASH_OP_map ? ash_op_fn(op) : ASH_FN_COUNT;
  if (!ash_fn_scales(fn) || orders_sixteen(g, op, fn))
    return false;
  for (uint32_t k = 0; k < ash_fn_operands(fn); k++)
    if (!is_scaled(ash_op_in(g, op, k)))
      return false;
  return fn_table[fn].result == ASH_FN_BOOL || is_scaled(ash_op_out(g, op, 0));
}

/* One loop treats values of whole bytes. */
static uint32_t whole_bytes(void) {
  return ~(1u << ASH_NONE | 1u << ASH_INT4 | 1u << ASH_UINT4);
}

/* Integers are computed in 64 bits and cut to the type of the result, so their
 * widths may differ. */
uint32_t ash_types_like(ash_type type) {
  const uint32_t whole = 1u << ASH_INT8 | 1u << ASH_UINT8 | 1u << ASH_INT16 |
                         1u << ASH_UINT16 | 1u << ASH_INT32 | 1u << ASH_UINT32 |
                         1u << ASH_INT64;
  return whole >> type & 1 ? whole : 1u << type;
}

uint32_t ash_fn_wants(ash_fn fn, const ash_type *in, uint32_t k) {
  const bool is_result = k == ash_fn_operands(fn);
  switch (ash_fn_result_of(fn)) {
  case ASH_FN_SAME:
    if (k == 0 || (fn == ASH_FN_pow && !is_result))
      return whole_bytes();
    return ash_types_like(in[0]);
  case ASH_FN_SECOND:
    if (k == 0)
      return 1u << ASH_BOOL;
    return k == 1 ? whole_bytes() : ash_types_like(in[1]);
  case ASH_FN_BOOL:
    if (is_result)
      return 1u << ASH_BOOL;
    return k == 0 ? whole_bytes() : ash_types_like(in[0]);
  default:
    return whole_bytes();
  }
}

ash_fn ash_op_fn(const ash_op *op) {
  return ash_fn_find(ash_attr_string(op, "fn", ""));
}

ash_fold ash_op_fold(const ash_op *op) {
  return ash_fold_find(ash_attr_string(op, "fn", ""));
}

int64_t ash_op_ints(const ash_op *op, const char *name, uint32_t i,
                    int64_t otherwise) {
  const ash_attr *a = ash_attr_find(op, name);
  return a && a->kind == ASH_ATTR_INTS && i < a->count ? a->ints[i] : otherwise;
}

uint32_t ash_op_folded(const ash_op *op, uint32_t rank) {
  const ash_attr *a = ash_attr_find(op, "axes");
  uint32_t bits = 0;
  for (uint32_t i = 0; a && a->kind == ASH_ATTR_INTS && i < a->count; i++) {
    const int64_t axis = a->ints[i] < 0 ? a->ints[i] + rank : a->ints[i];
    if (axis >= 0 && axis < rank)
      bits |= 1u << axis;
  }
  return bits;
}
