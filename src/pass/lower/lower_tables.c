/* lower_tables.c - see lower_tables.h. */
#include "pass/lower/lower_tables.h"

#include "kernel/quant.h"
#include "pass/lower/fixed_exp.h"

#include <math.h>

/* ---- relu and its kin: integer arithmetic ------------------------------- */

static int32_t mul_high(int32_t x, ash_scaling s) {
  const int32_t up = s.shift > 0 ? s.shift : 0;
  const int32_t y = ash_fixed_mul((int32_t)((uint32_t)x << up), s.multiplier);
  const int32_t down = s.shift > 0 ? 0 : -s.shift;
  if (down == 0)
    return y;
  return (int32_t)((y + (INT64_C(1) << (down - 1)) - (y < 0)) >> down);
}

static void fill_relu(int8_t out[256], const ash_tensor *in,
                      const ash_tensor *result, ash_scaling s,
                      ash_int_range range) {
  for (int32_t x = -128; x < 128; x++) {
    const int64_t y =
        (int64_t)mul_high(x - ash_quant_zero(in), s) + ash_quant_zero(result);
    out[x + 128] = (int8_t)(y < range.low    ? range.low
                            : y > range.high ? range.high
                                             : y);
  }
}

/* ---- logistic and tanh: float arithmetic -------------------------------- */

static float logistic(float x) {
  return 1.0f / (1.0f + (float)ash_exact_exp((double)-x));
}

static float tanh_of(float x) {
  const double e = ash_exact_exp(-2.0 * fabs((double)x));
  const double y = (1.0 - e) / (1.0 + e);
  return (float)(x < 0 ? -y : y);
}

static void fill_float(int8_t out[256], const ash_tensor *in,
                       const ash_tensor *result, float (*f)(float)) {
  const float inverse = 1.0f / ash_quant_scale(result);
  for (int32_t x = -128; x < 128; x++) {
    const float real = ash_quant_scale(in) * (float)(x - ash_quant_zero(in));
    const double y = (double)ash_quant_round(f(real) * inverse) +
                     (double)ash_quant_zero(result);
    out[x + 128] = (int8_t)(y < -128.0 ? -128.0 : y > 127.0 ? 127.0 : y);
  }
}

ash_status ash_table_of_unary(ash_ctx *ctx, int8_t out[256], const ash_graph *g,
                              uint32_t op) {
  const ash_op *o = &g->ops.items[op];
  const ash_tensor *in = ash_op_in(g, o, 0);
  const ash_tensor *result = ash_op_out(g, o, 0);
  const ash_fn fn = ash_op_fn(o);
  if (fn == ASH_FN_logistic || fn == ASH_FN_tanh) {
    fill_float(out, in, result, fn == ASH_FN_logistic ? logistic : tanh_of);
    return ASH_OK;
  }
  ash_scaling s;
  if (!ash_quant_relu(&s, in, result))
    return ash_quant_fail_ratio(ctx, g, op,
                                (double)ash_quant_scale(in) /
                                    (double)ash_quant_scale(result));
  fill_relu(out, in, result, s, ash_quant_range(result, ash_op_text(o)));
  return ASH_OK;
}

/* ---- softmax ------------------------------------------------------------ */

ash_status ash_table_of_softmax(ash_ctx *ctx, int32_t out[256],
                                const ash_graph *g, uint32_t op, double scale) {
  const double beta = ash_attr_float(&g->ops.items[op], "beta", 1.0);
  double real = beta * scale * (double)(1 << 26);
  if (real > 2147483647.0)
    real = 2147483647.0;
  if (!(real > 1.0))
    return ash_quant_fail_ratio(ctx, g, op, beta * scale);
  int up;
  const double part = frexp(real, &up);
  int64_t fixed = (int64_t)(part * 2147483648.0 + 0.5);
  if (fixed == INT64_C(1) << 31) {
    fixed /= 2;
    up++;
  }
  const double farthest = floor(31.0 * ldexp(1.0, 26 - up));
  for (int32_t d = 0; d < 256; d++)
    out[d] =
        d > farthest
            ? 0
            : ash_fixed_exp(ash_fixed_mul(
                  (int32_t)(-(int64_t)d * (INT64_C(1) << up)), (int32_t)fixed));
  return ASH_OK;
}
