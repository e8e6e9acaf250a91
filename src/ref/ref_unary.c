/* ref_unary.c - one input, one output element each: activations, changes of
 * quantisation. Functions of one int8 value are computed in float32 from the
 * value's real meaning, as a table would be. */
#include "ref/ref_call.h"
#include "ref/ref_fixed.h"

#include <float.h>
#include <math.h>

static ash_status rescale_all(const ash_ref_call *c, ash_ref_factor factor,
                              const ash_ref_limits *limits) {
  const int32_t *x = ash_ref_widen(c, 0);
  ASH_TRY(ash_zone_check(c->ctx, &c->ctx->scratch));
  const uint64_t count = ash_ref_elements(ash_ref_out(c, 0));
  for (uint64_t i = 0; i < count; i++)
    ash_ref_put_int(c, limits, i, ash_ref_rescale(x[i], factor));
  return ASH_OK;
}

/* The operator's name is the activation's. An unbounded side is infinite here,
 * unlike in a fused activation. */
ash_status ash_ref_relu(const ash_ref_call *c) {
  ash_ref_limits limits = ash_ref_limits_of(c, ash_op_kind_text(c->op->kind));
  if (ash_ref_is_float(c)) {
    const float *x = ash_ref_read(c, 0);
    float *y = ash_ref_write(c, 0);
    const uint64_t count = ash_ref_elements(ash_ref_out(c, 0));
    if (limits.fhi >= FLT_MAX)
      limits.fhi = INFINITY;
    for (uint64_t i = 0; i < count; i++)
      y[i] = ash_ref_clamp(&limits, x[i]);
    return ASH_OK;
  }
  const float ratio =
      ash_ref_scale_of(ash_ref_in(c, 0)) / ash_ref_scale_of(ash_ref_out(c, 0));
  return rescale_all(c, ash_ref_factor_of((double)ratio), &limits);
}

/* ---- quantize, dequantize ----------------------------------------------- */

/* To a whole number, cut where no type reaches; NaN becomes 0. */
static int32_t round_to_int(float x) {
  const float r = roundf(x);
  if (r != r)
    return 0;
  if (r > 1e9f)
    return 1000000000;
  return r < -1e9f ? -1000000000 : (int32_t)r;
}

ash_status ash_ref_quantize(const ash_ref_call *c) {
  const ash_ref_limits limits = ash_ref_limits_of(c, "none");
  const float scale = ash_ref_scale_of(ash_ref_out(c, 0));
  if (!ash_ref_is_float(c))
    return rescale_all(
        c,
        ash_ref_factor_of((double)ash_ref_scale_of(ash_ref_in(c, 0)) /
                          (double)scale),
        &limits);
  const float *x = ash_ref_read(c, 0);
  const uint64_t count = ash_ref_elements(ash_ref_out(c, 0));
  for (uint64_t i = 0; i < count; i++)
    ash_ref_put_int(c, &limits, i, round_to_int(x[i] / scale));
  return ASH_OK;
}

/* Which scale belongs to element i. */
static uint32_t channel_of(const ash_tensor *t, uint64_t i) {
  uint64_t inner = 1;
  if (t->quant.count <= 1)
    return 0;
  for (uint32_t k = (uint32_t)t->quant.axis + 1; k < t->shape.rank; k++)
    inner *= (uint64_t)t->shape.dim[k];
  return (uint32_t)(i / inner % t->quant.count);
}

ash_status ash_ref_dequantize(const ash_ref_call *c) {
  const ash_tensor *in = ash_ref_in(c, 0);
  float *y = ash_ref_write(c, 0);
  const uint64_t count = ash_ref_elements(in);
  for (uint64_t i = 0; i < count; i++) {
    const uint32_t k = channel_of(in, i);
    const int64_t steps =
        ash_ref_get(in, ash_ref_read(c, 0), i) - in->quant.zero_point[k];
    y[i] = (float)((double)in->quant.scale[k] * (double)steps);
  }
  return ASH_OK;
}

/* ---- functions ---------------------------------------------------------- */

/* Float32 functions by way of double: the same on every C library. */
static float exp_real(float x) {
  return (float)exp((double)x);
}
static float tanh_real(float x) {
  return (float)tanh((double)x);
}

static float logistic_real(float x) {
  if (x > 16.619047164916992188f) /* where 1 + exp(-x) rounds to 1 */
    return 1.0f;
  return x < -9.0f ? exp_real(x) : 1.0f / (1.0f + exp_real(-x));
}

static float logistic_table(float x) {
  return 1.0f / (1.0f + exp_real(-x));
}

static ash_status map_values(const ash_ref_call *c, float (*real)(float),
                             float (*table)(float)) {
  const ash_tensor *in = ash_ref_in(c, 0);
  const uint64_t count = ash_ref_elements(in);
  if (ash_ref_is_float(c)) {
    const float *x = ash_ref_read(c, 0);
    float *y = ash_ref_write(c, 0);
    for (uint64_t i = 0; i < count; i++)
      y[i] = real(x[i]);
    return ASH_OK;
  }
  const ash_ref_limits limits = ash_ref_limits_of(c, "none");
  const float inverse = 1.0f / ash_ref_scale_of(ash_ref_out(c, 0));
  const int32_t *x = ash_ref_widen(c, 0);
  ASH_TRY(ash_zone_check(c->ctx, &c->ctx->scratch));
  for (uint64_t i = 0; i < count; i++) {
    const float value = table(ash_ref_scale_of(in) * (float)x[i]);
    ash_ref_put_int(c, &limits, i, round_to_int(value * inverse));
  }
  return ASH_OK;
}

ash_status ash_ref_logistic(const ash_ref_call *c) {
  return map_values(c, logistic_real, logistic_table);
}

ash_status ash_ref_tanh(const ash_ref_call *c) {
  return map_values(c, tanh_real, tanh_real);
}
