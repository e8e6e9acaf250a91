/* valley_learn.c - what the search learns and how it varies: moments count
 * their refutations (the idea of dom/wdeg), halved at each restart; every
 * restart but the first few draws new weights and noise. */
#include "place/exact/valley.h"

static uint32_t square_root(uint64_t x) {
  uint64_t root = 0;
  for (uint64_t bit = (uint64_t)1 << 31; bit; bit >>= 1)
    if ((root + bit) * (root + bit) <= x)
      root += bit;
  ASH_ASSERT(root * root <= x && (root + 1) * (root + 1) > x);
  return (uint32_t)root;
}

static void set_ease(ash_place_valley *v, uint32_t s) {
  ASH_ASSERT(s < v->sky->moment_count);
  /* 1 + weight * sqrt(fails), with eight binary places. */
  const uint64_t root = square_root((uint64_t)v->fails[s] << 16);
  const uint64_t divisor = 256 + (uint64_t)v->taste.fails * root / 10;
  v->ease[s] = (int32_t)(((uint64_t)65536 << 8) / divisor);
}

void ash_place_valley_blame(ash_place_valley *v, uint32_t s) {
  ASH_ASSERT(s < v->sky->moment_count);
  if (!v->use.learning || v->fails[s] >= 1u << 30)
    return;
  v->fails[s]++;
  set_ease(v, s);
}

/* What restarts draw from. Values that solved hard instances more often stand
 * there more often. */
static int32_t draw(ash_place_valley *v, const int32_t *values, size_t count) {
  ASH_ASSERT(count > 0);
  return values[ash_rng_below(&v->rng, count)];
}

#define DRAW(v, values) draw((v), (values), ASH_COUNT_OF(values))

static void vary_taste(ash_place_valley *v, uint64_t restart) {
  enum { WHOLE = 1 << 30 }; /* of a priority */
  static const int32_t slack[] = {10, 10, 20, 20, 40, 40, 80, 5};
  static const int32_t height[] = {5, 10, 10, 20, 20, 40, 0};
  static const int32_t fails[] = {1, 1, 1, 3, 3, 3, 0, 10};
  static const int32_t order[] = {0, 0, 0, 0, 0, 1, 2};
  static const int32_t flush[] = {WHOLE / 2, WHOLE / 2, WHOLE / 2, WHOLE / 5,
                                  0};
  static const int32_t wall[] = {WHOLE / 5, WHOLE / 5, WHOLE / 5, 0};
  ash_place_taste *t = &v->taste;
  if (restart < 3) {
    *t = (ash_place_taste){.slack = 20, .height = 10, .fails = 5};
    t->order = (int32_t)restart;
    return;
  }
  t->slack = DRAW(v, slack);
  t->height = DRAW(v, height);
  t->fails = DRAW(v, fails);
  t->order = DRAW(v, order);
  t->flush = DRAW(v, flush);
  t->wall = DRAW(v, wall);
  t->noise = 10;
}

void ash_place_valley_vary(ash_place_valley *v, uint64_t restart) {
  const ash_place_skyline *k = v->sky;
  vary_taste(v, restart);
  for (uint32_t j = 0; j < k->block_count; j++) {
    ASH_ASSERT(0 <= v->taste.order && v->taste.order < 3);
    const int64_t worth = v->worth[v->taste.order][j];
    int64_t factor = 1000;
    if (v->taste.noise)
      factor += (int64_t)ash_rng_below(&v->rng, 2001) * v->taste.noise / 100 -
                (int64_t)v->taste.noise * 10;
    v->priority[j] = worth / 1000 * factor;
  }
  for (uint32_t s = 0; s < k->moment_count; s++) {
    v->fails[s] /= 2;
    set_ease(v, s);
  }
}
