/* valley.c - the search itself: an AND/OR tree walked with explicit stacks.
 *
 * A frame is a component of the skyline and a moment of it. Its options are
 * "block j rests at the lowest point of the moment" for each j, or "nobody
 * does": a complete partition for any moment of any valley. A move may cut the
 * component into parts that no unplaced block bridges; all of them must be
 * solved, the smallest first, and each is remembered whether solved or
 * refuted. */
#include "place/exact/valley.h"

#include <string.h>

static const uint64_t LUBY_UNIT = 2;  /* nodes a block          */
static const uint64_t SHORT_DIVE = 8; /* turns of Luby at most */

/* ---- setting up --------------------------------------------------------- */

/* x / whole as a fraction of 2^30. */
static int64_t share(int64_t x, int64_t whole) {
  ASH_ASSERT(0 <= x && x <= whole && whole > 0);
  const int64_t scale = (int64_t)1 << 30;
  return whole < scale ? x * scale / whole : x / (whole / scale);
}

static void set_worths(ash_place_valley *v) {
  const ash_place_skyline *k = v->sky;
  const int64_t load = k->load ? k->load : 1;
  for (uint32_t j = 0; j < k->block_count; j++) {
    const ash_place_block *t = &k->blocks[j];
    const int64_t life = share((int64_t)(t->last - t->first), k->moment_count);
    const int64_t area = life * share(t->size, load) >> 30;
    int64_t peak = 0;
    for (uint32_t s = t->first; s < t->last; s++)
      if (k->fresh.left[s] > peak)
        peak = k->fresh.left[s];
    peak = share(peak, load);
    v->worth[0][j] = life + area / 10000;
    v->worth[1][j] = peak * 10 + area;
    v->worth[2][j] = peak * 10 + life;
  }
}

bool ash_place_valley_init(ash_place_valley *v, ash_place_skyline *sky,
                           ash_zone *zone, ash_place_valley_use use,
                           uint64_t seed) {
  const size_t n = sky->block_count, moments = sky->moment_count;
  *v = (ash_place_valley){
      .sky = sky, .zone = zone, .use = use, .slots_max = (size_t)1 << 22};
  v->rng.state = seed;
  v->rng.state = ash_rng_next(&v->rng); /* near seeds, far streams */
  v->salt = ASH_NEW_ARRAY(zone, uint64_t, moments + sky->word_count);
  v->jobs = ASH_NEW_ARRAY(zone, uint32_t, n);
  v->fails = ASH_NEW_ARRAY(zone, uint32_t, moments);
  v->ease = ASH_NEW_ARRAY(zone, int32_t, moments);
  v->priority = ASH_NEW_ARRAY(zone, int64_t, n);
  for (int i = 0; i < 3; i++)
    v->worth[i] = ASH_NEW_ARRAY(zone, int64_t, n);
  if (!ash_place_table_init(&v->table, zone, n) || !ash_place_guide_init(v))
    return false;
  ash_rng salt = {0x5eed};
  for (size_t i = 0; i < moments + sky->word_count; i++)
    v->salt[i] = ash_rng_next(&salt);
  set_worths(v);
  return true;
}

/* ---- components --------------------------------------------------------- */

/* Cuts [from, to) where no unplaced block bridges, drops finished moments, and
 * lists the parts from the smallest to the largest. */
static void split(ash_place_valley *v, uint32_t from, uint32_t to) {
  ASH_ASSERT(from < to && to <= v->sky->moment_count);
  const ash_place_cells *cells = &v->sky->cells;
  const size_t base = v->part_count;
  for (uint32_t a = from, s = from; s < to; s++) {
    if (s + 1 < to && cells->bridges[s] > 0)
      continue;
    if (cells->left[s] && ASH_GROW(v->zone, &v->parts, v->part_count)) {
      size_t at = v->part_count++;
      ash_place_part *list = v->parts.items;
      for (; at > base && list[at - 1].to - list[at - 1].from > s + 1 - a; at--)
        list[at] = list[at - 1];
      list[at] = (ash_place_part){a, s + 1};
    }
    a = s + 1;
  }
}

