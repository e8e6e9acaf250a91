/* functions.c - the table of scalar functions, and what names mean. */
#include "op/functions.h"

#include "base/nearest.h"

static const struct {
  const char *text;
  uint32_t operands;
  ash_fn_result result;
} fn_table[ASH_FN_COUNT] = {
#define FN(name, operands, result) {#name, operands, ASH_FN_##result},
#include "op/functions.def"
#undef FN
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
