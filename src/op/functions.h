/* functions.h - the scalar functions that `map` and `reduce` name, and the rows
 * of ops.def and functions.def together: a stage has one array for both. */
#ifndef ASH_OP_FUNCTIONS_H
#define ASH_OP_FUNCTIONS_H

#include "graph/graph.h"

typedef enum ash_fn {
#define OP(op, columns)
#define FN(fn, columns) ASH_FN_##fn,
#include "op/ops.def"
#undef OP
  ASH_FN_COUNT
} ash_fn;

/* Rows by kind; behind them functions of `map`, and one for none. */
enum { ASH_ROW_COUNT = ASH_OP_COUNT + ASH_FN_COUNT + 1 };
#define ASH_FN_ROW(fn) (ASH_OP_COUNT + ASH_FN_##fn)
/* The row of an operator: its kind, or the function of a `map`. */
uint32_t ash_row_of(const ash_op *op);
const char *ash_row_text(uint32_t row);
/* A column of an operator's row; where a function has none, that of `map`. */
#define ASH_COLUMN(table, op, column)                                          \
  ((table)[ash_row_of(op)].column ? (table)[ash_row_of(op)].column             \
                                  : (table)[(op)->kind].column)

typedef enum ash_fn_result {
  ASH_FN_SAME,
  ASH_FN_SECOND,
  ASH_FN_BOOL,
  ASH_FN_ANY
} ash_fn_result;

/* The values that a function computes as they are stored. */
typedef enum ash_fn_values {
  ASH_FN_OF_ALL,
  ASH_FN_OF_FLOATS,
  ASH_FN_OF_INTEGERS,
  ASH_FN_OF_KERNEL /* as far as it has kernels */
} ash_fn_values;

/* What `reduce` makes of the elements it folds. */
typedef enum ash_fold {
  ASH_FOLD_SUM,
  ASH_FOLD_MEAN,
  ASH_FOLD_PROD,
  ASH_FOLD_MAX,
  ASH_FOLD_MIN,
  ASH_FOLD_SUM_ABS,
  ASH_FOLD_SUM_SQUARE,
  ASH_FOLD_ANY, /* of truth values */
  ASH_FOLD_ALL,
  ASH_FOLD_ARG_MAX, /* the first of several, _LAST: the last; along one axis */
  ASH_FOLD_ARG_MIN,
  ASH_FOLD_ARG_MAX_LAST,
  ASH_FOLD_ARG_MIN_LAST,
  ASH_FOLD_COUNT
} ash_fold;

const char *ash_fn_text(ash_fn fn);
const char *ash_fold_text(ash_fold fold);
ash_fn ash_fn_find(const char *name); /* ASH_FN_COUNT: none */
ash_fold ash_fold_find(const char *name);
uint32_t ash_fn_operands(ash_fn fn);
ash_fn_result ash_fn_result_of(ash_fn fn);
/* Does a loop compute it from values of that type, as they are stored? */
bool ash_fn_computes(ash_fn fn, ash_type type);
/* The type that a loop computes in; `in`: the operands'. */
ash_type ash_fn_inner(ash_fn fn, const ash_type *in);

/* May it apply a rectifier to its results (`act`)? */
bool ash_op_rectifies(const ash_op *op);
/* A `map` of quantised values, from scale to scale? All others treat values as
 * they are stored. */
bool ash_op_is_scaled(const ash_graph *g, const ash_op *op);
bool ash_op_is_integer_pow(const ash_graph *g, const ash_op *op);
/* Is there an arithmetic of quantised values for it? */
bool ash_fn_scales(ash_fn fn);
/* Has its int16 form a table to interpolate in? */
bool ash_fn_has_table16(ash_fn fn);

/* The types, as bits, that one loop computes together with this one. */
uint32_t ash_types_like(ash_type type);
/* The types, as bits, that operand k may have; k past the operands: the result.
 * `in` holds the types of those before it. */
uint32_t ash_fn_wants(ash_fn fn, const ash_type *in, uint32_t k);

/* The function of a `map` or a `reduce`; their shape rules checked it. */
ash_fn ash_op_fn(const ash_op *op);
ash_fold ash_op_fold(const ash_op *op);
/* Which axes a fold folds, as bits. */
uint32_t ash_op_folded(const ash_op *op, uint32_t rank);

/* Entry i of a list attribute. */
int64_t ash_op_ints(const ash_op *op, const char *name, uint32_t i,
                    int64_t otherwise);

static inline bool ash_type_is_float(ash_type t) {
  return t == ASH_FLOAT32 || t == ASH_FLOAT64 || t == ASH_FLOAT16 ||
         t == ASH_BFLOAT16;
}

#endif
