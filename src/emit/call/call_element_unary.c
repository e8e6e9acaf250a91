/* call_element_unary.c - one value in, one value out: softmax, activations,
 * quantize and dequantize. */
#include "emit/call/call_write.h"

#include <math.h>

static int64_t elements(const ash_call *c) {
  return (int64_t)ash_shape_elements(&ash_call_out(c)->shape);
}

/* Differences in units of 10 / 65535. */
static void put_softmax_scale(const ash_call *c) {
  ash_scaling s;
  const bool good = ash_quant_softmax_s16(
      &s, ash_call_in(c, 0), ash_attr_float(ash_call_op(c), "beta", 1.0));
  ASH_ASSERT(good);
  ash_call_int(c, "multiplier", s.multiplier);
  ash_call_int(c, "shift", s.shift);
}

/* What TensorFlow Lite computes for its integer softmax: the scale of the
 * differences in Q5.26, and how far below the maximum an element counts. */
static void put_softmax_cmsis(const ash_call *c) {
  const ash_shape *s = &ash_call_in(c, 0)->shape;
  const int64_t depth = s->rank ? s->dim[s->rank - 1] : 1;
  ash_scaling scale;
  const bool good = ash_quant_softmax(
      &scale, ash_call_in(c, 0), ash_attr_float(ash_call_op(c), "beta", 1.0));
  ASH_ASSERT(good);
  ash_call_open(c, "softmax_cmsis");
  ash_call_int(c, "rows", depth ? elements(c) / depth : 0);
  ash_call_int(c, "depth", depth);
  ash_call_int(c, "multiplier", scale.multiplier);
  ash_call_int(c, "shift", scale.shift);
  ash_call_int(c, "diff_min",
               -(int64_t)floor(31.0 * ldexp(1.0, 26 - scale.shift)));
}

static void put_softmax(const ash_call *c) {
  ASH_ASSERT(ash_call_in(c, 0)->shape.rank <= ASH_RANK_MAX);
  const ash_shape *s = &ash_call_in(c, 0)->shape;
  const int64_t depth = s->rank ? s->dim[s->rank - 1] : 1;
  const ash_type type = ash_call_in(c, 0)->type;
  const bool real = type == ASH_FLOAT32;
  ash_call_open(c, real                ? "softmax_f32"
                   : type == ASH_INT16 ? "softmax_s16"
                                       : "rows");
  ash_call_int(c, "rows", depth ? elements(c) / depth : 0);
  ash_call_int(c, "depth", depth);
  if (type == ASH_INT16)
    put_softmax_scale(c);
  if (real)
    ash_call_float(c, "beta",
                   (float)ash_attr_float(ash_call_op(c), "beta", 1.0));
}

/* Inputs of the curves in 1/12288: by a shift where the scale is 1/4096 (tanh:
 * or 1/8192 * 4), else by a multiplier of 15 bits. */
static void put_curve(const ash_call *c) {
  ASH_ASSERT(ash_call_out(c)->type == ASH_INT16);
  const ash_tensor *in = ash_call_in(c, 0);
  const int32_t most = ash_op_fn(ash_call_op(c)) == ASH_FN_tanh ? 1 : 0;
  int32_t power, shift = 0;
  const bool exact = ash_quant_power(&power, in);
  double multiplier = (double)ash_quant_scale(in) * 4096.0 * 3.0;
  ash_call_open(c, "curve_s16");
  ash_call_int(c, "count", elements(c));
  if (exact && power + 12 >= 0 && power + 12 <= most) {
    ash_call_int(c, "multiplier", 3 << (power + 12));
    return;
  }
  while (multiplier <= 32767.0 / 2.0 && shift <= 30) {
    shift++;
    multiplier *= 2.0;
  }
  ash_call_int(c, "multiplier",
               multiplier > 1e9 ? 1000000000 : (int64_t)multiplier);
  ash_call_int(c, "shift", shift);
}

static void put_convert(const ash_call *c) {
  const ash_tensor *in = ash_call_in(c, 0), *out = ash_call_out(c);
  const bool relu = ash_call_op(c)->kind != ASH_OP_quantize;
  const ash_int_range r =
      ash_quant_range(out, relu ? ash_op_text(ash_call_op(c)) : "none");
  ash_scaling s;
  const bool good =
      relu ? ash_quant_relu(&s, in, out) : ash_quant_convert(&s, in, out);
  ASH_ASSERT(good);
  ash_call_open(c, "convert");
  ash_call_int(c, "count", elements(c));
  ash_call_type(c, "from", in->type);
  ash_call_type(c, "to", out->type);
  ash_call_int(c, "in_offset", -ash_quant_zero(in));
  ash_call_int(c, "out_offset", ash_quant_zero(out));
  ash_call_int(c, "multiplier", s.multiplier);
  ash_call_int(c, "shift", s.shift);
  ash_call_int(c, "low", r.low);
  ash_call_int(c, "high", r.high);
}

static void put_conversion(const ash_call *c) {
  const ash_tensor *in = ash_call_in(c, 0), *out = ash_call_out(c);
  const bool from = in->type == ASH_FLOAT32, to = out->type == ASH_FLOAT32;
  if (from || to) {
    ash_call_open(c, "affine");
    ash_call_int(c, "count", elements(c));
    ash_call_float(c, "scale", ash_quant_scale(to ? in : out));
    ash_call_int(c, "zero_point", ash_quant_zero(to ? in : out));
    return;
  }
  ash_scaling s;
  const bool good = ash_quant_convert(&s, in, out);
  ASH_ASSERT(good);
  ash_call_open(c, "requantize");
  ash_call_int(c, "count", elements(c));
  ash_call_int(c, "in_offset", -ash_quant_zero(in));
  ash_call_int(c, "out_offset", ash_quant_zero(out));
  ash_call_int(c, "multiplier", s.multiplier);
  ash_call_int(c, "shift", s.shift);
}

/* ---- calls --------------------------------------------------------------- */

static void finish(const ash_call *c) {
  ash_call_close(c);
  ash_call_invoke(c);
}

void ash_call_softmax(const ash_call *c) {
  if (c->kernel->params == ASH_PARAMS_softmax_cmsis)
    put_softmax_cmsis(c);
  else
    put_softmax(c);
  finish(c);
}

void ash_call_conversion(const ash_call *c) {
  if (c->kernel->params == ASH_PARAMS_convert)
    put_convert(c);
  else
    put_conversion(c);
  finish(c);
}

void ash_call_activation(const ash_call *c) {
  if (c->kernel->params == ASH_PARAMS_convert)
    put_convert(c);
  else if (ash_call_out(c)->type == ASH_INT16)
    put_curve(c);
  else {
    ash_call_map(c);
    return;
  }
  finish(c);
}
