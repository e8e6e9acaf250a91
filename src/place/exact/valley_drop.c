/* valley_drop.c - one descent of the valley search that never goes back: linear
 * memory, and a good placement of the blocks that matter most. */
#include "place/exact/valley.h"

static uint32_t pick(ash_place_valley *v, uint32_t moment) {
  ASH_ASSERT(moment < v->sky->moment_count);
  bool nobody_first;
  v->option_count = 0;
  (void)ash_place_valley_options(v, moment, &nobody_first);
  for (size_t i = 0; i < v->option_count; i++)
    if (ash_place_skyline_may_put(v->sky, v->options.items[i]))
      return v->options.items[i];
  return v->option_count ? v->options.items[0] : UINT32_MAX;
}

/* Places the blocks of [from, to), which no other block bridges. */
static bool drop_part(ash_place_valley *v, uint32_t from, uint32_t to) {
  ASH_ASSERT(from < to && to <= v->sky->moment_count && v->sky->soft);
  ash_place_skyline *k = v->sky;
  for (uint32_t n = k->begin[to] - k->begin[from]; n > 0; n--) {
    const uint32_t j = pick(v, ash_place_valley_choose(v, from, to));
    if (j == UINT32_MAX || v->zone->failed)
      return false;
    (void)ash_place_skyline_put(k, j);
    v->ticks += 1 + (to - from) / 64;
  }
  return true;
}

int64_t ash_place_valley_drop(ash_place_valley *v, int64_t capacity) {
  ash_place_skyline *k = v->sky;
  (void)ash_place_skyline_reset(k, capacity);
  k->soft = true;
  v->use.support = false;
  for (uint32_t a = 0, s = 0; s < k->moment_count; s++)
    if (k->fresh.bridges[s] == 0) {
      k->capacity = capacity; /* a part that gave way does not spoil others */
      if (!drop_part(v, a, s + 1))
        return INT64_MAX;
      a = s + 1;
    }
  ASH_ASSERT(k->moment_count == 0 || k->cells.left[k->moment_count - 1] == 0);
  int64_t height = 0;
  for (uint32_t j = 0; j < k->block_count; j++)
    if (k->place[j] + k->blocks[j].size > height)
      height = k->place[j] + k->blocks[j].size;
  return height;
}
