/* sums.c - see sums.h. */
#include "op/sums.h"

#include "op/functions.h"

uint32_t ash_accumulator_bytes(ash_accumulator a) {
  switch (a) {
  case ASH_ACCUMULATOR_NONE:
    return 0;
  case ASH_ACCUMULATOR_U32:
  case ASH_ACCUMULATOR_F32:
    return 4;
  default:
    return 8;
  }
}

const char *ash_accumulator_c(ash_accumulator a) {
  static const char *const types[] = {"void",    "uint32_t", "uint64_t",
                                      "int64_t", "float",    "double"};
  return types[a];
}

/* Layers with weights, as their kernels sum: modulo 2^32, in 64 bits if the
 * activations are int16, or in float. Where weights are int8 and activations
 * float, the scale comes from the whole row or image. */
static ash_accumulator of_layer(ash_type x, ash_type w) {
  if (x == ASH_INT16 && (w == ASH_INT8 || w == ASH_INT16))
    return ASH_ACCUMULATOR_S64;
  if (x != w)
    return ASH_ACCUMULATOR_NONE;
  return x == ASH_INT8 || x == ASH_UINT8 ? ASH_ACCUMULATOR_U32
         : x == ASH_FLOAT32              ? ASH_ACCUMULATOR_F32
                                         : ASH_ACCUMULATOR_NONE;
}

static ash_accumulator of_real(ash_type t) {
  return t == ASH_FLOAT64       ? ASH_ACCUMULATOR_F64
         : ash_type_is_float(t) ? ASH_ACCUMULATOR_F32
                                : ASH_ACCUMULATOR_NONE;
}

/* Products of integers are cut to the type in the end, so only its bits
 * matter. */
static ash_accumulator of_product(ash_type t) {
  if (ash_type_is_float(t))
    return of_real(t);
  return t == ASH_BOOL            ? ASH_ACCUMULATOR_NONE
         : ash_type_bits(t) == 64 ? ASH_ACCUMULATOR_U64
                                  : ASH_ACCUMULATOR_U32;
}

static ash_accumulator of_fold(ash_type t) {
  if (ash_type_is_float(t))
    return of_real(t);
  return t == ASH_UINT64 ? ASH_ACCUMULATOR_U64 : ASH_ACCUMULATOR_S64;
}

/* ---- operators ----------------------------------------------------------- */

static ash_type type_in(const ash_graph *g, const ash_op *op, uint32_t k) {
  return ash_op_in(g, op, k)->type;
}

static bool is_scaled(const ash_tensor *t) {
  return t->quant.count != 0 &&
         (t->type == ASH_INT8 || t->type == ASH_UINT8 || t->type == ASH_INT16);
}

static bool is_integer(ash_type t) {
  return t == ASH_INT8 || t == ASH_UINT8 || t == ASH_INT16 || t == ASH_UINT16 ||
         t == ASH_INT32 || t == ASH_UINT32 || t == ASH_INT64;
}

bool ash_op_is_integer_layer(const ash_graph *g, const ash_op *op) {
  if (!ash_op_has(op, ASH_OP_INTEGERS))
    return false;
  const ash_tensor *x = ash_op_in(g, op, 0), *w = ash_op_in(g, op, 1);
  return x && w && is_integer(x->type) && is_integer(w->type) &&
         x->quant.count == 0 && w->quant.count == 0;
}

static ash_accumulator sums_product(const ash_graph *g, const ash_op *op) {
  return of_product(ash_op_out(g, op, 0)->type);
}

static ash_accumulator sums_layer(const ash_graph *g, const ash_op *op) {
  return ash_op_is_integer_layer(g, op)
             ? ASH_ACCUMULATOR_U32
             : of_layer(type_in(g, op, 0), type_in(g, op, 1));
}

static ash_accumulator sums_matmul(const ash_graph *g, const ash_op *op) {
  return is_scaled(ash_op_in(g, op, 0)) ? sums_layer(g, op)
                                        : sums_product(g, op);
}

bool ash_op_rescales(const ash_graph *g, const ash_op *op) {
  if (op->kind != ASH_OP_reduce)
    return false;
  const ash_fold fold = ash_op_fold(op);
  return (fold == ASH_FOLD_SUM || fold == ASH_FOLD_MEAN) &&
         is_scaled(ash_op_in(g, op, 0)) && is_scaled(ash_op_out(g, op, 0));
}

static ash_accumulator sums_fold(const ash_graph *g, const ash_op *op) {
  if (ash_op_fold(op) >= ASH_FOLD_ARG_MAX)
    return ASH_ACCUMULATOR_NONE;
  return ash_op_rescales(g, op) ? ASH_ACCUMULATOR_U32
                                : of_fold(type_in(g, op, 0));
}

static const struct {
  ash_op_kind kind;
  ash_accumulator (*sums)(const ash_graph *g, const ash_op *op);
} table[ASH_OP_COUNT] = {
#define OP(op, columns) [ASH_OP_##op] = {columns.kind = ASH_OP_##op},
#define SUMS(rule)      .sums = sums_##rule,
#include "op/ops.def"
#undef OP
};

ash_accumulator ash_op_accumulator(const ash_graph *g, const ash_op *op) {
  return table[op->kind].sums ? table[op->kind].sums(g, op)
                              : ASH_ACCUMULATOR_NONE;
}
