/* valley_key.c - the 128-bit name of a component's state: a sum over its
 * moments and over the words of its unplaced set, each scrambled with its own
 * random number, so that it does not matter how the state was reached. */
#include "place/exact/valley.h"

static inline uint64_t scramble(uint64_t x) {
  x *= 0x9e3779b97f4a7c15u;
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93u;
  return x ^ (x >> 29);
}

typedef struct sums {
  uint64_t a, b;
} sums;

static inline void add(sums *h, uint64_t x) {
  x = scramble(x);
  h->a += x;
  h->b += (x ^ (x >> 31)) * 0xff51afd7ed558ccdu ^ (x << 17);
}

/* With alignment the true top matters below the sky as well: a block is held
 * by a top that it rounds up to the sky. */
static uint64_t cell_value(const ash_place_valley *v, uint32_t s) {
  const ash_place_cells *c = &v->sky->cells;
  const uint64_t sky = (uint64_t)c->sky[s];
  if (!v->use.support)
    return sky << 1;
  if (v->sky->aligned)
    return sky * 0x9e3779b97f4a7c15u + (uint64_t)c->top[s];
  return sky << 1 | (c->top[s] == c->sky[s]);
}

ash_place_key ash_place_valley_key(const ash_place_valley *v, uint32_t from,
                                   uint32_t to) {
  ASH_ASSERT(from < to && to <= v->sky->moment_count);
  const ash_place_skyline *k = v->sky;
  sums h = {((uint64_t)from << 32 | to) * 0x9e3779b97f4a7c15u, from + 1};
  for (uint32_t s = from; s < to; s++)
    add(&h, cell_value(v, s) + v->salt[s]);
  const uint32_t first = k->begin[from], last = k->begin[to];
  for (uint32_t w = first / 64; w * 64 < last; w++) {
    uint64_t set = k->unplaced[w];
    if (w == first / 64)
      set &= ~(uint64_t)0 << (first % 64);
    if (last < w * 64 + 64)
      set &= ((uint64_t)1 << (last % 64)) - 1;
    add(&h, set ^ v->salt[k->moment_count + w]);
  }
  return (ash_place_key){scramble(h.a ^ (h.b >> 7)), h.b};
}
