/* radix.h - stable sorting of indices by 64-bit keys, linear in their number:
 * orders of a million buffers are made and remade all the time here. */
#ifndef ASH_PLACE_RADIX_H
#define ASH_PLACE_RADIX_H

#include <stddef.h>
#include <stdint.h>

/* Sorts order[0..count) so that key[order[i]] ascends; equal keys keep their
 * order. `spare` has room for `count` indices. */
void ash_place_radix_sort(uint32_t *order, uint32_t *spare, const uint64_t *key,
                          size_t count);

/* A signed number as a key that sorts the same way. */
static inline uint64_t ash_place_radix_signed(int64_t value) {
  return (uint64_t)value ^ ((uint64_t)1 << 63);
}

#endif
