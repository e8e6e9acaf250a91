/* valley_options.c - who may occupy the lowest point of a moment: each block
 * whose low is the sky there, or nobody.
 *
 * "Nobody" is an option only if the moment has slack. Then its lowest block
 * lies higher: at the low of a block that cannot come down here, or on top of a
 * block beside the moment that a candidate would rest on. The sky may rise to
 * the lowest of these at once. */
#include "base/bits.h"
#include "place/exact/valley.h"

static const int64_t LED = (int64_t)1 << 34; /* above every priority */

static bool twin_listed(const ash_place_valley *v, size_t from, uint32_t j) {
  ASH_ASSERT(from <= v->option_count && j < v->sky->block_count);
  if (!v->use.twins)
    return false;
  for (size_t i = from; i < v->option_count; i++)
    if (v->sky->blocks[v->options.items[i]].twin == v->sky->blocks[j].twin)
      return true;
  return false;
}

/* Is the sky beside a block higher than its floor, or nothing left there? */
static bool is_wall(const ash_place_skyline *k, uint32_t s, int64_t floor) {
  return s >= k->moment_count || k->cells.left[s] == 0 ||
         k->cells.sky[s] > floor;
}

/* Blocks that fit the shape of the valley leave fewer corners: flush with the
 * floor beside it, or standing against a wall. */
static int64_t score(const ash_place_valley *v, uint32_t j) {
  ASH_ASSERT(ash_place_skyline_is_unplaced(v->sky, j));
  const ash_place_skyline *k = v->sky;
  const ash_place_block *t = &k->blocks[j];
  const int64_t floor = k->low[j], top = floor + t->size;
  int64_t score = v->priority[j];
  if (v->guide.lead && v->guide.lead[j] == floor)
    score += LED;
  if (v->taste.flush) {
    score +=
        t->first > 0 && k->cells.sky[t->first - 1] == top ? v->taste.flush : 0;
    score += t->last < k->moment_count && k->cells.sky[t->last] == top
                 ? v->taste.flush
                 : 0;
  }
  if (v->taste.wall) {
    score += is_wall(k, t->first - 1, floor) ? v->taste.wall : 0;
    score += is_wall(k, t->last, floor) ? v->taste.wall : 0;
  }
  return score;
}

static void push_sorted(ash_place_valley *v, size_t from, uint32_t j) {
  ASH_ASSERT(from <= v->option_count);
  if (!ASH_GROW(v->zone, &v->options, v->option_count))
    return;
  const int64_t mine = score(v, j);
  uint32_t *list = v->options.items;
  size_t at = v->option_count++;
  for (; at > from && score(v, list[at - 1]) < mine; at--)
    list[at] = list[at - 1];
  list[at] = j;
}

/* The lowest top of an unplaced block beside moment s and over [x, y). */
static int64_t lowest_top(const ash_place_valley *v, uint32_t s, uint32_t x,
                          uint32_t y) {
  ASH_ASSERT(x <= s && s < y && y <= v->sky->moment_count);
  const ash_place_skyline *k = v->sky;
  int64_t lowest = INT64_MAX;

  const uint32_t last = k->begin[y];
  /* Blocks over [x, y): alive at x, or starting after it. */
  for (uint32_t w = k->word_lo[x]; w < k->word_hi[x]; w++)
    for (uint64_t set = k->alive[x][w] & k->unplaced[w]; set; set &= set - 1) {
      const uint32_t j = w * 64 + ash_lowest_bit(set);
      const ash_place_block *t = &k->blocks[j];
      if (t->last <= s && k->low[j] + t->size < lowest)
        lowest = k->low[j] + t->size;
    }
  for (uint32_t j = k->begin[x + 1]; j < last; j++) {
    const ash_place_block *t = &k->blocks[j];
    if (!ash_place_skyline_is_unplaced(k, j))
      continue;
    if ((t->last <= s || t->first > s) && k->low[j] + t->size < lowest)
      lowest = k->low[j] + t->size;
  }
  return lowest;
}

static int64_t next_height(const ash_place_valley *v, uint32_t s, uint32_t x,
                           uint32_t y, int64_t above) {
  ASH_ASSERT(above > v->sky->cells.sky[s]);
  const ash_place_skyline *k = v->sky;
  const int64_t top = lowest_top(v, s, x, y);
  const int64_t next = above < top ? above : top;
  if (next == INT64_MAX ||
      next - k->cells.sky[s] > ash_place_skyline_slack(k, s))
    return 0;
  return next;
}

int64_t ash_place_valley_options(ash_place_valley *v, uint32_t s,
                                 bool *nobody_first) {
  const ash_place_skyline *k = v->sky;
  const int64_t sky = k->cells.sky[s];
  ASH_ASSERT(s < k->moment_count && k->cells.left[s] > 0);
  const size_t from = v->option_count;
  uint32_t x = s, y = s + 1;     /* what the candidates cover  */
  int64_t above = INT64_MAX;     /* the lowest of the others    */
  bool at = false, over = false; /* where the leading dive had blocks */
  for (uint32_t w = k->word_lo[s]; w < k->word_hi[s]; w++)
    for (uint64_t set = k->alive[s][w] & k->unplaced[w]; set; set &= set - 1) {
      const uint32_t j = w * 64 + ash_lowest_bit(set);
      const ash_place_block *t = &k->blocks[j];
      if (v->guide.lead) {
        at = at || (v->guide.lead[j] == sky && k->low[j] == sky);
        over = over || v->guide.lead[j] > sky;
      }
      ASH_ASSERT(k->low[j] >= sky);
      if (k->low[j] > sky) {
        above = k->low[j] < above ? k->low[j] : above;
        continue;
      }
      x = t->first < x ? t->first : x;
      y = t->last > y ? t->last : y;
      if (!twin_listed(v, from, j) &&
          (!v->use.support || ash_place_skyline_supported(k, j)))
        push_sorted(v, from, j);
    }
  *nobody_first = v->guide.strict && over && !at;
  if (k->soft)
    return 0; /* such a dive always places something */
  return ash_place_skyline_slack(k, s) > 0 ? next_height(v, s, x, y, above) : 0;
}
