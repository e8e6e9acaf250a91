/* radix.c - least significant digit first, eleven bits a pass; passes in which
 * all keys agree are skipped, so small keys cost few passes. */
#include "place/radix.h"

#include "base/assert.h"

#include <stdbool.h>
#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, SMALL = 64 };

static void sort_few(uint32_t *order, const uint64_t *key, size_t count) {
  ASH_ASSERT(count <= SMALL);
  for (size_t i = 1; i < count; i++) {
    const uint32_t x = order[i];
    size_t at = i;
    for (; at > 0 && key[order[at - 1]] > key[x]; at--)
      order[at] = order[at - 1];
    order[at] = x;
  }
}

/* The bits in which some keys differ. */
static uint64_t differing(const uint32_t *order, const uint64_t *key,
                          size_t count) {
  ASH_ASSERT(count > 0);
  uint64_t bits = 0;
  for (size_t i = 1; i < count; i++)
    bits |= key[order[i]] ^ key[order[0]];
  return bits;
}

static void pass(uint32_t *to, const uint32_t *from, const uint64_t *key,
                 size_t count, unsigned shift) {
  ASH_ASSERT(to != from && shift < 64);
  size_t start[DIGITS + 1];
  memset(start, 0, sizeof start);
  for (size_t i = 0; i < count; i++)
    start[((key[from[i]] >> shift) & (DIGITS - 1)) + 1]++;
  for (size_t d = 0; d < DIGITS; d++)
    start[d + 1] += start[d];
  for (size_t i = 0; i < count; i++)
    to[start[(key[from[i]] >> shift) & (DIGITS - 1)]++] = from[i];
}

static bool is_sorted(const uint32_t *order, const uint64_t *key,
                      size_t count) {
  for (size_t i = 1; i < count; i++)
    if (key[order[i - 1]] > key[order[i]])
      return false;
  return true;
}

void ash_place_radix_sort(uint32_t *order, uint32_t *spare, const uint64_t *key,
                          size_t count) {
  if (count <= SMALL) {
    sort_few(order, key, count);
    return;
  }
  const uint64_t bits = differing(order, key, count);
  uint32_t *from = order, *to = spare;
  for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS) {
    if (((bits >> shift) & (DIGITS - 1)) == 0)
      continue;
    pass(to, from, key, count, shift);
    uint32_t *swap = from;
    from = to;
    to = swap;
  }
  if (from != order)
    memcpy(order, from, count * sizeof *order);
  ASH_ASSERT(is_sorted(order, key, count));
}
