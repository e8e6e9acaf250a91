/* loop_element_map.c - one element after the other: map. */
#include "emit/loop/loop.h"

#include <stdio.h>
#include <string.h>

enum { NAME = 40 };

static const char *const arrays[] = {"pa", "pb", "pc"};
static const char *const names[] = {"a", "b", "c"};

/* Do results of 32 bits hold whatever it makes of operands of 32 bits? */
static bool keeps_width(ash_fn fn) {
  switch (fn) {
  case ASH_FN_minimum:
  case ASH_FN_maximum:
  case ASH_FN_bit_and:
  case ASH_FN_bit_or:
  case ASH_FN_bit_xor:
  case ASH_FN_select:
  case ASH_FN_cast:
  case ASH_FN_relu:
  case ASH_FN_relu6:
  case ASH_FN_relu_n1_to_1:
  case ASH_FN_relu_0_to_1:
  case ASH_FN_clip:
    return true;
  default:
    return ash_fn_result_of(fn) == ASH_FN_BOOL;
  }
}

static bool is_narrow(const ash_call *c) {
  bool narrow = keeps_width(ash_op_fn(ash_call_op(c)));
  for (uint32_t k = 0; narrow && k < ash_call_op(c)->input_count; k++)
    narrow = ash_loop_is_narrow(ash_call_in(c, k)->type) ||
             ash_call_in(c, k)->type == ASH_BOOL;
  return narrow;
}

static void put_operand(const ash_call *c, const ash_nest *n, uint32_t k) {
  char index[ASH_LOOP_TEXT], value[2 * ASH_LOOP_TEXT];
  const ash_type type = ash_call_in(c, k)->type;
  ash_loop_index(index, n, k + 1, "i");
  ash_text_line(c->text, "const %s %s = %s;",
                is_narrow(c) ? "int32_t" : ash_loop_type(type), names[k],
                ash_loop_load(value, type, arrays[k], index));
}

/* The fused activation: bounds, of infinities too. */
static void put_bounds(const ash_call *c, char *value) {
  const ash_float_range r =
      ash_float_range_of(ash_attr_string(ash_call_op(c), "act", "none"));
  char low[NAME], high[NAME];
  ash_loop_real(low, sizeof low, c, ASH_FLOAT32, (double)r.low);
  ash_loop_real(high, sizeof high, c, ASH_FLOAT32, (double)r.high);
  ash_text_line(c->text, "const float r = %s;", value);
  (void)snprintf(value, ASH_LOOP_TEXT, "r < %s ? %s : r > %s ? %s : r", low,
                 low, high, high);
}

void ash_loop_map(const ash_call *c) {
  const ash_op *op = ash_call_op(c);
  const ash_fn fn = ash_op_fn(op);
  const ash_nest n = ash_nest_of(c);
  const ash_type out = ash_call_out(c)->type;
  char value[ASH_LOOP_TEXT], index[ASH_LOOP_TEXT], alpha[NAME];
  ash_type in[ASH_FN_OPERANDS] = {ASH_NONE};
  for (uint32_t k = 0; k < op->input_count; k++)
    in[k] = ash_call_in(c, k)->type;
  const char *operands[] = {"a", "b", "c"};
  if (fn == ASH_FN_leaky_relu)
    operands[1] = ash_loop_real(alpha, sizeof alpha, c, ASH_FLOAT32,
                                ash_attr_float(op, "alpha", 0.0));
  const char *text =
      ash_loop_scalar(value, sizeof value, fn, ash_fn_inner(fn, in), operands);
  ASH_ASSERT(text != NULL);
  (void)text;
  for (uint32_t k = 0; k < op->input_count; k++)
    ash_loop_input(c, arrays[k], k);
  ash_loop_output(c, "y", 0);
  ash_loop_open(c, &n, "i");
  for (uint32_t k = 0; k < op->input_count; k++)
    put_operand(c, &n, k);
  if (ash_attr_find(op, "act") && out == ASH_FLOAT32)
    put_bounds(c, value);
  ash_loop_store(c, out, ash_loop_yields(fn, in, out), "y",
                 ash_loop_index(index, &n, 0, "i"), value);
  ash_loop_close(c, &n);
}
