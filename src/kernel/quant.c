/* quant.c - see quant.h. Comments name the order of operations only where a
 * float and a double product would differ. */
#include "kernel/quant.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- multipliers -------------------------------------------------------- */

/* Half away from zero of a number below 2^53. */
static int64_t round_away(double x) {
  const int64_t whole = (int64_t)x;
  const double rest = x - (double)whole;
  return whole + (rest >= 0.5) - (rest <= -0.5);
}

bool ash_quant_scaling(ash_scaling *out, double real) {
  *out = (ash_scaling){0, 0};
  if (real == 0.0)
    return true;
  if (!isfinite(real))
    return false;
  int shift;
  int64_t fixed = round_away(frexp(real, &shift) * (double)(INT64_C(1) << 31));
  if (fixed == INT64_C(1) << 31) {
    fixed /= 2;
    shift++;
  }
  if (shift > 31)
    return false;
  if (shift >= -31)
    *out = (ash_scaling){(int32_t)fixed, shift};
  return true;
}

bool ash_quant_scaling_to(ash_scaling *out, const ash_tensor *result,
                          double real) {
  const double whole = real * (double)(INT64_C(1) << 31);
  if (!result->quant.once || !(real >= ASH_QUANT_ONCE_LEAST) ||
      whole >= (double)INT32_MAX)
    return ash_quant_scaling(out, real);
  *out = (ash_scaling){(int32_t)round_away(whole), 0};
  return true;
}

int64_t ash_quant_rescale(int64_t sum, ash_scaling s) {
  ASH_ASSERT(s.shift <= 0 && s.shift > -62);
  const int64_t x = (sum * s.multiplier + (INT64_C(1) << 30)) >> 31;
  if (s.shift == 0)
    return x;
  return (x + (INT64_C(1) << (-s.shift - 1)) - (x < 0)) >> -s.shift;
}

int64_t ash_quant_limit(int64_t x, ash_int_range range) {
  return x < range.low ? range.low : x > range.high ? range.high : x;
}

bool ash_quant_long_scaling(ash_long_scaling *out, double real) {
  int exponent;
  const double part = frexp(real, &exponent);
  *out = (ash_long_scaling){0, 1};
  if (exponent > 30)
    return false;
  if (exponent >= -31)
    *out = (ash_long_scaling){(int64_t)(part * (double)(INT64_C(1) << 53)),
                              31 - exponent};
  return true;
}

float ash_quant_round(float x) {
  if (!(fabsf(x) < 8388608.0f)) /* 2^23: already whole */
    return x;
  const int32_t whole = (int32_t)x;
  const float rest = x - (float)whole;
  return (float)(whole + (rest >= 0.5f) - (rest <= -0.5f));
}

/* ---- ranges ------------------------------------------------------------- */

ash_int_range ash_kernel_type_range(ash_type type) {
  switch (type) {
  case ASH_UINT8:
    return (ash_int_range){0, UINT8_MAX};
  case ASH_INT16:
    return (ash_int_range){INT16_MIN, INT16_MAX};
  case ASH_INT32:
    return (ash_int_range){INT32_MIN, INT32_MAX};
  default:
    return (ash_int_range){INT8_MIN, INT8_MAX};
  }
}

static const struct {
  const char *act;
  float low, high;
} act_table[] = {
    {"relu", 0.0f, FLT_MAX},
    {"relu6", 0.0f, 6.0f},
    {"relu_0_to_1", 0.0f, 1.0f},
    {"relu_n1_to_1", -1.0f, 1.0f},
};

ash_float_range ash_float_range_of(const char *act) {
  for (size_t i = 0; i < ASH_COUNT_OF(act_table); i++)
    if (strcmp(act_table[i].act, act) == 0)
      return (ash_float_range){act_table[i].low, act_table[i].high};
  return (ash_float_range){-FLT_MAX, FLT_MAX};
}

/* The quantised value of a bound, kept inside the type. */
static int32_t bound(const ash_tensor *t, float value, ash_int_range all) {
  const double q = (double)ash_quant_round(value / ash_quant_scale(t)) +
                   (double)ash_quant_zero(t);
  return q <= all.low ? all.low : q >= all.high ? all.high : (int32_t)q;
}

ash_int_range ash_quant_range(const ash_tensor *t, const char *act) {
  const ash_int_range all = ash_kernel_type_range(t->type);
  const ash_float_range f = ash_float_range_of(act);
  ash_int_range r = all;
  if (f.low > -FLT_MAX)
    r.low = bound(t, f.low, all);
  if (f.high < FLT_MAX)
    r.high = bound(t, f.high, all);
  return r;
}

/* ---- quantisation of a tensor ------------------------------------------- */

static ash_status check_entry(ash_ctx *ctx, const ash_graph *g, uint32_t op,
                              uint32_t tensor, uint32_t i) {
  const ash_tensor *t = &g->tensors.items[tensor];
  const ash_int_range all = ash_kernel_type_range(t->type);
  const float scale = t->quant.scale[i];
  const int32_t zero = t->quant.zero_point[i];
  if (!isfinite(scale) || scale <= 0.0f)
    return ash_fail(
        ctx, ASH_MALFORMED, ASH_D_quant_scale, ash_graph_loc(g, op, tensor),
        "scale %u of tensor '%s' is %g", (unsigned)i, t->name, (double)scale);
  if (zero < all.low || zero > all.high)
    return ash_fail(ctx, ASH_MALFORMED, ASH_D_quant_zero_point,
                    ash_graph_loc(g, op, tensor),
                    "zero point %u of tensor '%s' is %ld, outside %s",
                    (unsigned)i, t->name, (long)zero, ash_type_text(t->type));
  return ASH_OK;
}

