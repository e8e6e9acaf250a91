/* loop_map.c - one element after the other: map. */
#include "emit/loop.h"

/* The named operators that are a function of functions.def, for float32. */
static ash_fn function_of(const ash_op *op) {
  return op->kind == ASH_OP_map ? ash_op_fn(op)
                                : ash_fn_find(ash_op_kind_text(op->kind));
}

static ash_status no_function(ash_ctx *ctx, const ash_call *c, ash_fn fn) {
  return ash_fail(ctx, ASH_UNSUPPORTED, ASH_D_kernel_none,
                  ash_graph_loc(c->graph, c->op, ASH_NO_ID),
                  "no kernel for %s of %s", ash_fn_text(fn),
                  ash_type_text(ash_call_in(c, 0)->type));
}

/* Which type the function computes in. */
static ash_type inner_type(const ash_call *c, ash_fn fn) {
  const ash_tensor *first = ash_call_in(c, 0);
  if (fn == ASH_FN_select)
    return ash_call_in(c, 1)->type;
  if (fn == ASH_FN_pow && ash_type_is_float(ash_call_in(c, 1)->type) &&
      !ash_type_is_float(first->type))
    return ASH_FLOAT64;
  return first->type;
}

static void put_operand(const ash_call *c, const ash_nest *n, uint32_t k) {
  static const char *const arrays[] = {"pa", "pb", "pc"};
  static const char *const names[] = {"a", "b", "c"};
  char index[ASH_LOOP_TEXT], value[2 * ASH_LOOP_TEXT];
  const ash_type type = ash_call_in(c, k)->type;
  ash_loop_index(index, n, k + 1, "i");
  ash_text_line(c->text, "const %s %s = %s;", ash_loop_type(type), names[k],
                ash_loop_load(value, type, arrays[k], index));
}

/* The type of what the expression yields, for storing. */
static ash_type result_type(const ash_call *c, ash_fn fn) {
  if (fn == ASH_FN_cast)
    return ash_call_in(c, 0)->type;
  if (fn == ASH_FN_pow && !ash_type_is_float(ash_call_out(c)->type))
    return ASH_FLOAT64;
  return ash_call_out(c)->type;
}

ash_status ash_loop_map(ash_ctx *ctx, const ash_call *c) {
  static const char *const arrays[] = {"pa", "pb", "pc"};
  const ash_fn fn = function_of(ash_call_op(c));
  const ash_nest n = ash_nest_of(c);
  char value[ASH_LOOP_TEXT], index[ASH_LOOP_TEXT];
  if (fn == ASH_FN_COUNT ||
      !ash_loop_scalar(value, sizeof value, fn, inner_type(c, fn)))
    return no_function(ctx, c, fn);
  for (uint32_t k = 0; k < ash_call_op(c)->input_count; k++)
    ash_loop_input(c, arrays[k], k);
  ash_loop_output(c, "y", 0);
  ash_loop_open(c, &n, "i");
  for (uint32_t k = 0; k < ash_call_op(c)->input_count; k++)
    put_operand(c, &n, k);
  ash_loop_store(c, ash_call_out(c)->type, result_type(c, fn), "y",
                 ash_loop_index(index, &n, 0, "i"), value);
  ash_loop_close(c, &n);
  return ASH_OK;
}
