/* ash_rt_pairs_whole.c - arithmetic of whole numbers that are not quantised:
 * positions, sizes, counters, truth values. Rare and small, so one kernel does
 * for all types and functions. */
#include "ash_rt_whole.h"

static int64_t ash_rt_whole_quotient(int64_t x, int64_t y) {
  return y == 0 ? 0 : y == -1 ? (int64_t)(0 - (uint64_t)x) : x / y;
}

static int64_t ash_rt_whole_remainder(int64_t x, int64_t y) {
  return y == 0 || y == -1 ? 0 : x % y;
}

/* Exponents below 0 give 0. */
static int64_t ash_rt_whole_power(int64_t x, int64_t y) {
  uint64_t result = y < 0 ? 0 : 1, power = (uint64_t)x;
  for (; y > 0; y >>= 1, power *= power)
    if (y & 1)
      result *= power;
  return (int64_t)result;
}

static int64_t ash_rt_whole_floor(int32_t function, int64_t x, int64_t y) {
  const int64_t rest = ash_rt_whole_remainder(x, y);
  const int64_t off = rest != 0 && (x < 0) != (y < 0);
  return function == ASH_RT_FLOOR_DIV ? ash_rt_whole_quotient(x, y) - off
                                      : rest + off * y;
}

static int64_t ash_rt_whole_pair(int32_t function, int64_t x, int64_t y) {
  const uint64_t difference = (uint64_t)x - (uint64_t)y;
  switch (function) {
  case ASH_RT_ADD:
    return (int64_t)((uint64_t)x + (uint64_t)y);
  case ASH_RT_SUB:
    return (int64_t)difference;
  case ASH_RT_MUL:
    return (int64_t)((uint64_t)x * (uint64_t)y);
  case ASH_RT_DIV:
    return ash_rt_whole_quotient(x, y);
  case ASH_RT_MINIMUM:
    return x < y ? x : y;
  case ASH_RT_MAXIMUM:
    return x > y ? x : y;
  case ASH_RT_SQUARED_DIFFERENCE:
    return (int64_t)(difference * difference);
  case ASH_RT_POW:
    return ash_rt_whole_power(x, y);
  case ASH_RT_AND:
    return x != 0 && y != 0;
  case ASH_RT_OR:
    return x != 0 || y != 0;
  default:
    return ash_rt_whole_floor(function, x, y);
  }
}

void ash_rt_pairs_whole(const ash_rt_pairs_whole_params *p, const void *a,
                        const void *b, void *out) {
  ptrdiff_t at = 0;
  ASH_RT_PAIRS_ANY(&p->shape, p->type, a, b, {
    ash_rt_store(out, p->type, at++, ash_rt_whole_pair(p->function, x, y));
  });
}
