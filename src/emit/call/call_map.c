/* call_map.c - functions of one value at a time, besides those with a fixed
 * range (call_unary.c). */
#include "emit/call/call_write.h"

#include <string.h>

static ash_status put_leaky(ash_ctx *ctx, const ash_call *c) {
  const float alpha = (float)ash_attr_float(ash_call_op(c), "alpha", 0.0);
  const float in = ash_quant_scale(ash_call_in(c, 0));
  const float out = ash_quant_scale(ash_call_out(c));
  const float product = in * (alpha < 0 ? -alpha : alpha);
  const float sloped = product / out, plain = in / out;
  ash_scaling above, below;
  if (!ash_quant_scaling(&above, (double)plain) ||
      !ash_quant_scaling(&below, (double)sloped))
    return ash_quant_fail_ratio(ctx, c->graph, c->op, (double)plain);
  ash_call_open(c, "leaky_relu_s16");
  ash_call_int(c, "count",
               (int64_t)ash_shape_elements(&ash_call_out(c)->shape));
  ash_call_int(c, "multiplier", above.multiplier);
  ash_call_int(c, "shift", above.shift);
  ash_call_int(c, "below_multiplier", below.multiplier);
  ash_call_int(c, "below_shift", below.shift);
  ash_call_int(c, "turned", alpha < 0);
  ash_call_close(c);
  ash_call_invoke(c);
  return ASH_OK;
}

static ash_status put_abs(ash_ctx *ctx, const ash_call *c) {
  const float ratio =
      ash_quant_scale(ash_call_in(c, 0)) / ash_quant_scale(ash_call_out(c));
  ash_scaling s;
  if (!ash_quant_scaling(&s, (double)ratio))
    return ash_quant_fail_ratio(ctx, c->graph, c->op, (double)ratio);
  ash_call_open(c, "abs_s16");
  ash_call_int(c, "count",
               (int64_t)ash_shape_elements(&ash_call_out(c)->shape));
  ash_call_int(c, "multiplier", s.multiplier);
  ash_call_int(c, "shift", s.shift);
  ash_call_close(c);
  ash_call_invoke(c);
  return ASH_OK;
}

static ash_status put_sqrt(const ash_call *c) {
  ash_call_open(c, "sqrt_s16");
  ash_call_int(c, "count",
               (int64_t)ash_shape_elements(&ash_call_out(c)->shape));
  ash_call_float(c, "in_scale", ash_quant_scale(ash_call_in(c, 0)));
  ash_call_float(c, "out_scale", ash_quant_scale(ash_call_out(c)));
  ash_call_close(c);
  ash_call_invoke(c);
  return ASH_OK;
}

ash_status ash_call_map(ash_ctx *ctx, const ash_call *c) {
  if (strcmp(c->kernel->name, "abs_s16") == 0)
    return put_abs(ctx, c);
  if (strcmp(c->kernel->name, "sqrt_s16") == 0)
    return put_sqrt(c);
  if (strcmp(c->kernel->name, "leaky_relu_s16") == 0)
    return put_leaky(ctx, c);
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
    ash_call_function(c, "function");
  }
  if (sloped)
    ash_call_float(c, "alpha", (float)ash_attr_float(op, "alpha", 0.0));
  if (cast) {
    ash_call_type(c, "from", ash_call_in(c, 0)->type);
    ash_call_type(c, "to", ash_call_out(c)->type);
  }
  ash_call_close(c);
  ash_call_invoke(c);
  return ASH_OK;
}
