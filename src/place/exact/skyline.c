/* skyline.c - moves on the skyline and their undoing.
 *
 * Invariant: for every moment with unplaced blocks, sky is the minimum of
 * their lows and `support` the number that attain it. Raising part of the
 * skyline lifts the lows of the blocks above it; a moment that loses its last
 * supporter is normalised to its new minimum, which never changes a low. So
 * one move is one round of updates, without a fixed point to reach. */
#include "place/exact/skyline.h"
#include "base/bits.h"

#include <assert.h>
#include <string.h>

/* An entry of the log: sky and support of [first, last), top of [a, b) if a
 * block was placed there, pairs (block, old low), and at its end this record.
 */
typedef struct record {
  uint32_t block; /* placed by the move, or UINT32_MAX */
  uint32_t lows;
  uint32_t a, b, first, last;
} record;

enum { RECORD_WORDS = sizeof(record) / sizeof(uint64_t) };
static_assert(sizeof(record) % sizeof(uint64_t) == 0,
              "a record is whole words");

static bool reserve(ash_place_skyline *k, size_t words) {
  ASH_ASSERT(k->log_used <= k->log.capacity);
  while (k->log_used + words > k->log.capacity)
    if (!ash_zone_grow(k->zone, (void **)&k->log.items, &k->log.capacity,
                       k->log.capacity, sizeof *k->log.items))
      return false;
  return true;
}

/* ---- saving and restoring ----------------------------------------------- */

static size_t support_words(const record *r) {
  return ((size_t)(r->last - r->first) + 1) / 2;
}

static size_t cell_words(const record *r) {
  ASH_ASSERT(r->first <= r->a && r->a < r->b && r->b <= r->last);
  const size_t tops = r->block == UINT32_MAX ? 0 : r->b - r->a;
  return r->last - r->first + support_words(r) + tops;
}

/* Before the cells change. Without memory nothing is saved; the zone's sticky
 * flag stops the search before the damage is looked at. */
static bool save_cells(ash_place_skyline *k, const record *r) {
  ASH_ASSERT(r->last <= k->moment_count);
  const size_t wide = r->last - r->first;
  if (!reserve(k, cell_words(r) + 2 * (size_t)r->lows + RECORD_WORDS))
    return false;
  uint64_t *at = k->log.items + k->log_used;
  memcpy(at, k->cells.sky + r->first, wide * sizeof *k->cells.sky);
  at += wide;
  memcpy(at, k->cells.support + r->first, wide * sizeof *k->cells.support);
  at += support_words(r);
  if (r->block != UINT32_MAX)
    memcpy(at, k->cells.top + r->a, (r->b - r->a) * sizeof *k->cells.top);
  k->log_used += cell_words(r);
  return true;
}

/* Ends the entry with the lows that were noted down in `touched`. */
static void save_lows(ash_place_skyline *k, const record *r) {
  ASH_ASSERT(r->lows <= k->block_count);
  const size_t words = 2 * (size_t)r->lows;
  uint64_t *at = k->log.items + k->log_used;
  for (uint32_t i = 0; i < r->lows; i++) {
    at[2 * (size_t)i] = k->touched[i];
    at[2 * (size_t)i + 1] = (uint64_t)k->low[k->touched[i]];
  }
  memcpy(at + words, r, sizeof *r);
  k->log_used += words + RECORD_WORDS;
}

/* Takes the block out of its moments, or puts it back with sign -1. */
static void take_out(ash_place_skyline *k, uint32_t block, int32_t sign) {
  ASH_ASSERT(block < k->block_count && (sign == 1 || sign == -1));
  const ash_place_block *t = &k->blocks[block];
  for (uint32_t s = t->first; s < t->last; s++) {
    k->cells.left[s] -= sign * t->room;
    ASH_ASSERT(0 <= k->cells.left[s] && k->cells.left[s] <= k->fresh.left[s]);
  }
  for (uint32_t s = t->first; s + 1 < t->last; s++)
    k->cells.bridges[s] -= sign;
}

static void restore_cells(ash_place_skyline *k, const record *r) {
  ASH_ASSERT(cell_words(r) <= k->log_used);
  const size_t wide = r->last - r->first;
  k->log_used -= cell_words(r);
  const uint64_t *at = k->log.items + k->log_used;
  memcpy(k->cells.sky + r->first, at, wide * sizeof *k->cells.sky);
  at += wide;
  memcpy(k->cells.support + r->first, at, wide * sizeof *k->cells.support);
  at += support_words(r);
  if (r->block == UINT32_MAX)
    return;
  memcpy(k->cells.top + r->a, at, (r->b - r->a) * sizeof *k->cells.top);
  take_out(k, r->block, -1);
  k->unplaced[r->block / 64] |= (uint64_t)1 << (r->block % 64);
}

