/* valley_choose.c - which valley, and which of its moments, to branch on. Any
 * choice is complete, so this is only a matter of taste: few candidates, little
 * slack, low, and moments that have refuted much before. */
#include "place/exact/valley.h"

/* Weights for the present capacity, which may be of any size. */
typedef struct scales {
  unsigned shift; /* heights lose these bits */
  int64_t slack, height;
} scales;

static scales find_scales(const ash_place_valley *v) {
  ASH_ASSERT(v->sky->capacity >= 0);
  scales x = {0};
  while (v->sky->capacity >> x.shift > (int64_t)1 << 20)
    x.shift++;
  const int64_t capacity = v->sky->capacity >> x.shift;
  x.slack = (int64_t)v->taste.slack * 1024 * 1024 / (capacity ? capacity : 1);
  x.height = (int64_t)v->taste.height * 102 * 1024 / (capacity ? capacity : 1);
  return x;
}

static inline int64_t moment_cost(const ash_place_valley *v, uint32_t s,
                                  const scales *x, int64_t height_factor) {
  ASH_ASSERT(s < v->sky->moment_count && v->ease[s] > 0);
  const int32_t support = v->sky->cells.support[s];
  const int64_t slack = ash_place_skyline_slack(v->sky, s);
  if (support <= 1 && slack <= 0)
    return 0; /* no choice at all */
  const int64_t cost =
      (int64_t)support * 1024 + ((slack >> x->shift) * x->slack >> 10);
  return (cost * height_factor >> 10) * v->ease[s];
}

uint32_t ash_place_valley_choose(ash_place_valley *v, uint32_t from,
                                 uint32_t to) {
  ASH_ASSERT(from < to && to <= v->sky->moment_count);
  const int64_t *skies = v->sky->cells.sky, *left = v->sky->cells.left;
  const scales x = find_scales(v);
  uint32_t best = from;
  int64_t lowest = INT64_MAX;
  for (uint32_t a = from, b; a < to; a = b) {
    const int64_t sky = skies[a];
    b = a + 1;
    if (left[a] == 0) /* finished: as high as can be */
      continue;
    while (b < to && skies[b] == sky && left[b])
      b++;
    if ((a > from && skies[a - 1] < sky && left[a - 1]) ||
        (b < to && skies[b] < sky && left[b]))
      continue;
    const int64_t factor = 1024 + ((sky >> x.shift) * x.height >> 10);
    for (uint32_t s = a; s < b; s++) {
      const int64_t cost = moment_cost(v, s, &x, factor);
      if (cost < lowest) {
        lowest = cost;
        best = s;
      }
      if (cost == 0)
        return s;
    }
  }
  return best;
}
