/* ref_fixed.c - fixed-point arithmetic, one small function a definition. */
#include "ref/ref_fixed.h"

#include <math.h>

int32_t ash_ref_wrap(int64_t x) {
  const uint32_t low = (uint32_t)(uint64_t)x;
  return low <= INT32_MAX ? (int32_t)low
                          : (int32_t)(low - (1u << 31)) + INT32_MIN;
}

static int32_t saturate(int64_t x) {
  if (x > INT32_MAX)
    return INT32_MAX;
  return x < INT32_MIN ? INT32_MIN : (int32_t)x;
}

/* floor(x / 2^n) without shifting a negative number. */
static int64_t floor_shift(int64_t x, int32_t n) {
  return x >= 0 ? x >> n : -((-x + ((int64_t)1 << n) - 1) >> n);
}

ash_ref_factor ash_ref_factor_of(double real) {
  int shift;
  if (real == 0)
    return (ash_ref_factor){0, 0};
  int64_t multiplier = (int64_t)round(frexp(real, &shift) * 2147483648.0);
  if (multiplier == (int64_t)1 << 31) {
    multiplier /= 2;
    shift++;
  }
  if (shift < -31) /* too small to show in any result */
    return (ash_ref_factor){0, 0};
  return (ash_ref_factor){(int32_t)multiplier, shift};
}

int32_t ash_ref_high_mul(int32_t a, int32_t b) {
  if (a == INT32_MIN && b == INT32_MIN)
    return INT32_MAX;
  return (int32_t)floor_shift((int64_t)a * b + ((int64_t)1 << 30), 31);
}

int32_t ash_ref_round_shift(int32_t x, int32_t n) {
  const int64_t half = ((int64_t)1 << n) / 2;
  const int64_t size = x < 0 ? -(int64_t)x : x;
  const int64_t quotient = (size + half) >> n;
  return (int32_t)(x < 0 ? -quotient : quotient);
}

int32_t ash_ref_shift_left(int32_t x, int32_t n) {
  return saturate((int64_t)x * ((int64_t)1 << n));
}

int32_t ash_ref_rescale(int32_t x, ash_ref_factor f) {
  const int32_t left = f.shift > 0 ? f.shift : 0;
  const int32_t right = f.shift > 0 ? 0 : -f.shift;
  if (left > 31) /* every bit of x is shifted out */
    return 0;
  const int32_t shifted = ash_ref_wrap((int64_t)x * ((int64_t)1 << left));
  return ash_ref_round_shift(ash_ref_high_mul(shifted, f.multiplier), right);
}

/* exp(a) for a in [-1/4, 0), both in Q0.31: the Taylor polynomial of degree 4
 * around -1/8. */
static int32_t exp_near_zero(int32_t a) {
  const int32_t at_centre = 1895147668; /* exp(-1/8) */
  const int32_t third = 715827883;
  const int32_t x = a + (1 << 28);
  const int32_t x2 = ash_ref_high_mul(x, x);
  const int32_t x3 = ash_ref_high_mul(x2, x);
  const int32_t x4 = ash_ref_high_mul(x2, x2);
  const int32_t high = ash_ref_round_shift(
      ash_ref_high_mul(ash_ref_round_shift(x4, 2) + x3, third) + x2, 1);
  return at_centre + ash_ref_high_mul(at_centre, x + high);
}

int32_t ash_ref_exp(int32_t a) {
  /* exp(-1/4), exp(-1/2), ... exp(-16) in Q0.31 */
  static const int32_t powers[] = {1672461947, 1302514674, 790015084, 290630308,
                                   39332535,   720401,     242};
  const int32_t quarter = 1 << 24;
  if (a == 0)
    return INT32_MAX;
  const int32_t rest =
      (int32_t)((uint32_t)a & (uint32_t)(quarter - 1)) - quarter;
  const int32_t quarters = (rest - a) / quarter;
  int32_t y = exp_near_zero(rest * 32);
  for (int32_t k = 0; k < 7; k++)
    if (quarters >> k & 1)
      y = ash_ref_high_mul(y, powers[k]);
  return y;
}

int32_t ash_ref_reciprocal(int32_t x) {
  const int32_t one = 1 << 29; /* in Q2.29 */
  const int32_t half = (int32_t)(((int64_t)x + INT32_MAX + 1) / 2);
  int32_t y = 1515870810 + ash_ref_high_mul(half, -1010580540);
  for (int step = 0; step < 3; step++) {
    const int32_t error = one - ash_ref_high_mul(half, y);
    y += ash_ref_shift_left(ash_ref_high_mul(y, error), 2);
  }
  return ash_ref_shift_left(y, 1);
}