void ash_place_skyline_undo(ash_place_skyline *k) {
  ASH_ASSERT(!k->soft && k->log_used >= RECORD_WORDS);
  record r;
  memcpy(&r, k->log.items + k->log_used - RECORD_WORDS, sizeof r);
  k->log_used -= 2 * (size_t)r.lows + RECORD_WORDS;
  const uint64_t *at = k->log.items + k->log_used;
  for (uint32_t i = 0; i < r.lows; i++)
    k->low[at[2 * (size_t)i]] = (int64_t)at[2 * (size_t)i + 1];
  restore_cells(k, &r);
}

/* ---- raising ------------------------------------------------------------ */

/* Unplaced blocks over [a, b) that lie lower than `height`, into k->touched,
 * and the moments they reach. */
typedef struct raise {
  ash_place_skyline *k;
  uint32_t a, b;
  int64_t height;
  uint32_t first, last; /* the moments that may change */
  uint32_t lows;
} raise;

static inline uint32_t least(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}
static inline uint32_t most(uint32_t a, uint32_t b) {
  return a > b ? a : b;
}

/* The block supports the new sky on its part of [a, b). */
static inline void add_support(raise *x, const ash_place_block *t) {
  x->k->rest[most(t->first, x->a)]++;
  x->k->rest[least(t->last, x->b)]--;
}

static inline void touch(raise *x, uint32_t j) {
  const ash_place_block *t = &x->k->blocks[j];
  ASH_ASSERT(t->first < x->b && x->a < t->last);
  if (x->k->low[j] >= x->height) {
    if (x->k->low[j] == x->height)
      add_support(x, t);
    return;
  }
  x->k->touched[x->lows++] = j;
  if (t->first < x->first)
    x->first = t->first;
  if (t->last > x->last)
    x->last = t->last;
}

static void find_touched(raise *x) {
  ASH_ASSERT(x->a < x->b && x->b <= x->k->moment_count);
  ash_place_skyline *k = x->k;
  const uint64_t *alive = k->alive[x->a];
  for (uint32_t w = k->word_lo[x->a]; w < k->word_hi[x->a]; w++)
    for (uint64_t set = alive[w] & k->unplaced[w]; set; set &= set - 1)
      touch(x, w * 64 + ash_lowest_bit(set));
  const uint32_t end = k->begin[x->b];
  for (uint32_t j = k->begin[x->a + 1]; j < end;) {
    const uint64_t set = k->unplaced[j / 64] >> (j % 64);
    if (set == 0) {
      j = (j / 64 + 1) * 64;
      continue;
    }
    j += ash_lowest_bit(set);
    if (j < end)
      touch(x, j);
    j++;
  }
}

/* Takes the supports away that a block gave at its old low, outside [a, b). */
static void drop_support(ash_place_skyline *k, uint32_t first, uint32_t last,
                         int64_t old) {
  ASH_ASSERT(last <= k->moment_count);
  const int64_t *restrict sky = k->cells.sky;
  int32_t *restrict support = k->cells.support;
  for (uint32_t s = first; s < last; s++)
    support[s] -= sky[s] == old;
}

static void lift_blocks(raise *x) {
  ash_place_skyline *k = x->k;
  for (uint32_t i = 0; i < x->lows; i++) {
    const uint32_t j = k->touched[i];
    const ash_place_block *t = &k->blocks[j];
    const int64_t old = k->low[j];
    ASH_ASSERT(old < x->height);
    drop_support(k, t->first, least(t->last, x->a), old);
    drop_support(k, most(t->first, x->b), t->last, old);
    k->low[j] = t->align == 1 ? x->height : ash_place_block_round(t, x->height);
    if (k->low[j] == x->height)
      add_support(x, t);
  }
}

/* The sky of a moment without supporters: the minimum of the lows. */
static void normalise(ash_place_skyline *k, uint32_t s) {
  const uint64_t *alive = k->alive[s];
  int64_t sky = INT64_MAX;
  int32_t support = 0;
  for (uint32_t w = k->word_lo[s]; w < k->word_hi[s]; w++)
    for (uint64_t set = alive[w] & k->unplaced[w]; set; set &= set - 1) {
      const int64_t low = k->low[w * 64 + ash_lowest_bit(set)];
      if (low > sky)
        continue;
      support = low < sky ? 1 : support + 1;
      sky = low;
    }
  ASH_ASSERT(support > 0); /* something unplaced is alive here */
  k->cells.sky[s] = sky;
  k->cells.support[s] = support;
}

