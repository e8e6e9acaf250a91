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

/* Products of whole numbers are cut to the type in the end, so only its bits
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

/* Quantised means and sums are rescaled from 32 bits. */
static ash_accumulator of_mean(ash_type t) {
  return t == ASH_INT8 || t == ASH_UINT8 || t == ASH_INT16 ? ASH_ACCUMULATOR_U32
                                                           : of_fold(t);
}

ash_accumulator ash_op_accumulator(const ash_graph *g, const ash_op *op) {
  const ash_type first = ash_op_in(g, op, 0)->type;
  switch (op->kind) {
  case ASH_OP_conv_2d:
  case ASH_OP_transpose_conv:
  case ASH_OP_fully_connected:
    return of_layer(first, ash_op_in(g, op, 1)->type);
  case ASH_OP_batch_matmul:
    return first == ASH_UINT8 ? ASH_ACCUMULATOR_NONE
                              : of_layer(first, ash_op_in(g, op, 1)->type);
  case ASH_OP_matmul:
  case ASH_OP_conv_nd:
    return of_product(ash_op_out(g, op, 0)->type);
  case ASH_OP_whole_conv_2d:
  case ASH_OP_whole_fully_connected:
  case ASH_OP_whole_matmul:
    return ASH_ACCUMULATOR_U32;
  case ASH_OP_mean:
  case ASH_OP_sum:
    return of_mean(first);
  case ASH_OP_reduce_prod:
  case ASH_OP_reduce_max:
  case ASH_OP_reduce_min:
  case ASH_OP_reduce_any:
  case ASH_OP_reduce_all:
    return of_fold(first);
  case ASH_OP_fold:
    return ash_op_fold(op) >= ASH_FOLD_ARG_MAX ? ASH_ACCUMULATOR_NONE
                                               : of_fold(first);
  default:
    return ASH_ACCUMULATOR_NONE;
  }
}