/* Without splitting: one part from the first to the last unfinished moment. */
static void keep_whole(ash_place_valley *v, uint32_t from, uint32_t to) {
  ASH_ASSERT(from < to && to <= v->sky->moment_count);
  const ash_place_cells *cells = &v->sky->cells;
  while (from < to && cells->left[from] == 0)
    from++;
  while (from < to && cells->left[to - 1] == 0)
    to--;
  if (from < to && ASH_GROW(v->zone, &v->parts, v->part_count))
    v->parts.items[v->part_count++] = (ash_place_part){from, to};
}

static void list_parts(ash_place_valley *v, ash_place_frame *f) {
  f->part_at = (uint32_t)v->part_count;
  if (v->use.split)
    split(v, f->from, f->to);
  else
    keep_whole(v, f->from, f->to);
  f->part_next = f->part_at;
  f->part_end = (uint32_t)v->part_count;
}

/* ---- frames ------------------------------------------------------------- */

static bool recall_solved(ash_place_valley *v, ash_place_key key, uint32_t from,
                          uint32_t to) {
  const ash_place_skyline *k = v->sky;
  const ash_place_solved *known = ash_place_table_find_solved(&v->table, key);
  if (!known)
    return false;
  uint64_t at = known->at;
  for (uint32_t j = k->begin[from]; j < k->begin[to]; j++)
    if (ash_place_skyline_is_unplaced(k, j))
      k->place[j] = *ash_place_table_ring(&v->table, at++);
  ASH_ASSERT(at == known->at + known->count);
  v->settled += known->count;
  v->table.reuses++;
  return true;
}

static uint32_t count_unplaced(const ash_place_skyline *k, uint32_t from,
                               uint32_t to) {
  uint32_t count = 0;
  for (uint32_t j = k->begin[from]; j < k->begin[to]; j++)
    count += ash_place_skyline_is_unplaced(k, j);
  return count;
}

/* Opens a frame for a component, unless its answer is known. */
static ash_place_outcome open_frame(ash_place_valley *v, uint32_t from,
                                    uint32_t to, bool *opened) {
  ASH_ASSERT(from < to && to <= v->sky->moment_count);
  ash_place_key key = {0, 0};
  *opened = false;
  if (v->use.memory) {
    key = ash_place_valley_key(v, from, to);
    if (ash_place_table_has_failed(&v->table, key)) {
      v->table.hits++;
      return ASH_PLACE_REFUTED;
    }
    if (recall_solved(v, key, from, to))
      return ASH_PLACE_SOLVED;
  }
  if (++v->nodes > v->node_limit ||
      !ASH_GROW(v->zone, &v->frames, v->frame_count))
    return ASH_PLACE_CUT;
  v->ticks += 1 + (to - from) / 64;
  ash_place_frame *f = &v->frames.items[v->frame_count++];
  *f = (ash_place_frame){.from = from,
                         .to = to,
                         .key = key,
                         .log_mark = v->sky->log_used,
                         .settled = v->settled,
                         .option_at = (uint32_t)v->option_count};
  f->moment = ash_place_valley_choose(v, from, to);
  ASH_ASSERT(from <= f->moment && f->moment < to);
  f->raise = ash_place_valley_options(v, f->moment, &f->nobody_first);
  f->option_next = f->option_at;
  f->option_end = (uint32_t)v->option_count;
  f->part_at = f->part_end = (uint32_t)v->part_count;
  *opened = true;
  return ASH_PLACE_CUT;
}

static void close_frame(ash_place_valley *v) {
  ASH_ASSERT(v->frame_count > 0);
  const ash_place_frame *f = &v->frames.items[--v->frame_count];
  v->option_count = f->option_at;
  v->part_count = f->part_at;
}

