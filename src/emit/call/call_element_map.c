/* call_element_map.c - functions of one value at a time, besides those with a
 * fixed range (call_element_unary.c). */
#include "emit/call/call_write.h"

static void put_leaky(const ash_call *c) {
  const double alpha = ash_attr_float(ash_call_op(c), "alpha", 0.0);
  ash_scaling above, below;
  const bool good = ash_quant_leaky(&above, &below, ash_call_in(c, 0),
                                    ash_call_out(c), alpha);
  ASH_ASSERT(good);
  ash_call_open(c, "leaky_relu_s16");
  ash_call_int(c, "count",
               (int64_t)ash_shape_elements(&ash_call_out(c)->shape));
  ash_call_int(c, "multiplier", above.multiplier);
  ash_call_int(c, "shift", above.shift);
  ash_call_int(c, "below_multiplier", below.multiplier);
  ash_call_int(c, "below_shift", below.shift);
  ash_call_int(c, "turned", (float)alpha < 0);
  ash_call_close(c);
  ash_call_invoke(c);
}

static void put_abs(const ash_call *c) {
  ash_scaling s;
  const bool good = ash_quant_relu(&s, ash_call_in(c, 0), ash_call_out(c));
  ASH_ASSERT(good);
  ash_call_open(c, "abs_s16");
  ash_call_int(c, "count",
               (int64_t)ash_shape_elements(&ash_call_out(c)->shape));
  ash_call_int(c, "multiplier", s.multiplier);
  ash_call_int(c, "shift", s.shift);
  ash_call_close(c);
  ash_call_invoke(c);
}

static void put_sqrt(const ash_call *c) {
  ash_call_open(c, "sqrt_s16");
  ash_call_int(c, "count",
               (int64_t)ash_shape_elements(&ash_call_out(c)->shape));
  ash_call_float(c, "in_scale", ash_quant_scale(ash_call_in(c, 0)));
  ash_call_float(c, "out_scale", ash_quant_scale(ash_call_out(c)));
  ash_call_close(c);
  ash_call_invoke(c);
}

void ash_call_map(const ash_call *c) {
  const ash_params params = c->kernel->params;
  if (params == ASH_PARAMS_abs_s16) {
    put_abs(c);
    return;
  }
  if (params == ASH_PARAMS_sqrt_s16) {
    put_sqrt(c);
    return;
  }
  if (params == ASH_PARAMS_leaky_relu_s16) {
    put_leaky(c);
    return;
  }
  ash_call_open(c,
                params == ASH_PARAMS_other ? "count" : c->kernel->params_name);
  ash_call_int(c, "count",
               (int64_t)ash_shape_elements(&ash_call_out(c)->shape));
  if (params == ASH_PARAMS_cast) {
    ash_call_type(c, "from", ash_call_in(c, 0)->type);
    ash_call_type(c, "to", ash_call_out(c)->type);
  }
  ash_call_close(c);
  ash_call_invoke(c);
}
