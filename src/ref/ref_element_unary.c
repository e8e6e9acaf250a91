/* ref_element_unary.c - one input, one output element each, in integer
 * arithmetic: rectifiers and changes of quantisation. Other functions are in
 * ref_element_function.c. */
#include "ref/ref_call.h"
#include "ref/ref_fixed.h"

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

/* The function's name is the activation's. */
ash_status ash_ref_relu(const ash_ref_call *c) {
  const ash_ref_limits limits = ash_ref_limits_of(c, ash_op_text(c->op));
  const float ratio =
      ash_ref_scale_of(ash_ref_in(c, 0)) / ash_ref_scale_of(ash_ref_out(c, 0));
  return rescale_all(c, ash_ref_factor_of((double)ratio), &limits);
}

ash_status ash_ref_abs(const ash_ref_call *c) {
  const ash_tensor *in = ash_ref_in(c, 0), *out = ash_ref_out(c, 0);
  const uint64_t count = ash_ref_elements(out);
  const int32_t *x = ash_ref_widen(c, 0);
  ASH_TRY(ash_zone_check(c->ctx, &c->ctx->scratch));
  const ash_ref_limits limits = ash_ref_limits_of(c, "none");
  const float ratio = ash_ref_scale_of(in) / ash_ref_scale_of(out);
  const ash_ref_factor factor = ash_ref_factor_of((double)ratio);
  for (uint64_t i = 0; i < count; i++)
    ash_ref_put_int(c, &limits, i,
                    ash_ref_rescale(x[i] < 0 ? -x[i] : x[i], factor));
  return ASH_OK;
}

/* Below zero the slope is part of the factor; its sign is kept apart. */
ash_status ash_ref_leaky_relu(const ash_ref_call *c) {
  const float alpha = (float)ash_attr_float(c->op, "alpha", 0.0);
  const uint64_t count = ash_ref_elements(ash_ref_out(c, 0));
  const float in = ash_ref_scale_of(ash_ref_in(c, 0));
  const float out = ash_ref_scale_of(ash_ref_out(c, 0));
  const float product = in * fabsf(alpha);
  const float sloped = product / out, plain = in / out;
  const ash_ref_factor below = ash_ref_factor_of((double)sloped);
  const ash_ref_factor above = ash_ref_factor_of((double)plain);
  const ash_ref_limits limits = ash_ref_limits_of(c, "none");
  const int32_t *x = ash_ref_widen(c, 0);
  ASH_TRY(ash_zone_check(c->ctx, &c->ctx->scratch));
  for (uint64_t i = 0; i < count; i++) {
    const int32_t y = ash_ref_rescale(x[i], x[i] >= 0 ? above : below);
    ash_ref_put_int(c, &limits, i, x[i] < 0 && alpha < 0 ? -y : y);
  }
  return ASH_OK;
}

/* ---- quantize, dequantize ----------------------------------------------- */

ash_status ash_ref_quantize(const ash_ref_call *c) {
  const ash_ref_limits limits = ash_ref_limits_of(c, "none");
  const float scale = ash_ref_scale_of(ash_ref_out(c, 0));
  if (!ash_ref_is_float(c))
    return rescale_all(
        c,
        ash_ref_out_factor(c, (double)ash_ref_scale_of(ash_ref_in(c, 0)) /
                                  (double)scale),
        &limits);
  const float *x = ash_ref_read(c, 0);
  const uint64_t count = ash_ref_elements(ash_ref_out(c, 0));
  for (uint64_t i = 0; i < count; i++)
    ash_ref_put_int(c, &limits, i, ash_ref_to_int(x[i] / scale));
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

/* The table begins with the result of the smallest value. */
ash_status ash_ref_lookup(const ash_ref_call *c) {
  const uint8_t *x = ash_ref_read(c, 0), *table = ash_ref_read(c, 1);
  const uint8_t turn = ash_ref_in(c, 0)->type == ASH_INT8 ? 128 : 0;
  uint8_t *y = ash_ref_write(c, 0);
  for (uint64_t i = 0; i < ash_ref_elements(ash_ref_out(c, 0)); i++)
    y[i] = table[(uint8_t)(x[i] ^ turn)];
  return ASH_OK;
}

/* ---- hard swish --------------------------------------------------------- */

/* A factor with a multiplier of 15 bits. */
typedef struct factor16 {
  int32_t multiplier, shift;
} factor16;

static factor16 factor16_of(float real) {
  const ash_ref_factor f = ash_ref_factor_of((double)real);
  const bool top = f.multiplier >= INT32_MAX - (1 << 15);
  const int32_t rounded =
      (int32_t)(((int64_t)f.multiplier + (1 << 15)) / (1 << 16));
  return (factor16){top ? INT16_MAX : rounded, f.shift};
}

static int32_t saturate16(int64_t x) {
  if (x > INT16_MAX)
    return INT16_MAX;
  return x < INT16_MIN ? INT16_MIN : (int32_t)x;
}

/* a * b / 2^15, to nearest with halves up, or cut off. */
static int32_t high_mul16(int32_t a, int32_t b) {
  const int32_t product = a * b;
  const int32_t nudge = product >= 0 ? 1 << 14 : 1 - (1 << 14);
  return saturate16((product + nudge) / (1 << 15));
}

static int32_t high_mul16_cut(int32_t a, int32_t b) {
  return saturate16((int64_t)a * b / (1 << 15));
}

/* x from -3..3 to -1..1, saturating. */
static int32_t to_unit(int32_t x, factor16 f) {
  int64_t y = x;
  if (f.shift > 0) /* all but one bit of the shift before the product */
    y = saturate16(f.shift > 32 ? y * ((int64_t)1 << 32)
                                : y * ((int64_t)1 << (f.shift - 1)));
  y = high_mul16((int32_t)y, f.multiplier);
  if (f.shift > 0)
    y = saturate16(2 * y);
  if (f.shift < 0)
    y = ash_ref_round_shift((int32_t)y, -f.shift);
  return (int32_t)y;
}

ash_status ash_ref_hard_swish(const ash_ref_call *c) {
  const uint64_t count = ash_ref_elements(ash_ref_in(c, 0));
  const float fine = (1.0f / 128.0f) * ash_ref_scale_of(ash_ref_in(c, 0));
  const factor16 out = factor16_of(fine / ash_ref_scale_of(ash_ref_out(c, 0)));
  const factor16 unit = factor16_of(fine / (3.0f / 32768.0f));
  const ash_ref_limits limits = ash_ref_limits_of(c, "none");
  const int32_t *x = ash_ref_widen(c, 0);
  ASH_TRY(ash_zone_check(c->ctx, &c->ctx->scratch));
  for (uint64_t i = 0; i < count; i++) {
    const int32_t value = x[i] * 128;
    const int32_t gate = (to_unit(value, unit) + 32768) / 2;
    const int32_t product =
        high_mul16_cut(gate, high_mul16(value, out.multiplier));
    ash_ref_put_int(c, &limits, i, ash_ref_round_shift(product, -out.shift));
  }
  return ASH_OK;
}