static void rewind_moves(ash_place_valley *v, const ash_place_frame *f) {
  ASH_ASSERT(f->log_mark <= v->sky->log_used);
  ASH_ASSERT(f->part_at <= v->part_count && f->settled <= v->settled);
  while (v->sky->log_used > f->log_mark)
    ash_place_skyline_undo(v->sky);
  ASH_ASSERT(v->sky->log_used == f->log_mark);
  v->part_count = f->part_at;
  v->settled = f->settled;
}

/* Makes the next move of the frame that is not refuted at once; false: there
 * is none left. */
static bool next_move(ash_place_valley *v, ash_place_frame *f) {
  ASH_ASSERT(!f->moved && f->option_end <= v->option_count);
  while (f->option_next < f->option_end || f->raise) {
    bool allowed;
    if (f->option_next < f->option_end && !(f->raise && f->nobody_first)) {
      const uint32_t j = v->options.items[f->option_next++];
      allowed = ash_place_skyline_may_put(v->sky, j) &&
                ash_place_skyline_put(v->sky, j);
      v->settled++;
    } else {
      allowed = ash_place_skyline_raise(v->sky, f->moment, f->raise);
      f->raise = 0;
    }
    if (!allowed)
      ash_place_valley_blame(v, v->sky->failed_at);
    else if (!v->use.jackson || ash_place_jackson_allows(v)) {
      list_parts(v, f);
      return true;
    }
    rewind_moves(v, f);
  }
  return false;
}

/* Remembers the places of the component's blocks. The moves inside it are
 * undone first, so that its unplaced set is the one of its key. */
static void store_solved(ash_place_valley *v, const ash_place_frame *f) {
  const ash_place_skyline *k = v->sky;
  rewind_moves(v, f);
  const uint32_t count = count_unplaced(k, f->from, f->to);
  ash_place_solved *s = ash_place_table_add_solved(&v->table, f->key, count);
  v->settled += count;
  if (!s)
    return;
  uint64_t at = s->at;
  for (uint32_t j = k->begin[f->from]; j < k->begin[f->to]; j++)
    if (ash_place_skyline_is_unplaced(k, j))
      *ash_place_table_ring(&v->table, at++) = k->place[j];
  ASH_ASSERT(at == s->at + count);
}

static ash_place_frame *newest(ash_place_valley *v) {
  ASH_ASSERT(v->frame_count > 0);
  return &v->frames.items[v->frame_count - 1];
}

/* A part of the newest frame's move is solved; it was one of several, so its
 * answer may be wanted again when another of them fails. */
static void part_solved(ash_place_valley *v) {
  ASH_ASSERT(newest(v)->moved && newest(v)->part_next < newest(v)->part_end);
  newest(v)->part_next++;
}

static void part_refuted(ash_place_valley *v) {
  ASH_ASSERT(newest(v)->moved);
  ash_place_frame *f = newest(v);
  ash_place_guide_note(v);
  rewind_moves(v, f);
  f->moved = false;
}

/* All parts of the move are solved, so the frame is. */
static void leave_solved(ash_place_valley *v) {
  ASH_ASSERT(newest(v)->part_next == newest(v)->part_end);
  const ash_place_frame *f = newest(v);
  const ash_place_frame *below = f - 1;
  if (v->use.memory && v->frame_count > 1 &&
      below->part_end - below->part_at > 1)
    store_solved(v, f);
  close_frame(v);
}

static void leave_refuted(ash_place_valley *v) {
  ASH_ASSERT(!newest(v)->moved && newest(v)->raise == 0);
  const ash_place_frame *f = newest(v);
  if (v->use.memory && v->frame_count > 1)
    ash_place_table_add_failed(&v->table, f->key);
  close_frame(v);
}

/* Opens the next part of the newest frame's move, or uses what is known of it;
 * false: the limit of nodes is reached. */
