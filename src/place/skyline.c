/* skyline.c - moves on the skyline and their undoing.
 *
 * Invariant: for every section with unplaced tiles, sky is the minimum of
 * their lows and `support` the number that attain it. Raising part of the
 * skyline lifts the lows of the tiles above it; a section that loses its last
 * supporter is normalised to its new minimum, which never changes a low. So
 * one move is one round of updates, without a fixed point to reach. */
#include "place/skyline.h"

#include <string.h>

typedef struct record { /* ends each entry of the log                */
  uint32_t cells;       /* pairs (section, cell) saved by the move   */
  uint32_t tile;        /* placed by the move, or UINT32_MAX         */
  uint32_t lows;        /* pairs (tile, old low)                     */
  uint32_t unused;
} record;

enum {
  RECORD_WORDS = sizeof(record) / sizeof(uint64_t),
  CELL_WORDS = sizeof(ash_cell) / sizeof(uint64_t) + 1
};

static bool reserve(ash_skyline *k, size_t words) {
  while (k->log_used + words > k->log.capacity)
    if (!ash_zone_grow(k->zone, (void **)&k->log.items, &k->log.capacity,
                       k->log.capacity, sizeof *k->log.items))
      return false;
  return true;
}

/* ---- saving and restoring ----------------------------------------------- */

static void begin_move(ash_skyline *k) {
  k->saved = 0;
  if (++k->move == 0) { /* after 2^32 moves all stamps are stale */
    memset(k->stamp, 0, k->section_count * sizeof *k->stamp);
    k->move = 1;
  }
}

/* Before the first change of a cell by the present move. Without memory
 * nothing is saved; the zone's sticky flag stops the search before the damage
 * is looked at. */
static inline void save_cell(ash_skyline *k, uint32_t s) {
  if (k->stamp[s] == k->move || k->soft)
    return;
  k->stamp[s] = k->move;
  if (!reserve(k, CELL_WORDS))
    return;
  k->log.items[k->log_used] = s;
  memcpy(k->log.items + k->log_used + 1, &k->cells[s], sizeof *k->cells);
  k->log_used += CELL_WORDS;
  k->saved++;
}

/* Ends the entry: lows are saved before they change, in one go, but after the
 * cells; so they are noted down in `touched` with the old values beside. */
static void end_move(ash_skyline *k, uint32_t tile, uint32_t lows) {
  const record r = {.cells = k->saved, .tile = tile, .lows = lows};
  const size_t words = 2 * (size_t)lows;
  if (k->soft || !reserve(k, words + RECORD_WORDS))
    return;
  uint64_t *at = k->log.items + k->log_used;
  for (uint32_t i = 0; i < lows; i++) {
    at[2 * (size_t)i] = k->touched[i];
    at[2 * (size_t)i + 1] = (uint64_t)k->old_low[i];
  }
  memcpy(at + words, &r, sizeof r);
  k->log_used += words + RECORD_WORDS;
}

void ash_skyline_undo(ash_skyline *k) {
  record r;
  memcpy(&r, k->log.items + k->log_used - RECORD_WORDS, sizeof r);
  k->log_used -= 2 * (size_t)r.lows + RECORD_WORDS;
  const uint64_t *at = k->log.items + k->log_used;
  for (uint32_t i = 0; i < r.lows; i++)
    k->low[at[2 * (size_t)i]] = (int64_t)at[2 * (size_t)i + 1];
  k->log_used -= (size_t)r.cells * CELL_WORDS;
  at = k->log.items + k->log_used;
  for (uint32_t i = 0; i < r.cells; i++, at += CELL_WORDS)
    memcpy(&k->cells[at[0]], at + 1, sizeof *k->cells);
  if (r.tile != UINT32_MAX)
    k->unplaced[r.tile / 64] |= (uint64_t)1 << (r.tile % 64);
}

/* ---- raising ------------------------------------------------------------ */

static uint32_t lowest_bit(uint64_t word) {
#if defined(__GNUC__)
  return (uint32_t)__builtin_ctzll(word);
#else
  uint32_t at = 0;
  while ((word >> at & 1) == 0)
    at++;
  return at;
#endif
}

/* Unplaced tiles over [a, b) that lie lower than `height`, into k->touched, and
 * the sections they reach. */
typedef struct raise {
  ash_skyline *k;
  uint32_t a, b;
  int64_t height;
  uint32_t first, last; /* the sections that may change */
  uint32_t lows;
} raise;

static inline uint32_t least(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}
static inline uint32_t most(uint32_t a, uint32_t b) {
  return a > b ? a : b;
}

/* The tile supports the new sky on its part of [a, b). */
static inline void add_support(raise *x, const ash_tile *t) {
  x->k->rest[most(t->first, x->a)]++;
  x->k->rest[least(t->last, x->b)]--;
}

static inline void touch(raise *x, uint32_t j) {
  const ash_tile *t = &x->k->tiles[j];
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
  ash_skyline *k = x->k;
  const uint64_t *alive = k->alive[x->a];
  for (uint32_t w = k->word_lo[x->a]; w < k->word_hi[x->a]; w++)
    for (uint64_t set = alive[w] & k->unplaced[w]; set; set &= set - 1)
      touch(x, w * 64 + lowest_bit(set));
  const uint32_t end = k->begin[x->b];
  for (uint32_t j = k->begin[x->a + 1]; j < end;) {
    const uint64_t set = k->unplaced[j / 64] >> (j % 64);
    if (set == 0) {
      j = (j / 64 + 1) * 64;
      continue;
    }
    j += lowest_bit(set);
    if (j < end)
      touch(x, j);
    j++;
  }
}

