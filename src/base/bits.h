/* bits.h - sets of small integers as 64-bit words. */
#ifndef ASH_BASE_BITS_H
#define ASH_BASE_BITS_H

#include "base/assert.h"

#include <stdint.h>

/* The index of the lowest set bit of a word that has one. */
static inline uint32_t ash_lowest_bit(uint64_t word) {
  ASH_ASSERT(word != 0);
#if defined(__GNUC__)
  return (uint32_t)__builtin_ctzll(word);
#else
  uint32_t at = 0;
  while ((word >> at & 1) == 0)
    at++;
  return at;
#endif
}

/* The index of the highest set bit of a word that has one. */
static inline uint32_t ash_highest_bit(uint64_t word) {
  ASH_ASSERT(word != 0);
#if defined(__GNUC__)
  return 63 - (uint32_t)__builtin_clzll(word);
#else
  uint32_t at = 63;
  while ((word >> at & 1) == 0)
    at--;
  return at;
#endif
}

#endif
