/* call_unary.c - one value in, one value out: softmax, activations, quantize
 * and dequantize. */
#include "emit/call_write.h"

static int64_t elements(const ash_call *c) {
  return (int64_t)ash_shape_elements(&ash_call_out(c)->shape);
}

static void put_softmax(const ash_call *c) {
  const ash_shape *s = &ash_call_in(c, 0)->shape;
  const int64_t depth = s->rank ? s->dim[s->rank - 1] : 1;
  const bool real = ash_call_out(c)->type == ASH_FLOAT32;
  ash_call_open(c, real ? "softmax_f32" : "rows");
  ash_call_int(c, "rows", depth ? elements(c) / depth : 0);
  ash_call_int(c, "depth", depth);
  if (real)
    ash_call_float(c, "beta", (float)ash_op_float(ash_call_op(c), "beta", 1.0));
}

static void put_activation(const ash_call *c) {
  const ash_op_kind kind = ash_call_op(c)->kind;
  const bool smooth = kind == ASH_OP_logistic || kind == ASH_OP_tanh;
  if (ash_call_out(c)->type != ASH_FLOAT32 || smooth) {
    ash_call_open(c, "count");
    ash_call_int(c, "count", elements(c));
    return;
  }
  const ash_float_range r = ash_float_range_of(ash_op_kind_text(kind));
  ash_call_open(c, "clamp_f32");
  ash_call_int(c, "count", elements(c));
  ash_call_int(c, "bounded", kind != ASH_OP_relu);
  ash_call_float(c, "low", r.low);
  ash_call_float(c, "high", r.high);
}

static ash_status put_conversion(ash_ctx *ctx, const ash_call *c) {
  const ash_tensor *in = ash_call_in(c, 0), *out = ash_call_out(c);
  const bool from = in->type == ASH_FLOAT32, to = out->type == ASH_FLOAT32;
  if (from || to) {
    ash_call_open(c, "affine");
    ash_call_int(c, "count", elements(c));
    ash_call_float(c, "scale", ash_quant_scale(to ? in : out));
    ash_call_int(c, "zero_point", ash_quant_zero(to ? in : out));
    return ASH_OK;
  }
  ash_scaling s;
  if (!ash_quant_convert(&s, in, out))
    return ash_quant_fail_ratio(ctx, c->graph, c->op,
                                (double)ash_quant_scale(ash_call_in(c, 0)));
  ash_call_open(c, "requantize");
  ash_call_int(c, "count", elements(c));
  ash_call_int(c, "in_offset", -ash_quant_zero(in));
  ash_call_int(c, "out_offset", ash_quant_zero(out));
  ash_call_int(c, "multiplier", s.multiplier);
  ash_call_int(c, "shift", s.shift);
  return ASH_OK;
}

ash_status ash_call_unary(ash_ctx *ctx, const ash_call *c) {
  switch (ash_call_op(c)->kind) {
  case ASH_OP_softmax:
    put_softmax(c);
    break;
  case ASH_OP_quantize:
  case ASH_OP_dequantize:
    ASH_TRY(put_conversion(ctx, c));
    break;
  default:
    put_activation(c);
  }
  ash_call_close(c);
  ash_call_invoke(c);
  return ASH_OK;
}
