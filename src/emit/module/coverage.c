/* coverage.c - the table of what generated code can run, from the tables of
 * kernels, of loops and of tile rules. */
#include "ashlar/graph.h"
#include "domain/domain.h"
#include "emit/loop/loop.h"
#include "kernel/kernel.h"

#include <string.h>

static void put(char *buf, size_t size, const char *text) {
  ASH_ASSERT(strlen(buf) < size);
  const size_t used = strlen(buf), length = strlen(text);
  if (used + length < size)
    memcpy(buf + used, text, length + 1);
}

static void put_type(char *buf, size_t size, ash_type type) {
  put(buf, size, type == ASH_NONE ? "any" : ash_type_text(type));
}

/* Types at the end that are not looked at are left out. */
static void put_types(const ash_kernel *k, char *buf, size_t size) {
  ASH_ASSERT(k->op < ASH_OP_COUNT && size > 0);
  uint32_t count = ASH_KERNEL_TYPED_INPUTS;
  while (count > 1 && k->inputs[count - 1] == ASH_NONE)
    count--;
  buf[0] = '\0';
  for (uint32_t i = 0; i < count; i++) {
    put(buf, size, i ? ", " : "");
    put_type(buf, size, k->inputs[i]);
  }
  put(buf, size, " -> ");
  put_type(buf, size, k->output);
}

static bool same_row(const ash_kernel *a, const ash_kernel *b) {
  return a->op == b->op && a->fn == b->fn && strcmp(a->name, b->name) == 0 &&
         memcmp(a->inputs, b->inputs, sizeof a->inputs) == 0 &&
         a->output == b->output;
}

/* Variants that differ only in what they include are one row. */
static bool is_first(size_t index) {
  ASH_ASSERT(ash_kernel_at(index));
  for (size_t i = 0; i < index; i++)
    if (same_row(ash_kernel_at(i), ash_kernel_at(index)))
      return false;
  return true;
}

/* The types of a loop. */
static bool put_loop(ash_fn fn, char *buf, size_t size) {
  const bool real = ash_fn_computes(fn, ASH_FLOAT32);
  const bool integer = ash_fn_computes(fn, ASH_INT32);
  const char *type = real && integer ? "any" : real ? "float32" : "integer";
  const bool truth = ash_fn_result_of(fn) == ASH_FN_BOOL;
  buf[0] = '\0';
  for (uint32_t k = 0; k < ash_fn_operands(fn); k++) {
    put(buf, size, k ? ", " : "");
    put(buf, size, type);
  }
  put(buf, size, " -> ");
  put(buf, size, truth ? "bool" : type);
  return real || integer;
}

/* Which functions a kernel is for; ASH_FN_COUNT: an operator without one. */
static bool serves(const ash_kernel *k, ash_fn fn) {
  if (k->op != ASH_OP_map || k->fn < ASH_FN_COUNT)
    return k->fn == fn;
  if (k->params == ASH_PARAMS_loop || !ash_fn_scales(fn) ||
      (k->output == ASH_BOOL) != (ash_fn_result_of(fn) == ASH_FN_BOOL) ||
      (k->inputs[1] == ASH_NONE) != (ash_fn_operands(fn) == 1))
    return false;
  return k->inputs[0] != ASH_INT16 || ash_fn_has_table16(fn) ||
         fn == ASH_FN_equal || fn == ASH_FN_not_equal;
}

static void put_kernel(ash_op_row *out, const ash_kernel *k, ash_fn fn,
                       char *buf, size_t size) {
  put_types(k, buf, size);
  *out = (ash_op_row){.op = fn < ASH_FN_COUNT ? ash_fn_text(fn)
                                              : ash_op_kind_text(k->op),
                      .types = buf,
                      .kernel = k->name,
                      .feature = k->feature,
                      .tiled = ash_op_is_tiled(k->op),
                      .in_place = k->in_place};
}

/* Rows of kernels; then functions of `map` as loops. */
bool ash_op_row_at(size_t index, ash_op_row *out, char *buf, size_t size) {
  if (!(out && buf))
    return false;
  if (size == 0)
    return false;
  for (size_t i = 0; ash_kernel_at(i); i++) {
    for (ash_fn fn = 0; is_first(i) && fn <= ASH_FN_COUNT; fn++) {
      if (!serves(ash_kernel_at(i), fn) || index-- > 0)
        continue;
      put_kernel(out, ash_kernel_at(i), fn, buf, size);
      return true;
    }
  }
  for (ash_fn fn = 0; fn < ASH_FN_COUNT; fn++) {
    if (!put_loop(fn, buf, size) || index-- > 0)
      continue;
    *out = (ash_op_row){.op = ash_fn_text(fn),
                        .types = buf,
                        .kernel = "loop",
                        .tiled = ash_op_is_tiled(ASH_OP_map),
                        .in_place = 7 >> (3 - ash_fn_operands(fn))};
    return true;
  }
  return false;
}
