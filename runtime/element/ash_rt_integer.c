/* ash_rt_integer.c - roots, downwards, digits and powers of integers. */
#include "ash_rt_loops.h"

int64_t ash_rt_integer_sqrt(int64_t x) {
  uint64_t rest = x > 0 ? (uint64_t)x : 0, root = 0;
  uint64_t bit = (uint64_t)1 << 62;
  while (bit > rest)
    bit >>= 2;
  for (; bit; bit >>= 2) {
    if (rest >= root + bit) {
      rest -= root + bit;
      root = (root >> 1) + bit;
    } else {
      root >>= 1;
    }
  }
  return (int64_t)root;
}

/* Binary digits. */
int64_t ash_rt_bit_length(uint64_t x) {
  int64_t n = 0;
  for (int32_t half = 32; half > 0; half /= 2)
    if (x >> half) {
      x >>= half;
      n += half;
    }
  return n + (int64_t)x;
}

/* Powers wrap around; of negative exponents the integer part is left. */
int64_t ash_rt_integer_pow(int64_t x, int64_t n) {
  uint64_t y = 1, power = (uint64_t)x;
  if (n < 0)
    return x == 1 ? 1 : x == -1 ? 1 - 2 * (n & 1) : 0;
  for (; n > 0; n >>= 1, power *= power)
    if (n & 1)
      y *= power;
  return (int64_t)y;
}
