/* ash_rt_lanes.h - inner loops that compilers turn into vector instructions by
 * themselves, where the processor has some: they run over a multiple of sixteen
 * elements, for GCC at -O2 wants to know that nothing is left over, with
 * factors of 16 bits, for which there are instructions. Elsewhere both cost
 * something and gain nothing. */
#ifndef ASH_RT_LANES_H
#define ASH_RT_LANES_H

#include "ash_rt.h"

#if defined(__SSE2__) || defined(__ARM_NEON)
#define ASH_RT_LANES 16
typedef int16_t ash_rt_factor;
#else
#define ASH_RT_LANES 1
typedef int32_t ash_rt_factor;
#endif

/* So many of `count` elements are done in vectors. */
static inline uint32_t ash_rt_in_lanes(int32_t count) {
  return (uint32_t)count & ~(uint32_t)(ASH_RT_LANES - 1);
}

/* ash_rt_mul_high in steps of 32 bits, for which there are vectors everywhere;
 * the product of sums may wrap around in between. */
static inline int32_t ash_rt_mul_high_lanes(int32_t x, int32_t m) {
  const uint32_t low = (uint32_t)(x & 0xffff) * (uint32_t)(m & 0xffff);
  const uint32_t mid =
      (uint32_t)(x & 0xffff) * (uint32_t)(m >> 16) + (low >> 16);
  const int32_t rest = (x >> 16) * (m & 0xffff) + (int32_t)(mid & 0xffff);
  const int32_t top =
      (x >> 16) * (m >> 16) + (int32_t)(mid >> 16) + (rest >> 16);
  return top * 2 + (int32_t)(((((uint32_t)rest & 0xffff) >> 14) + 1) >> 1);
}

/* ash_rt_shift_down by a number that is the same for all. */
typedef struct ash_rt_down {
  int32_t n, half, even; /* even: -1 if something is rounded */
} ash_rt_down;

static inline ash_rt_down ash_rt_down_of(int32_t shift) {
  ash_rt_down d = {-shift, 0, 0};
  if (shift < 0) {
    d.half = (int32_t)((uint32_t)1 << (d.n - 1));
    d.even = -1;
  }
  return d;
}

static inline int32_t ash_rt_go_down(int32_t x, ash_rt_down d) {
  return (x + ((x >> 31) & d.even) + d.half) >> d.n;
}

#endif