static bool enter_part(ash_place_valley *v) {
  ASH_ASSERT(newest(v)->part_next < newest(v)->part_end);
  const ash_place_part part = v->parts.items[newest(v)->part_next];
  bool opened;
  const ash_place_outcome known = open_frame(v, part.from, part.to, &opened);
  if (opened)
    return true;
  if (known == ASH_PLACE_SOLVED)
    part_solved(v);
  else if (known == ASH_PLACE_REFUTED)
    part_refuted(v);
  return known != ASH_PLACE_CUT;
}

/* The newest frame moves on, opens a part of its move, or hands its answer to
 * the frame below. */
static ash_place_outcome walk(ash_place_valley *v) {
  while (!v->zone->failed) {
    ash_place_frame *f = newest(v);
    if (!f->moved) {
      f->moved = next_move(v, f);
      if (f->moved)
        continue;
      leave_refuted(v);
      if (v->frame_count == 0)
        return ASH_PLACE_REFUTED;
      part_refuted(v);
    } else if (f->part_next == f->part_end) {
      leave_solved(v);
      if (v->frame_count == 0)
        return ASH_PLACE_SOLVED;
      part_solved(v);
    } else if (!enter_part(v)) {
      return ASH_PLACE_CUT;
    }
  }
  return ASH_PLACE_CUT;
}

/* The root is a frame without options whose parts are the whole skyline's. */
ash_place_outcome ash_place_valley_dive(ash_place_valley *v, int64_t capacity,
                                        uint64_t node_limit) {
  ASH_ASSERT(capacity >= 0);
  v->nodes = 0;
  v->node_limit = node_limit;
  v->frame_count = v->option_count = v->part_count = 0;
  v->settled = 0;
  if (!ash_place_skyline_reset(v->sky, capacity))
    return ASH_PLACE_REFUTED;
  if (!ASH_GROW(v->zone, &v->frames, 0))
    return ASH_PLACE_CUT;
  ash_place_frame *root = &v->frames.items[v->frame_count++];
  *root = (ash_place_frame){.to = v->sky->moment_count, .moved = true};
  list_parts(v, root);
  return walk(v);
}

/* ---- restarts ----------------------------------------------------------- */

/* The Luby sequence 1 1 2 1 1 2 4 ..., from 1. */
static uint64_t luby(uint64_t i) {
  ASH_ASSERT(i > 0);
  for (;;) {
    uint64_t power = 1;
    while (2 * power - 1 < i)
      power *= 2;
    if (2 * power - 1 == i)
      return power;
    i -= power - 1;
  }
}

/* Nodes a block of a dive. What a short dive does not find a long one seldom
 * does, so three of four stay short; the fourth follows Luby's sequence, so
 * that some dive is long enough for every proof. */
static uint64_t dive_length(uint64_t restart) {
  if (restart % 4 == 3)
    return LUBY_UNIT * luby(restart / 4 + 1);
  const uint64_t turns = luby(restart - restart / 4 + 1);
  return LUBY_UNIT * (turns < SHORT_DIVE ? turns : SHORT_DIVE);
}

ash_place_outcome ash_place_valley_search(ash_place_valley *v, int64_t capacity,
                                          uint64_t node_budget,
                                          ash_place_keep_on *keep_on,
                                          void *user) {
  ASH_ASSERT(v->sky->block_count > 0);
  uint64_t spent = 0;
  for (; spent < node_budget; v->restart++) {
    uint64_t limit = node_budget - spent;
    const uint64_t slice = dive_length(v->restart) * v->sky->block_count;
    if (v->use.restarts && slice < limit)
      limit = slice;
    ash_place_guide_start(v);
    ash_place_valley_vary(v, v->restart);
    ash_place_table_grow(&v->table, v->slots_max);
    const uint64_t before = v->ticks;
    const ash_place_outcome outcome = ash_place_valley_dive(v, capacity, limit);
    ash_place_guide_finish(v);
    spent += v->nodes;
    v->total_nodes += v->nodes;
    if (outcome != ASH_PLACE_CUT || v->zone->failed)
      return outcome;
    if (!keep_on(user, v->ticks - before))
      break;
  }
  return ASH_PLACE_CUT;
}
