/* ash_rt_cells_s8.h - functions of 16 bits, with which cells of int8 layers
 * compute. */
#ifndef ASH_RT_CELLS_S8_H
#define ASH_RT_CELLS_S8_H

#include "ash_rt_state.h"

/* Places in `parts`: inputs of the operator from the second on. */
enum {
  ASH_RT_CELL_IN = 0,
  ASH_RT_CELL_STATE = 4,
  ASH_RT_CELL_PEEPHOLE = 8,
  ASH_RT_CELL_BIAS = 11,
  ASH_RT_CELL_PROJECTION = 15,
  ASH_RT_CELL_PROJECTION_BIAS = 16
};

static inline int32_t ash_rt_cell_short(int32_t x) {
  return ash_rt_clamp(x, -32768, 32767);
}

static inline int32_t ash_rt_cell_add(int32_t a, int32_t b) {
  const int64_t y = (int64_t)a + b;
  return y < -32768 ? -32768 : y > 32767 ? 32767 : (int32_t)y;
}

/* a * b * 2^-15, to the nearest, ties up; not both -1. With a sum in the same
 * instruction as the product, where compilers would split what is a constant.
 */
static inline int32_t ash_rt_cell_mul(int32_t a, int32_t b) {
  int32_t half = 1 << 14;
#if defined(__ARM_FEATURE_DSP) && !defined(ASH_RT_PLAIN)
  __asm__("" : "+r"(half));
#endif
  return (a * b + half) >> 15;
}

/* exp(a) for a in [-1/4, 0), both in Q0.15. */
static inline int32_t ash_rt_cell_exp_small(int32_t a) {
  const int32_t x = a + (1 << 12);
  const int32_t x2 = ash_rt_cell_mul(x, x), x3 = ash_rt_cell_mul(x2, x);
  const int32_t x4 = ash_rt_cell_mul(x2, x2);
  const int32_t tail = ash_rt_cell_mul(((x4 + 2) >> 2) + x3, 10923) + x2;
  const int32_t y = 28918 + ash_rt_cell_mul(28918, x + ((tail + 1) >> 1));
  return y > 32767 ? 32767 : y;
}

/* exp(a) for a < 0 with `whole` integer bits, in Q0.15: exp(-1/4), exp(-1/2),
 * exp(-1), ... exp(-16) for each bit in front of what is small. */
ASH_RT_INLINE int32_t ash_rt_cell_exp(int32_t a, int32_t whole) {
  const int32_t bits = 13 - whole, quarter = 1 << bits;
  const int32_t rest = (a & (quarter - 1)) - quarter;
  const int32_t k = (rest - a) >> bits;
  if (whole > 5 && a < -(1 << (bits + 7)))
    return 0;
  int32_t y = ash_rt_cell_exp_small(rest * (1 << whole));
  if (k & 1)
    y = ash_rt_cell_mul(y, 25520);
  if (k & 2)
    y = ash_rt_cell_mul(y, 19875);
  if (k & 4)
    y = ash_rt_cell_mul(y, 12055);
  if (k & 8)
    y = ash_rt_cell_mul(y, 4435);
  if (whole > 2 && (k & 16))
    y = ash_rt_cell_mul(y, 600);
  if (whole > 3 && (k & 32))
    y = ash_rt_cell_mul(y, 11);
  return whole > 4 && (k & 64) ? 0 : y;
}

/* 2 / (1 + x) in Q2.13 for x in Q0.15. */
static inline int32_t ash_rt_cell_inverse(int32_t x) {
  const int32_t half = (x >> 1) + (1 << 14);
  int32_t y = 23130 - ((half * 15420 + (1 << 14) - 1) >> 15);
  y += ash_rt_cell_mul(y, (1 << 13) - ash_rt_cell_mul(half, y)) * 4;
  y += ash_rt_cell_mul(y, (1 << 13) - ash_rt_cell_mul(half, y)) * 4;
  y += ash_rt_cell_mul(y, (1 << 13) - ash_rt_cell_mul(half, y)) * 4;
  return y;
}

/* Of Q3.12. */
static inline int32_t ash_rt_cell_logistic(int32_t a) {
  if (a == 0)
    return 1 << 14;
  const int32_t y = 2 * ash_rt_cell_inverse(ash_rt_cell_exp(a > 0 ? -a : a, 3));
  const int32_t z = y > 32767 ? 32767 : y;
  return a > 0 ? z : 32767 - z;
}

/* Of numbers with `whole` integer bits. */
ASH_RT_INLINE int32_t ash_rt_cell_tanh(int32_t a, int32_t whole) {
  if (a == 0)
    return 0;
  const int32_t e = ash_rt_cell_exp(a > 0 ? -a : a, whole + 1);
  const int32_t y = (ash_rt_cell_inverse(e) - (1 << 13)) * 4;
  const int32_t z = y > 32767 ? 32767 : y;
  return a < 0 ? -z : z;
}

#endif
