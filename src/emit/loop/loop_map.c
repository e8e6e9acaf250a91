/* loop_map.c - one element after the other: map. */
#include "emit/loop/loop.h"

/* The named operators that are a function of functions.def, for float32. */
static ash_fn function_of(const ash_op *op) {
  return op->kind == ASH_OP_map ? ash_op_fn(op)
                                : ash_fn_find(ash_op_kind_text(op->kind));
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

ash_status ash_loop_map(ash_ctx *ctx, const ash_call *c) {
  static const char *const arrays[] = {"pa", "pb", "pc"};
  static const char *const names[] = {"a", "b", "c"};
  const ash_fn fn = function_of(ash_call_op(c));
  const ash_nest n = ash_nest_of(c);
  char value[ASH_LOOP_TEXT], index[ASH_LOOP_TEXT];
  ash_type in[ASH_FN_OPERANDS] = {ASH_NONE};
  for (uint32_t k = 0; k < ash_call_op(c)->input_count; k++)
    in[k] = ash_call_in(c, k)->type;
  if (fn == ASH_FN_COUNT ||
      !ash_loop_scalar(value, sizeof value, fn, ash_loop_inner(fn, in), names))
    return ash_loop_no_function(ctx, c, fn, in[0]);
  for (uint32_t k = 0; k < ash_call_op(c)->input_count; k++)
    ash_loop_input(c, arrays[k], k);
  ash_loop_output(c, "y", 0);
  ash_loop_open(c, &n, "i");
  for (uint32_t k = 0; k < ash_call_op(c)->input_count; k++)
    put_operand(c, &n, k);
  const ash_type out = ash_call_out(c)->type;
  ash_loop_store(c, out, ash_loop_yields(fn, in, out), "y",
                 ash_loop_index(index, &n, 0, "i"), value);
  ash_loop_close(c, &n);
  return ASH_OK;
}