/* Takes the supports away that a tile gave at its old low, outside [a, b). */
static void drop_support(ash_skyline *k, uint32_t first, uint32_t last,
                         int64_t old) {
  for (uint32_t s = first; s < last; s++)
    if (k->cells[s].sky == old) {
      save_cell(k, s);
      k->cells[s].support--;
    }
}

static void lift_tiles(raise *x) {
  ash_skyline *k = x->k;
  for (uint32_t i = 0; i < x->lows; i++) {
    const uint32_t j = k->touched[i];
    const ash_tile *t = &k->tiles[j];
    const int64_t old = k->low[j];
    k->old_low[i] = old;
    drop_support(k, t->first, least(t->last, x->a), old);
    drop_support(k, most(t->first, x->b), t->last, old);
    k->low[j] = t->align == 1 ? x->height : ash_tile_round(t, x->height);
    if (k->low[j] == x->height)
      add_support(x, t);
  }
}

/* The sky of a section without supporters: the minimum of the lows. */
static void normalise(ash_skyline *k, uint32_t s) {
  const uint64_t *alive = k->alive[s];
  int64_t sky = INT64_MAX;
  int32_t support = 0;
  for (uint32_t w = k->word_lo[s]; w < k->word_hi[s]; w++)
    for (uint64_t set = alive[w] & k->unplaced[w]; set; set &= set - 1) {
      const int64_t low = k->low[w * 64 + lowest_bit(set)];
      if (low > sky)
        continue;
      support = low < sky ? 1 : support + 1;
      sky = low;
    }
  k->cells[s].sky = sky;
  k->cells[s].support = support;
}

/* Too little room: the move is refuted, or the capacity gives way. */
static bool is_refuted(ash_skyline *k, uint32_t s) {
  const int64_t slack = ash_skyline_slack(k, s);
  if (slack >= 0)
    return false;
  k->failed_at = s;
  if (k->soft)
    k->capacity -= slack;
  return !k->soft;
}

static bool settle(raise *x) {
  ash_skyline *k = x->k;
  int32_t support = 0;
  for (uint32_t s = x->a; s < x->b; s++) {
    support += k->rest[s];
    k->rest[s] = 0;
    k->cells[s].sky = x->height;
    k->cells[s].support = support;
  }
  k->rest[x->b] = 0;
  k->changed_first = x->first;
  k->changed_last = x->last;
  for (uint32_t s = x->first; s < x->last; s++) {
    if (k->cells[s].left == 0)
      continue;
    if (k->cells[s].support <= 0)
      normalise(k, s);
    if (is_refuted(k, s))
      return false;
  }
  return true;
}

/* Raises [a, b) to the height, with the tile just placed there, if any. */
static bool raise_sky(ash_skyline *k, uint32_t a, uint32_t b, int64_t height,
                      uint32_t tile) {
  raise x = {.k = k, .a = a, .b = b, .height = height, .first = a, .last = b};
  begin_move(k);
  for (uint32_t s = a; s < b; s++)
    save_cell(k, s);
  if (tile != UINT32_MAX) {
    const ash_tile *t = &k->tiles[tile];
    for (uint32_t s = a; s < b; s++) {
      ash_cell *c = &k->cells[s];
      c->left -= t->room;
      c->top = height;
      c->bridges -= s + 1 < b;
    }
  }
  find_touched(&x);
  lift_tiles(&x);
  const bool allowed = settle(&x);
  end_move(k, tile, x.lows);
  return allowed;
}

bool ash_skyline_raise(ash_skyline *k, uint32_t section, int64_t height) {
  return raise_sky(k, section, section + 1, height, UINT32_MAX);
}

bool ash_skyline_may_put(ash_skyline *k, uint32_t tile) {
  const ash_tile *t = &k->tiles[tile];
  const int64_t room = k->capacity - k->low[tile] - t->size + t->room;
  if (room < t->room) { /* sections count on what their topmost saves */
    k->failed_at = t->first;
    return false;
  }
  for (uint32_t s = t->first; s < t->last; s++)
    if (k->cells[s].left > room + k->waste[s] && k->cells[s].left > t->room) {
      k->failed_at = s;
      return false;
    }
  return true;
}

bool ash_skyline_put(ash_skyline *k, uint32_t tile) {
  const ash_tile *t = &k->tiles[tile];
  const int64_t at = k->low[tile];
  k->unplaced[tile / 64] &= ~((uint64_t)1 << (tile % 64));
  k->place[tile] = at;
  return raise_sky(k, t->first, t->last, at + t->size, tile);
}

bool ash_skyline_supported(const ash_skyline *k, uint32_t tile) {
  const ash_tile *t = &k->tiles[tile];
  const int64_t at = k->low[tile];
  if (t->align == 1) {
    for (uint32_t s = t->first; s < t->last; s++)
      if (k->cells[s].top == at)
        return true;
    return false;
  }
  int64_t top = 0;
  for (uint32_t s = t->first; s < t->last; s++)
    if (k->cells[s].top > top)
      top = k->cells[s].top;
  return ash_tile_round(t, top) == at;
}
