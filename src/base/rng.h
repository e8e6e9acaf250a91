/* rng.h - the one source of pseudo-random choices: SplitMix64, seeded by the
 * caller, the same on every machine. */
#ifndef ASH_BASE_RNG_H
#define ASH_BASE_RNG_H

#include <stdint.h>

typedef struct ash_rng {
  uint64_t state;
} ash_rng;

static inline uint64_t ash_rng_next(ash_rng *rng) {
  uint64_t z = (rng->state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* Below `limit` (> 0); the bias is below 2^-32 for limits below 2^32. */
static inline uint64_t ash_rng_below(ash_rng *rng, uint64_t limit) {
  return ash_rng_next(rng) % limit;
}

#endif
