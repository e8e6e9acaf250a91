/* ref_hard_swish.c - x * relu6(x + 3) / 6, on 8-bit values in 16-bit fixed
 * point. The rounding of each step is part of the result. */
#include "ref/ref_call.h"
#include "ref/ref_fixed.h"

#include <math.h>

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
