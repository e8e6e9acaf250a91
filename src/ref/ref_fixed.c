/* ref_fixed.c - fixed-point arithmetic, one small function a definition. */
#include "ref/ref_fixed.h"
#include "ref/ref_call.h"

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
  if (real == 0 || !isfinite(real)) /* no ratio: kernels refuse it */
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

ash_ref_factor ash_ref_factor_once(double real) {
  const double whole = real * 2147483648.0;
  if (real >= 1.0 / 4096 && whole < 2147483647.0)
    return (ash_ref_factor){(int32_t)round(whole), 0};
  return ash_ref_factor_of(real);
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

int32_t ash_ref_rescale_long(int64_t x, ash_ref_factor f) {
  const int64_t top = INT64_C(1) << 47; /* what the operators may sum up to */
  const int64_t sum = x > top ? top : x < -top ? -top : x;
  const int64_t multiplier = f.multiplier < 0x7fff0000
                                 ? ((int64_t)f.multiplier + (1 << 15)) >> 16
                                 : 0x7fff;
  const int32_t shift = 15 - f.shift;
  if (shift < 1) /* no scales that make sense get here */
    return sum > 0 ? INT32_MAX : sum < 0 ? INT32_MIN : 0;
  return saturate(
      floor_shift(sum * multiplier + (INT64_C(1) << (shift - 1)), shift));
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

int32_t ash_ref_leading_zeros(uint32_t x) {
  int32_t n = 0;
  while (n < 32 && !(x >> (31 - n) & 1))
    n++;
  return n;
}

/* The number is brought to [1/2, 2) in Q3.28 by an even number of bits; five
 * steps x <- x * (3 - a * x * x) / 2 from 1. */
ash_ref_factor ash_ref_inverse_sqrt(int32_t x) {
  if (x <= 1)
    return (ash_ref_factor){INT32_MAX, 0};
  int32_t value = x, shift = 11;
  for (; value >= 1 << 29; shift++)
    value /= 4;
  const int32_t pairs = (ash_ref_leading_zeros((uint32_t)value) - 1) / 2 - 1;
  shift -= pairs;
  value = (int32_t)((uint32_t)value << (2 * pairs));
  const int32_t half = ash_ref_round_shift(value >> 1, 1);
  const int32_t three_halves = (1 << 28) + (1 << 27);
  int32_t y = 1 << 28;
  for (int step = 0; step < 5; step++) {
    const int32_t cube =
        ash_ref_shift_left(ash_ref_high_mul(ash_ref_high_mul(y, y), y), 6);
    y = ash_ref_shift_left(
        ash_ref_wrap((int64_t)ash_ref_high_mul(three_halves, y) -
                     ash_ref_high_mul(half, cube)),
        3);
  }
  y = ash_ref_high_mul(y, 1518500250); /* sqrt(1/2) */
  if (shift < 0) {
    y = ash_ref_wrap((int64_t)y * ((int64_t)1 << -shift));
    shift = 0;
  }
  return (ash_ref_factor){y, -shift};
}

/* x = 2^k * r with r around sqrt(sqrt(1/2)), found in two ways of which the
 * better is taken; log(r) is a rational function. Accumulated in Q6.25. */
int32_t ash_ref_log(int32_t x) {
  const int32_t log_2 = 1488522236, root_half = 1518500250;
  const int32_t centre = 1805811301, quarter = 1 << 23;
  const int32_t zeros_a = ash_ref_leading_zeros((uint32_t)x);
  const int32_t scaled = ash_ref_shift_left(x, zeros_a - 1);
  const int32_t r_a =
      ash_ref_shift_left(ash_ref_high_mul(scaled, root_half), 1);
  const int32_t power_a =
      saturate((int64_t)ash_ref_shift_left(12 - zeros_a, 25) + quarter);
  const int32_t zeros_b =
      ash_ref_leading_zeros((uint32_t)ash_ref_high_mul(x, root_half)) - 1;
  const int32_t r_b = ash_ref_shift_left(x, zeros_b);
  const int32_t power_b =
      saturate((int64_t)ash_ref_shift_left(12 - zeros_b, 25) - quarter);
  const int32_t r = r_a < r_b ? r_a : r_b;
  const int32_t power = power_a > power_b ? power_a : power_b;
  const int64_t sum = (int64_t)r + centre;
  const int32_t p = (int32_t)((sum + (sum >= 0 ? 1 : -1)) / 2);
  const int32_t q = ash_ref_wrap(2 * ((int64_t)r - centre));
  const int32_t q2 = ash_ref_high_mul(q, q);
  const int32_t above =
      ash_ref_wrap((int64_t)ash_ref_high_mul(q, r) +
                   ash_ref_high_mul(ash_ref_high_mul(q, q2), 117049297));
  const int32_t inner =
      ash_ref_wrap((int64_t)1057819769 + q + ash_ref_high_mul(127690142, q2));
  const int32_t below = ash_ref_wrap((int64_t)ash_ref_high_mul(p, inner) +
                                     ash_ref_high_mul(638450708, q));
  const int32_t part = ash_ref_high_mul(ash_ref_round_shift(above, 6),
                                        ash_ref_reciprocal(below));
  return ash_ref_shift_left(
      ash_ref_wrap((int64_t)ash_ref_high_mul(power, log_2) + part), 1);
}

/* ---- layers of integers without scales ---------------------------------- */

/* Input k of a channel: absent, one for all, or one for each. */
static uint64_t of_channel(const ash_ref_call *c, uint32_t k,
                           uint64_t channel) {
  const ash_tensor *t = ash_ref_in(c, k);
  if (!t)
    return 0;
  return (uint64_t)ash_ref_get(t, ash_ref_read(c, k),
                               ash_ref_elements(t) == 1 ? 0 : channel);
}

void ash_ref_put_integer(const ash_ref_call *c, uint64_t i, uint64_t channel,
                         uint64_t sum) {
  ASH_ASSERT(ash_type_bits(ash_ref_out(c, 0)->type) <= 32);
  int64_t y = (int32_t)(uint32_t)(sum + of_channel(c, 2, channel));
  if (ash_ref_in(c, 3)) {
    y = (int64_t)((uint64_t)y * of_channel(c, 3, channel) +
                  of_channel(c, 4, channel));
    y >>= ash_attr_int(c->op, "shift", 0);
  }
  const int64_t low = ash_attr_int(c->op, "low", INT64_MIN);
  const int64_t high = ash_attr_int(c->op, "high", INT64_MAX);
  y = y < low ? low : y;
  y = y > high ? high : y;
  ash_ref_put(ash_ref_out(c, 0), ash_ref_write(c, 0), i, y);
}