/* Too little room: the move is refuted, or the capacity gives way. */
static bool is_refuted(ash_place_skyline *k, uint32_t s) {
  const int64_t slack = ash_place_skyline_slack(k, s);
  if (slack >= 0)
    return false;
  k->failed_at = s;
  if (k->soft)
    k->capacity -= slack;
  return !k->soft;
}

/* Moments outside [a, b) that lost their last supporter. */
static bool settle_side(ash_place_skyline *k, uint32_t first, uint32_t last) {
  ASH_ASSERT(last <= k->moment_count);
  for (uint32_t s = first; s < last; s++) {
    if (k->cells.support[s] > 0 || k->cells.left[s] == 0)
      continue;
    normalise(k, s);
    if (is_refuted(k, s))
      return false;
  }
  return true;
}

static bool settle(raise *x) {
  ash_place_skyline *k = x->k;
  int32_t support = 0;
  for (uint32_t s = x->a; s < x->b; s++) {
    support += k->rest[s];
    ASH_ASSERT(support >= 0);
    k->rest[s] = 0;
    k->cells.sky[s] = x->height;
    k->cells.support[s] = support;
  }
  ASH_ASSERT(support + k->rest[x->b] == 0);
  k->rest[x->b] = 0;
  for (uint32_t s = x->a; s < x->b; s++) {
    if (k->cells.left[s] == 0)
      continue;
    if (k->cells.support[s] <= 0)
      normalise(k, s);
    if (is_refuted(k, s))
      return false;
  }
  return settle_side(k, x->first, x->a) && settle_side(k, x->b, x->last);
}

/* Raises [a, b) to the height, with the block just placed there, if any. */
static bool raise_sky(ash_place_skyline *k, uint32_t a, uint32_t b,
                      int64_t height, uint32_t block) {
  raise x = {.k = k, .a = a, .b = b, .height = height, .first = a, .last = b};
  find_touched(&x);
  ASH_ASSERT(x.first <= a && b <= x.last && x.last <= k->moment_count);
  const record r = {.block = block,
                    .lows = x.lows,
                    .a = a,
                    .b = b,
                    .first = x.first,
                    .last = x.last};
  if (!k->soft && save_cells(k, &r))
    save_lows(k, &r);
  if (block != UINT32_MAX) {
    take_out(k, block, 1);
    for (uint32_t s = a; s < b; s++)
      k->cells.top[s] = height;
  }
  k->changed_first = x.first;
  k->changed_last = x.last;
  lift_blocks(&x);
  return settle(&x);
}

bool ash_place_skyline_raise(ash_place_skyline *k, uint32_t moment,
                             int64_t height) {
  ASH_ASSERT(moment < k->moment_count && height > k->cells.sky[moment]);
  return raise_sky(k, moment, moment + 1, height, UINT32_MAX);
}

bool ash_place_skyline_may_put(ash_place_skyline *k, uint32_t block) {
  ASH_ASSERT(ash_place_skyline_is_unplaced(k, block));
  const ash_place_block *t = &k->blocks[block];
  const int64_t room = k->capacity - k->low[block] - t->size + t->room;
  if (room < t->room) { /* moments count on what their topmost saves */
    k->failed_at = t->first;
    return false;
  }
  for (uint32_t s = t->first; s < t->last; s++)
    if (k->cells.left[s] > room + k->waste[s] && k->cells.left[s] > t->room) {
      k->failed_at = s;
      return false;
    }
  return true;
}

bool ash_place_skyline_put(ash_place_skyline *k, uint32_t block) {
  ASH_ASSERT(ash_place_skyline_is_unplaced(k, block) && k->low[block] >= 0);
  const ash_place_block *t = &k->blocks[block];
  const int64_t at = k->low[block];
  k->unplaced[block / 64] &= ~((uint64_t)1 << (block % 64));
  k->place[block] = at;
  return raise_sky(k, t->first, t->last, at + t->size, block);
}

bool ash_place_skyline_supported(const ash_place_skyline *k, uint32_t block) {
  ASH_ASSERT(ash_place_skyline_is_unplaced(k, block));
  const ash_place_block *t = &k->blocks[block];
  const int64_t at = k->low[block];
  if (t->align == 1) {
    for (uint32_t s = t->first; s < t->last; s++)
      if (k->cells.top[s] == at)
        return true;
    return false;
  }
  int64_t top = 0;
  for (uint32_t s = t->first; s < t->last; s++)
    if (k->cells.top[s] > top)
      top = k->cells.top[s];
  return ash_place_block_round(t, top) == at;
}
