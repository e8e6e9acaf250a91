/* jackson.c - the one-machine bound: a moment is a machine, its unplaced blocks
 * are jobs with release dates low[j]: taken in order of release they finish as
 * early as possible (Jackson's rule), so if they do not finish within the
 * capacity then nothing does. Stronger than the sum of sizes when lows differ.
 */
#include "base/bits.h"
#include "place/exact/valley.h"

/* The blocks that cannot start at the sky, sorted by low; `*now` is when those
 * that can are done. Returns how many; 0 also when there is nothing to see:
 * even the highest low comes too early to leave a hole beyond the slack. */
static size_t list_jobs(ash_place_valley *v, uint32_t s, int64_t *now) {
  const ash_place_skyline *k = v->sky;
  const int64_t sky = k->cells.sky[s];
  int64_t highest = 0;
  size_t count = 0;
  *now = sky;
  for (uint32_t w = k->word_lo[s]; w < k->word_hi[s]; w++)
    for (uint64_t set = k->alive[s][w] & k->unplaced[w]; set; set &= set - 1) {
      const uint32_t j = w * 64 + ash_lowest_bit(set);
      if (k->low[j] == sky) {
        *now += k->blocks[j].room;
        continue;
      }
      highest = k->low[j] > highest ? k->low[j] : highest;
      ASH_ASSERT(k->low[j] > sky);
      v->jobs[count++] = j;
    }
  return highest - *now <= ash_place_skyline_slack(k, s) ? 0 : count;
}

static void sort_jobs(ash_place_valley *v, size_t count) {
  ASH_ASSERT(count <= v->sky->block_count);
  for (size_t i = 1; i < count; i++) {
    const uint32_t j = v->jobs[i];
    size_t at = i;
    for (; at > 0 && v->sky->low[v->jobs[at - 1]] > v->sky->low[j]; at--)
      v->jobs[at] = v->jobs[at - 1];
    v->jobs[at] = j;
  }
}

static bool moment_allows(ash_place_valley *v, uint32_t s) {
  ASH_ASSERT(v->sky->cells.left[s] > 0);
  const ash_place_skyline *k = v->sky;
  int64_t now;
  const size_t count = list_jobs(v, s, &now);
  sort_jobs(v, count);
  for (size_t i = 0; i < count; i++) {
    const uint32_t j = v->jobs[i];
    now = (k->low[j] > now ? k->low[j] : now) + k->blocks[j].room;
  }
  return count == 0 || now <= k->capacity + k->waste[s];
}

bool ash_place_jackson_allows(ash_place_valley *v) {
  ASH_ASSERT(v->sky->changed_first < v->sky->changed_last);
  ASH_ASSERT(v->sky->changed_last <= v->sky->moment_count);
  ash_place_skyline *k = v->sky;
  for (uint32_t s = k->changed_first; s < k->changed_last; s++)
    if (k->cells.left[s] && !moment_allows(v, s)) {
      k->failed_at = s;
      ash_place_valley_blame(v, s);
      return false;
    }
  return true;
}
