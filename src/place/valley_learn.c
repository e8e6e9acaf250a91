/* valley_learn.c - what the search learns and how it varies: sections count
 * their refutations (the idea of dom/wdeg), halved at each restart; every
 * restart but the first few draws new weights and noise. */
#include "place/valley.h"

static uint32_t square_root(uint64_t x) {
  uint64_t root = 0;
  for (uint64_t bit = (uint64_t)1 << 31; bit; bit >>= 1)
    if ((root + bit) * (root + bit) <= x)
      root += bit;
  return (uint32_t)root;
}

static void set_ease(ash_valley *v, uint32_t s) {
  /* 1 + weight * sqrt(fails), with eight binary places. */
  const uint64_t root = square_root((uint64_t)v->fails[s] << 16);
  const uint64_t divisor = 256 + (uint64_t)v->taste.fails * root / 10;
  v->ease[s] = (int32_t)(((uint64_t)65536 << 8) / divisor);
}

void ash_valley_blame(ash_valley *v, uint32_t s) {
  if (!v->use.learning || v->fails[s] >= 1u << 30)
    return;
  v->fails[s]++;
  set_ease(v, s);
}

static void vary_taste(ash_valley *v, uint64_t restart) {
  static const int32_t slack[] = {0, 5, 10, 20, 40, 80};
  static const int32_t height[] = {0, 5, 10, 20, 40};
  static const int32_t fails[] = {0, 1, 3, 10};
  static const int32_t bonus[] = {0, (1 << 30) / 5, (1 << 30) / 2};
  ash_taste *t = &v->taste;
  *t = (ash_taste){.slack = 20, .height = 10, .fails = 5};
  t->order = (int32_t)(restart % 3);
  if (restart == 0)
    return;
  t->slack = slack[ash_rng_below(&v->rng, ASH_COUNT_OF(slack))];
  t->height = height[ash_rng_below(&v->rng, ASH_COUNT_OF(height))];
  t->fails = fails[ash_rng_below(&v->rng, ASH_COUNT_OF(fails))];
  t->noise = restart < 3 ? 0 : 10;
  t->flush = bonus[ash_rng_below(&v->rng, ASH_COUNT_OF(bonus))];
  t->wall = bonus[ash_rng_below(&v->rng, ASH_COUNT_OF(bonus))];
}

void ash_valley_vary(ash_valley *v, uint64_t restart) {
  const ash_skyline *k = v->sky;
  vary_taste(v, restart);
  for (uint32_t j = 0; j < k->tile_count; j++) {
    const int64_t worth = v->worth[v->taste.order][j];
    int64_t factor = 1000;
    if (v->taste.noise)
      factor += (int64_t)ash_rng_below(&v->rng, 2001) * v->taste.noise / 100 -
                (int64_t)v->taste.noise * 10;
    v->priority[j] = worth / 1000 * factor;
  }
  for (uint32_t s = 0; s < k->section_count; s++) {
    v->fails[s] /= 2;
    set_ease(v, s);
  }
}
