/* ash_rt_fixed.h - fixed-point arithmetic that few kernels need. */
#ifndef ASH_RT_FIXED_H
#define ASH_RT_FIXED_H

#include "ash_rt.h"

/* The same of a sum of 64 bits, |x| < 2^47: the multiplier is cut to 15 bits,
 * the result rounded once, ties up. shift < 15. */
static inline int32_t ash_rt_rescale_long(int64_t x, int32_t multiplier,
                                          int32_t shift) {
  const int32_t m =
      multiplier < 0x7fff0000 ? (multiplier + (1 << 15)) >> 16 : 0x7fff;
  const int32_t n = 15 - shift;
  const int64_t y = (x * m + ((int64_t)1 << (n - 1))) >> n;
  return y > INT32_MAX ? INT32_MAX : y < INT32_MIN ? INT32_MIN : (int32_t)y;
}

/* x * (high * 2^22 + low) * 2^-(22 + shift) to the nearest, ties away from
 * zero, within 2^16 of 0. The product has up to 84 bits: it is formed in two
 * parts, and `whole` is its floor after division by 2^22. Lowering a negative
 * product by one turns the rounding of ties from up to away. */
static inline int32_t ash_rt_rescale_53(int32_t x, int32_t high, int32_t low,
                                        int32_t shift) {
  const int64_t rest = ((int64_t)x * low - (x < 0)) >> 22;
  const int64_t whole = (int64_t)x * high + rest;
  const int64_t y = (whole + ((int64_t)1 << (shift - 1))) >> shift;
  return y > 65536 ? 65536 : y < -65536 ? -65536 : (int32_t)y;
}

/* x * 2^n, saturated. */
static inline int32_t ash_rt_shift_up(int32_t x, int32_t n) {
  const int32_t limit = INT32_MAX >> n;
  if (x > limit)
    return INT32_MAX;
  if (x < -limit - 1)
    return INT32_MIN;
  return x * (1 << n);
}

/* 1 / (1 + x) for x in [0, 1), both in Q0.31. The estimate is in Q2.29. */
static inline int32_t ash_rt_inverse(int32_t x) {
  const int32_t half = (int32_t)(((int64_t)x + INT32_MAX + 1) / 2);
  int32_t y = 1515870810 + ash_rt_mul_high(half, -1010580540); /* 48-32x /17 */
  for (int32_t i = 0; i < 3; i++) {
    const int32_t rest = (1 << 29) - ash_rt_mul_high(half, y);
    y += ash_rt_shift_up(ash_rt_mul_high(y, rest), 2);
  }
  return ash_rt_shift_up(y, 1);
}

/* Zeros above the highest one, 32 for 0. */
static inline int32_t ash_rt_zeros(uint32_t x) {
  int32_t n = 0;
  while (n < 32 && !(x >> 31)) {
    x <<= 1;
    n++;
  }
  return n;
}

#endif
