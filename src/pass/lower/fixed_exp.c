/* fixed_exp.c - see fixed_exp.h.
 *
 * Fixed point: x is split into -k/4 and a rest in [-1/4, 0). The rest goes
 * through a polynomial of degree 4 around -1/8, and each set bit of k
 * multiplies by a constant. */
#include "pass/lower/fixed_exp.h"

#include <math.h>
#include <stddef.h>

int32_t ash_fixed_mul(int32_t a, int32_t b) {
  return (int32_t)(((int64_t)a * b + (1 << 30)) >> 31);
}

/* x / 2^n to the nearest, ties away from zero. */
static int32_t divide(int32_t x, int32_t n) {
  const int64_t half = INT64_C(1) << (n - 1);
  return (int32_t)((x + half - (x < 0)) >> n);
}

/* exp(x) for x in [-1/4, 0), all in Q0.31. */
static int32_t exp_of_quarter(int32_t x) {
  const int32_t e = 1895147668; /* exp(-1/8) */
  const int32_t third = 715827883;
  const int32_t y = x + (1 << 28);
  const int32_t y2 = ash_fixed_mul(y, y);
  const int32_t y3 = ash_fixed_mul(y2, y);
  const int32_t y4 = ash_fixed_mul(y2, y2);
  const int32_t tail = ash_fixed_mul(divide(y4, 2) + y3, third);
  return e + ash_fixed_mul(e, y + divide(tail + y2, 1));
}

int32_t ash_fixed_exp(int32_t x) {
  /* exp(-1/4), exp(-1/2), exp(-1), ... exp(-16) */
  static const int32_t power[] = {1672461947, 1302514674, 790015084, 290630308,
                                  39332535,   720401,     242};
  if (x == 0)
    return INT32_MAX;
  const int32_t quarter = 1 << 24;
  const int32_t rest = (x & (quarter - 1)) - quarter;
  const int32_t whole = rest - x;
  int32_t y = exp_of_quarter(rest * 32);
  for (size_t i = 0; i < sizeof power / sizeof *power; i++)
    if (whole >> (24 + i) & 1)
      y = ash_fixed_mul(y, power[i]);
  return y;
}

double ash_exact_exp(double x) {
  if (x > 700.0)
    return HUGE_VAL;
  if (x < -700.0)
    return 0.0;
  const double log2_high = 0x1.62e42fefa3800p-1; /* ends in zeros: k * this */
  const double log2_low = 0x1.ef35793c76730p-45; /* is exact               */
  const double k = floor(x * 1.4426950408889634 + 0.5);
  const double r = (x - k * log2_high) - k * log2_low;
  double sum = 1.0;
  for (int i = 20; i > 0; i--)
    sum = 1.0 + sum * r / i;
  return ldexp(sum, (int)k);
}
