/* call_map.c - functions of one value at a time, besides those with a fixed
 * range (call_unary.c). */
#include "emit/call_write.h"

#include <string.h>

static const char *whole_function(ash_op_kind kind) {
  switch (kind) {
  case ASH_OP_abs:
    return "ABS";
  case ASH_OP_neg:
    return "NEG";
  case ASH_OP_sign:
    return "SIGN";
  default:
    return "NOT";
  }
}

ash_status ash_call_map(ash_ctx *ctx, const ash_call *c) {
  (void)ctx;
  const ash_op *op = ash_call_op(c);
  const char *name = c->kernel->name;
  const bool whole = strcmp(name, "map_whole") == 0;
  const bool sloped = strcmp(name, "leaky_relu_f32") == 0;
  const bool cast = strcmp(name, "cast") == 0;
  ash_call_open(c, whole || sloped || cast ? name : "count");
  ash_call_int(c, "count",
               (int64_t)ash_shape_elements(&ash_call_out(c)->shape));
  if (whole) {
    ash_call_type(c, "type", ash_call_out(c)->type);
    ash_call_word(c, "function", whole_function(op->kind));
  }
  if (sloped)
    ash_call_float(c, "alpha", (float)ash_op_float(op, "alpha", 0.0));
  if (cast) {
    ash_call_type(c, "from", ash_call_in(c, 0)->type);
    ash_call_type(c, "to", ash_call_out(c)->type);
  }
  ash_call_close(c);
  ash_call_invoke(c);
  return ASH_OK;
}
