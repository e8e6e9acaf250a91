/* ref_element_function.c - functions of one real number on quantised values:
 * they act as a table made in float32 would, by way of double so that they are
 * the same with every C library. */
#include "ref/ref_call.h"
#include "ref/ref_fixed.h"

#include <math.h>

int32_t ash_ref_to_int(float x) {
  const float r = roundf(x);
  if (r != r)
    return 0;
  if (r > 1e9f)
    return 1000000000;
  return r < -1e9f ? -1000000000 : (int32_t)r;
}

/* Quantised values by way of what they mean. */
static ash_status map_table(const ash_ref_call *c, float (*table)(float x)) {
  const ash_tensor *in = ash_ref_in(c, 0);
  const uint64_t count = ash_ref_elements(in);
  if (in->type == ASH_INT16)
    return ash_ref_map16(c, table);
  const ash_ref_limits limits = ash_ref_limits_of(c, "none");
  const float inverse = 1.0f / ash_ref_scale_of(ash_ref_out(c, 0));
  const int32_t *x = ash_ref_widen(c, 0);
  ASH_TRY(ash_zone_check(c->ctx, &c->ctx->scratch));
  for (uint64_t i = 0; i < count; i++) {
    const float value = table(ash_ref_scale_of(in) * (float)x[i]);
    ash_ref_put_int(c, &limits, i, ash_ref_to_int(value * inverse));
  }
  return ASH_OK;
}

/* ---- exponentials ------------------------------------------------------- */

static float exp_real(float x) {
  return (float)exp((double)x);
}
static float tanh_real(float x) {
  return (float)tanh((double)x);
}

static float logistic_table(float x) {
  return 1.0f / (1.0f + exp_real(-x));
}

static float elu_real(float x) {
  return x < 0 ? (float)expm1((double)x) : x;
}

ash_status ash_ref_exponential(const ash_ref_call *c) {
  return map_table(c, exp_real);
}

ash_status ash_ref_logistic(const ash_ref_call *c) {
  if (ash_ref_in(c, 0)->type == ASH_INT16)
    return ash_ref_curve(c);
  return map_table(c, logistic_table);
}

ash_status ash_ref_tanh(const ash_ref_call *c) {
  if (ash_ref_in(c, 0)->type == ASH_INT16)
    return ash_ref_curve(c);
  return map_table(c, tanh_real);
}

ash_status ash_ref_elu(const ash_ref_call *c) {
  return map_table(c, elu_real);
}

static float gelu_exact(float x) {
  const float root_half = 0.70710678118654752440f;
  return 0.5f * x * (float)erfc((double)(x * -root_half));
}

static float gelu_approximate(float x) {
  const float root_two_over_pi = 0.79788456080286535588f;
  const float cubic = x + 0.044715f * x * x * x;
  return 0.5f * x * (1.0f + tanh_real(root_two_over_pi * cubic));
}

ash_status ash_ref_gelu(const ash_ref_call *c) {
  return map_table(c, gelu_exact);
}

ash_status ash_ref_gelu_tanh(const ash_ref_call *c) {
  return map_table(c, gelu_approximate);
}

/* ---- logarithm, roots --------------------------------------------------- */

static float log_real(float x) {
  return (float)log((double)x);
}

/* What has no logarithm becomes the smallest value. */
static float log_table(float x) {
  return x <= 0 ? -INFINITY : log_real(x);
}

ash_status ash_ref_logarithm(const ash_ref_call *c) {
  return map_table(c, log_table);
}

/* Cuts the result off instead of rounding it. Negative values have no root and
 * count as zero. */
ash_status ash_ref_sqrt(const ash_ref_call *c) {
  const ash_tensor *in = ash_ref_in(c, 0);
  const uint64_t count = ash_ref_elements(in);
  const ash_ref_limits limits = ash_ref_limits_of(c, "none");
  const int32_t *x = ash_ref_widen(c, 0);
  ASH_TRY(ash_zone_check(c->ctx, &c->ctx->scratch));
  for (uint64_t i = 0; i < count; i++) {
    const float value = ash_ref_scale_of(in) * (float)(x[i] < 0 ? 0 : x[i]);
    const float steps = sqrtf(value) / ash_ref_scale_of(ash_ref_out(c, 0));
    ash_ref_put_int(c, &limits, i, (int32_t)fminf(steps, 1e9f));
  }
  return ASH_OK;
}

static float rsqrt_real(float x) {
  return 1.0f / sqrtf(x);
}

static float rsqrt_table(float x) {
  return x <= 0 ? INFINITY : rsqrt_real(x);
}

/* Fixed point with 20 more bits; zero and below give the largest value. */
ash_status ash_ref_rsqrt(const ash_ref_call *c) {
  const uint64_t count = ash_ref_elements(ash_ref_in(c, 0));
  if (ash_ref_in(c, 0)->type == ASH_INT16)
    return map_table(c, rsqrt_table);
  const float root = sqrtf(ash_ref_scale_of(ash_ref_in(c, 0)));
  const float product = root * ash_ref_scale_of(ash_ref_out(c, 0));
  ash_ref_factor factor = ash_ref_factor_of(1.0 / (double)product);
  factor.shift -= 20;
  const ash_ref_limits limits = ash_ref_limits_of(c, "none");
  const int32_t *x = ash_ref_widen(c, 0);
  ASH_TRY(ash_zone_check(c->ctx, &c->ctx->scratch));
  for (uint64_t i = 0; i < count; i++) {
    ash_ref_factor inverse = ash_ref_inverse_sqrt(x[i]);
    inverse.shift += 20;
    ash_ref_put_int(c, &limits, i,
                    x[i] <= 0
                        ? 1000000
                        : ash_ref_rescale(ash_ref_rescale(1, inverse), factor));
  }
  return ASH_OK;
}
