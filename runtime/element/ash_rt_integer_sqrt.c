/* ash_rt_integer_sqrt.c - the square root of an integer, downwards. */
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
