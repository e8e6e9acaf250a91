/* checked.h - arithmetic on sizes that says when it overflows, and the few
 * roundings and divisors everybody needs. Results are unusable when false is
 * returned. */
#ifndef ASH_BASE_CHECKED_H
#define ASH_BASE_CHECKED_H

#include "base/assert.h"

#include <stdbool.h>
#include <stdint.h>

static inline bool ash_add_u64(uint64_t *out, uint64_t a, uint64_t b) {
  *out = a + b;
  return *out >= a;
}

static inline bool ash_mul_u64(uint64_t *out, uint64_t a, uint64_t b) {
  *out = a * b;
  return b == 0 || *out / b == a;
}

/* Align up to a positive multiple (not only powers of two). */
static inline bool ash_align_up_u64(uint64_t *out, uint64_t a, uint64_t align) {
  ASH_ASSERT(align > 0);
  const uint64_t rest = a % align;
  return ash_add_u64(out, a, rest ? align - rest : 0);
}

/* The same where the caller knows that nothing can overflow. */
static inline uint64_t ash_align_up(uint64_t a, uint64_t align) {
  ASH_ASSERT(align > 0 && a <= UINT64_MAX - (align - 1));
  return (a + align - 1) / align * align;
}

static inline uint64_t ash_ceil_div(uint64_t a, uint64_t b) {
  ASH_ASSERT(b > 0);
  return a / b + (a % b != 0);
}

static inline uint64_t ash_min_u64(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

static inline uint64_t ash_max_u64(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

static inline uint32_t ash_min_u32(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

static inline uint32_t ash_max_u32(uint32_t a, uint32_t b) {
  return a > b ? a : b;
}

/* A division that rounds down, also below zero. */
static inline int64_t ash_floor_div(int64_t a, int64_t b) {
  ASH_ASSERT(b > 0);
  return a % b < 0 ? a / b - 1 : a / b;
}

/* The remainder of a division that rounds down: never negative. */
static inline int64_t ash_floor_mod(int64_t a, int64_t b) {
  ASH_ASSERT(b > 0);
  const int64_t rest = a % b;
  return rest < 0 ? rest + b : rest;
}

/* The greatest common divisor; 0 is the neutral element. */
static inline uint64_t ash_gcd_u64(uint64_t a, uint64_t b) {
  while (b) {
    const uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

#endif
