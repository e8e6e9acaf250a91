/* ref_function.c - functions of one real number. In float32 they are computed
 * by way of double and rounded once, so that they are the same with every C
 * library; on 8-bit values they act as a table made in float32 would. */
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

ash_status ash_ref_map(const ash_ref_call *c, float (*real)(float x),
                       float (*table)(float x)) {
  const ash_tensor *in = ash_ref_in(c, 0);
  const uint64_t count = ash_ref_elements(in);
  if (ash_ref_is_float(c)) {
    const float *x = ash_ref_read(c, 0);
    float *y = ash_ref_write(c, 0);
    for (uint64_t i = 0; i < count; i++)
      y[i] = real(x[i]);
    return ASH_OK;
  }
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

static float logistic_real(float x) {
  if (x > 16.619047164916992188f) /* where 1 + exp(-x) rounds to 1 */
    return 1.0f;
  return x < -9.0f ? exp_real(x) : 1.0f / (1.0f + exp_real(-x));
}

static float logistic_table(float x) {
  return 1.0f / (1.0f + exp_real(-x));
}

static float elu_real(float x) {
  return x < 0 ? (float)expm1((double)x) : x;
}

ash_status ash_ref_exponential(const ash_ref_call *c) {
  return ash_ref_map(c, exp_real, exp_real);
}

ash_status ash_ref_logistic(const ash_ref_call *c) {
  if (ash_ref_in(c, 0)->type == ASH_INT16)
    return ash_ref_curve(c);
  return ash_ref_map(c, logistic_real, logistic_table);
}

ash_status ash_ref_tanh(const ash_ref_call *c) {
  if (ash_ref_in(c, 0)->type == ASH_INT16)
    return ash_ref_curve(c);
  return ash_ref_map(c, tanh_real, tanh_real);
}

ash_status ash_ref_elu(const ash_ref_call *c) {
  return ash_ref_map(c, elu_real, elu_real);
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
  if (ash_attr_int(c->op, "approximate", 0))
    return ash_ref_map(c, gelu_approximate, gelu_approximate);
  return ash_ref_map(c, gelu_exact, gelu_exact);
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
  return ash_ref_map(c, log_real, log_table);
}

/* Cuts the result off instead of rounding it. Negative values have no root and
 * count as zero. */
ash_status ash_ref_sqrt(const ash_ref_call *c) {
  const ash_tensor *in = ash_ref_in(c, 0);
  const uint64_t count = ash_ref_elements(in);
  if (ash_ref_is_float(c))
    return ash_ref_map(c, sqrtf, NULL);
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
  if (ash_ref_is_float(c) || ash_ref_in(c, 0)->type == ASH_INT16)
    return ash_ref_map(c, rsqrt_real, rsqrt_table);
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

/* ---- float32 only ------------------------------------------------------- */

static float square_real(float x) {
  return x * x;
}
static float sin_real(float x) {
  return (float)sin((double)x);
}
static float cos_real(float x) {
  return (float)cos((double)x);
}

/* Halves go to the even neighbour. */
static float round_real(float x) {
  const float low = floorf(x), rest = x - low;
  if (rest < 0.5f || (rest == 0.5f && fmodf(low, 2) == 0))
    return low;
  return low + 1.0f;
}

ash_status ash_ref_square(const ash_ref_call *c) {
  return ash_ref_map(c, square_real, NULL);
}

ash_status ash_ref_sin(const ash_ref_call *c) {
  return ash_ref_map(c, sin_real, NULL);
}

ash_status ash_ref_cos(const ash_ref_call *c) {
  return ash_ref_map(c, cos_real, NULL);
}

ash_status ash_ref_floor(const ash_ref_call *c) {
  return ash_ref_map(c, floorf, NULL);
}

ash_status ash_ref_ceil(const ash_ref_call *c) {
  return ash_ref_map(c, ceilf, NULL);
}

ash_status ash_ref_round(const ash_ref_call *c) {
  return ash_ref_map(c, round_real, NULL);
}

/* ---- signs, also of whole numbers --------------------------------------- */

static float neg_real(float x) {
  return -x;
}

static float sign_real(float x) {
  if (x != x)
    return x;
  return (float)((x > 0) - (x < 0));
}

static ash_status map_whole(const ash_ref_call *c, bool sign) {
  const ash_tensor *t = ash_ref_out(c, 0);
  const uint64_t count = ash_ref_elements(t);
  for (uint64_t i = 0; i < count; i++) {
    const int64_t x = ash_ref_get(t, ash_ref_read(c, 0), i);
    ash_ref_put(t, ash_ref_write(c, 0), i,
                sign ? (x > 0) - (x < 0) : (int64_t)(0 - (uint64_t)x));
  }
  return ASH_OK;
}

ash_status ash_ref_neg(const ash_ref_call *c) {
  return ash_ref_is_float(c) ? ash_ref_map(c, neg_real, NULL)
                             : map_whole(c, false);
}

ash_status ash_ref_sign(const ash_ref_call *c) {
  return ash_ref_is_float(c) ? ash_ref_map(c, sign_real, NULL)
                             : map_whole(c, true);
}