ash_status ash_quant_check(ash_ctx *ctx, const ash_graph *g, uint32_t op,
                           uint32_t tensor) {
  const ash_tensor *t = &g->tensors.items[tensor];
  if (t->quant.count != 1)
    return ash_fail(ctx, ASH_MALFORMED, ASH_D_quant_missing,
                    ash_graph_loc(g, op, tensor),
                    "tensor '%s' has %u scales; one is needed", t->name,
                    (unsigned)t->quant.count);
  return check_entry(ctx, g, op, tensor, 0);
}

ash_status ash_quant_check_weights(ash_ctx *ctx, const ash_graph *g,
                                   uint32_t op, uint32_t tensor, int32_t axis) {
  const ash_tensor *t = &g->tensors.items[tensor];
  const ash_quant *q = &t->quant;
  if (q->count <= 1)
    return ash_quant_check(ctx, g, op, tensor);
  if (q->axis != axis || (int64_t)q->count != t->shape.dim[axis])
    return ash_fail(ctx, ASH_MALFORMED, ASH_D_quant_channels,
                    ash_graph_loc(g, op, tensor),
                    "weights '%s' have %u scales along axis %ld; one is "
                    "needed, or %ld along axis %ld",
                    t->name, (unsigned)q->count, (long)q->axis,
                    (long)t->shape.dim[axis], (long)axis);
  for (uint32_t i = 0; i < q->count; i++)
    ASH_TRY(check_entry(ctx, g, op, tensor, i));
  return ASH_OK;
}

ash_status ash_quant_fail_ratio(ash_ctx *ctx, const ash_graph *g, uint32_t op,
                                double real) {
  return ash_fail(ctx, ASH_UNSUPPORTED, ASH_D_quant_ratio,
                  ash_graph_loc(g, op, g->ops.items[op].outputs[0]),
                  "the scales of this operator have the ratio %g", real);
}

/* ---- operators ---------------------------------------------------------- */

/* uint8 layers multiply the scales as floats. */
static double conv_ratio(const ash_tensor *in, const ash_tensor *filter,
                         const ash_tensor *result, uint32_t channel) {
  const uint32_t k = filter->quant.count > 1 ? channel : 0;
  const float product = ash_quant_scale(in) * filter->quant.scale[k];
  if (in->type == ASH_UINT8)
    return (double)product / (double)ash_quant_scale(result);
  return (double)ash_quant_scale(in) * (double)filter->quant.scale[k] /
         (double)ash_quant_scale(result);
}

bool ash_quant_conv(ash_scaling *out, const ash_tensor *in,
                    const ash_tensor *filter, const ash_tensor *result,
                    uint32_t channel) {
  return ash_quant_scaling_to(out, result,
                              conv_ratio(in, filter, result, channel));
}

double ash_quant_ratio(const ash_tensor *in, const ash_tensor *filter,
                       const ash_tensor *result, uint32_t channel) {
  return conv_ratio(in, filter, result, channel);
}

bool ash_quant_fully_connected(ash_long_scaling *out, const ash_tensor *in,
                               const ash_tensor *filter,
                               const ash_tensor *result, uint32_t channel) {
  return ash_quant_long_scaling(out, conv_ratio(in, filter, result, channel));
}

bool ash_quant_add(ash_add_scaling *out, const ash_tensor *a,
                   const ash_tensor *b, const ash_tensor *result) {
  const float sa = ash_quant_scale(a), sb = ash_quant_scale(b);
  const double twice = (double)(2.0f * (sa > sb ? sa : sb));
  const double unit = (double)(1048576.0f * ash_quant_scale(result));
  const double real = twice / unit;
  return ash_quant_scaling(&out->a, (double)sa / twice) &&
         ash_quant_scaling(&out->b, (double)sb / twice) && real < 1.0 &&
         ash_quant_scaling(&out->out, real);
}

/* What cannot be shifted so far ends at the limits of 8 bits, but for 0: so
 * does a product of 16 bits times this. */
static double within_reach(float real, const ash_tensor *result) {
  const bool bytes = result->type == ASH_INT8 || result->type == ASH_UINT8;
  return bytes && isfinite(real) && real >= 0x1p31f ? 16384.0 : (double)real;
}

/* The product is one of floats. */
bool ash_quant_mul(ash_scaling *out, const ash_tensor *a, const ash_tensor *b,
                   const ash_tensor *result) {
  const float product = ash_quant_scale(a) * ash_quant_scale(b);
  const float real = product / ash_quant_scale(result);
  return ash_quant_scaling_to(out, result, within_reach(real, result));
}

bool ash_quant_convert(ash_scaling *out, const ash_tensor *in,
                       const ash_tensor *result) {
  return ash_quant_scaling_to(out, result,
                              (double)ash_quant_scale(in) /
                                  (double)ash_quant_scale(result));
}

/* The quotient is one of floats. */
bool ash_quant_relu(ash_scaling *out, const ash_tensor *in,
                    const ash_tensor *result) {
  const float real = ash_quant_scale(in) / ash_quant_scale(result);
  return ash_quant_scaling(out, (double)real);
}

bool ash_quant_mean(ash_scaling *out, const ash_tensor *in,
                    const ash_tensor *result, int64_t count) {
  if (result->quant.once)
    return ash_quant_scaling_to(out, result,
                                (double)ash_quant_scale(in) /
                                    (double)ash_quant_scale(result) /
                                    (double)count);
  if (!ash_quant_convert(out, in, result))
    return false;
  int32_t shift = 0;
  while (shift < 32 && count >> (shift + 1))
    shift++;
  if (shift > 31 + out->shift)
    shift = 31 + out->shift;
  out->multiplier =
      (int32_t)(((int64_t)out->multiplier * (INT64_C(1) << shift)) / count);
  out->shift -= shift;
  return true;
}
