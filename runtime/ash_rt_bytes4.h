/* ash_rt_bytes4.h - products of four bytes at once: what the Xpulp extension of
 * PULP clusters (RI5CY, GAP8, GAP9, Siracusa) has instructions for. With its
 * compilers, which define __pulp__, these functions are builtins, one
 * instruction each, and counted loops become hardware loops by themselves.
 * Elsewhere -DASH_RT_XPULP=1 takes the same way through the kernels in plain C:
 * slow, but byte for byte what a cluster computes. */
#ifndef ASH_RT_BYTES4_H
#define ASH_RT_BYTES4_H

#include "ash_rt.h"

#ifndef ASH_RT_XPULP
#if defined(__pulp__)
#define ASH_RT_XPULP 1
#else
#define ASH_RT_XPULP 0
#endif
#endif

#if ASH_RT_XPULP && defined(__pulp__)
typedef int8_t ash_rt_bytes4 __attribute__((vector_size(4), may_alias));
typedef uint8_t ash_rt_unsigned4 __attribute__((vector_size(4), may_alias));

/* One load, also where the address is no multiple of four. */
ASH_RT_INLINE ash_rt_bytes4 ash_rt_four_bytes(const void *at) {
  return *(const ash_rt_bytes4 *)at;
}

ASH_RT_INLINE ash_rt_bytes4 ash_rt_four_ones(void) {
  return (ash_rt_bytes4){1, 1, 1, 1};
}

/* sum + x[0] * w[0] + .. + x[3] * w[3] */
ASH_RT_INLINE uint32_t ash_rt_dot4(uint32_t sum, ash_rt_bytes4 x,
                                   int32_t x_signed, ash_rt_bytes4 w,
                                   int32_t w_signed) {
  if (x_signed && w_signed)
    return (uint32_t)__builtin_pulp_sdotsp4(x, w, (int32_t)sum);
  if (x_signed)
    return (uint32_t)__builtin_pulp_sdotusp4((ash_rt_unsigned4)w, x,
                                             (int32_t)sum);
  if (w_signed)
    return (uint32_t)__builtin_pulp_sdotusp4((ash_rt_unsigned4)x, w,
                                             (int32_t)sum);
  return __builtin_pulp_sdotup4((ash_rt_unsigned4)x, (ash_rt_unsigned4)w, sum);
}
#elif ASH_RT_XPULP
typedef struct ash_rt_bytes4 {
  uint8_t at[4];
} ash_rt_bytes4;

ASH_RT_INLINE ash_rt_bytes4 ash_rt_four_bytes(const void *at) {
  ash_rt_bytes4 four;
  ASH_RT_COPY(&four, at, sizeof four);
  return four;
}

ASH_RT_INLINE ash_rt_bytes4 ash_rt_four_ones(void) {
  return (ash_rt_bytes4){{1, 1, 1, 1}};
}

/* sum + x[0] * w[0] + .. + x[3] * w[3] */
ASH_RT_INLINE uint32_t ash_rt_dot4(uint32_t sum, ash_rt_bytes4 x,
                                   int32_t x_signed, ash_rt_bytes4 w,
                                   int32_t w_signed) {
  for (int32_t i = 0; i < 4; i++) {
    const int32_t one = x_signed ? (int8_t)x.at[i] : x.at[i];
    const int32_t other = w_signed ? (int8_t)w.at[i] : w.at[i];
    sum += (uint32_t)(one * other);
  }
  return sum;
}
#endif

#endif
