/* sweep_rows.c - list scheduling in the order of time: rows are born and die
 * first in, first out, and most have one of a few sizes, so what fits exactly
 * where another has just died is often all that is needed. Groups are placed
 * first, at the ends; then all others, forwards or backwards in time, in low,
 * high or best fitting places. */
#include "plan/sweep_rows.h"

#include "base/checked.h"
#include "base/sort.h"

/* A buffer or a group of buffers. */
typedef struct item {
  uint32_t first; /* of its buffers in `members` */
  uint32_t count;
  int64_t lower, upper;
  uint64_t reach;
  bool is_group;
} item;

/* Bases from `from` to `to`, both included, are taken. */
typedef struct taken {
  int64_t from, to;
} taken;

typedef enum fit { LOWEST, HIGHEST, BEST } fit;

typedef struct sweeper {
  ash_ctx *ctx;
  const ash_sweep *s;
  item *items;
  uint32_t item_count;
  uint32_t *members; /* buffers, by item */
  uint32_t *order;   /* of items         */
  uint32_t *spare;
  uint32_t *placed; /* buffers          */
  uint32_t placed_count;
  taken *blocks, *block_spare;
  int64_t *offsets;
} sweeper;

/* ---- items --------------------------------------------------------------- */

static void add_member(sweeper *w, item *x, uint32_t buffer) {
  ASH_ASSERT(buffer < w->s->count);
  const ash_buffer *b = &w->s->buffers[buffer];
  const uint64_t at =
      w->s->group_of[buffer] == ASH_NO_ID ? 0 : (uint64_t)w->s->delta[buffer];
  w->members[x->first + x->count++] = buffer;
  x->lower = b->lower < x->lower ? b->lower : x->lower;
  x->upper = b->upper > x->upper ? b->upper : x->upper;
  x->reach = ash_max_u64(x->reach, at + b->size);
}

static item *new_item(sweeper *w) {
  ASH_ASSERT(w->item_count < w->s->count + w->s->group_count);
  const uint32_t first = w->item_count ? w->items[w->item_count - 1].first +
                                             w->items[w->item_count - 1].count
                                       : 0;
  w->items[w->item_count] = (item){.first = first, .lower = INT64_MAX};
  return &w->items[w->item_count++];
}

static void make_items(sweeper *w) {
  for (uint32_t k = 0; k < w->s->group_count; k++) {
    item *x = new_item(w);
    for (uint32_t i = 0; i < w->s->count; i++)
      if (w->s->group_of[i] == k)
        add_member(w, x, i);
    x->is_group = true;
  }
  for (uint32_t i = 0; i < w->s->count; i++)
    if (w->s->group_of[i] == ASH_NO_ID &&
        !(w->s->is_left_out && w->s->is_left_out[i]))
      add_member(w, new_item(w), i);
  ASH_ASSERT(w->item_count <= w->s->count + w->s->group_count);
}

static int64_t delta_of(const sweeper *w, uint32_t buffer) {
  ASH_ASSERT(buffer < w->s->count);
  return w->s->group_of[buffer] == ASH_NO_ID ? 0 : w->s->delta[buffer];
}

/* ---- places -------------------------------------------------------------- */

static bool is_away(const ash_buffer *b, int64_t lower, int64_t upper) {
  ASH_ASSERT(lower < upper);
  for (size_t k = 0; k < b->gap_count; k++)
    if (b->gaps[k].lower <= lower && upper <= b->gaps[k].upper)
      return true;
  return false;
}

/* Are both there at some time? */
static bool meet(const ash_buffer *a, const ash_buffer *b) {
  ASH_ASSERT(a->lower < a->upper && b->lower < b->upper);
  const int64_t lower = a->lower > b->lower ? a->lower : b->lower;
  const int64_t upper = a->upper < b->upper ? a->upper : b->upper;
  if (lower >= upper || is_away(a, lower, upper) || is_away(b, lower, upper))
    return false;
  if (a->gap_count == 0 && b->gap_count == 0)
    return true;
  for (int64_t t = lower; t < upper; t++)
    if (!is_away(a, t, t + 1) && !is_away(b, t, t + 1))
      return true;
  return false;
}

static int by_from(const void *a, const void *b, const void *user) {
  const taken *x = a, *y = b;
  (void)user;
  return x->from < y->from ? -1 : x->from > y->from;
}

/* The bases that others forbid the item, sorted. */
static uint32_t find_blocks(sweeper *w, const item *x) {
  uint32_t count = 0;
  for (uint32_t m = 0; m < x->count; m++) {
    const uint32_t mine = w->members[x->first + m];
    const ash_buffer *a = &w->s->buffers[mine];
    for (uint32_t p = 0; p < w->placed_count; p++) {
      const ash_buffer *b = &w->s->buffers[w->placed[p]];
      if (a->size == 0 || b->size == 0 || !meet(a, b))
        continue;
      const int64_t at = w->offsets[w->placed[p]] - delta_of(w, mine);
      w->blocks[count++] =
          (taken){at - (int64_t)a->size + 1, at + (int64_t)b->size - 1};
    }
  }
  ash_sort(w->blocks, w->block_spare, count, sizeof *w->blocks, by_from, NULL);
  return count;
}

/* The first base from `base` on at which all members are aligned. */
static int64_t align_item(const sweeper *w, const item *x, int64_t base) {
  ASH_ASSERT(x->count > 0 && base >= 0);
  for (int tries = 0; tries < 64; tries++) {
    int64_t more = 0;
    for (uint32_t m = 0; m < x->count && more == 0; m++) {
      const uint32_t i = w->members[x->first + m];
      const int64_t a = (int64_t)ash_max_u64(1, w->s->buffers[i].alignment);
      const int64_t rest = (base + delta_of(w, i)) % a;
      more = rest ? a - rest : 0;
    }
    if (more == 0)
      return base;
    base += more;
  }
  return INT64_MAX;
}

/* Looks at the free bases [from, to]; better ones replace `*best`. */
static void offer(const sweeper *w, const item *x, int64_t from, int64_t to,
                  fit how, int64_t *best, int64_t *slack) {
  const int64_t base = align_item(w, x, from);
  if (base > to)
    return;
  int64_t high = base;
  for (int64_t at = to; how == HIGHEST && at > base; at--)
    if (align_item(w, x, at) == at) {
      high = at;
      break;
    }
  if (*best < 0 || how == HIGHEST || (how == BEST && to - from < *slack)) {
    *best = how == HIGHEST ? high : base;
    *slack = to - from;
  }
}

/* -1: it fits nowhere. */
static int64_t find_place(sweeper *w, const item *x, fit how) {
  const int64_t last = (int64_t)w->s->capacity - (int64_t)x->reach;
  const uint32_t count = find_blocks(w, x);
  int64_t at = 0, best = -1, slack = 0;
  for (uint32_t i = 0; i < count && at <= last; i++) {
    const taken *b = &w->blocks[i];
    if (b->from > at)
      offer(w, x, at, b->from - 1 < last ? b->from - 1 : last, how, &best,
            &slack);
    if (b->to + 1 > at)
      at = b->to + 1;
  }
  if (at <= last)
    offer(w, x, at, last, how, &best, &slack);
  return best;
}

static void put(sweeper *w, const item *x, int64_t base) {
  ASH_ASSERT(base >= 0 && w->placed_count + x->count <= w->s->count);
  for (uint32_t m = 0; m < x->count; m++) {
    const uint32_t i = w->members[x->first + m];
    w->offsets[i] = base + delta_of(w, i);
    w->placed[w->placed_count++] = i;
  }
}

/* ---- sweeps -------------------------------------------------------------- */

static int forwards(const void *a, const void *b, const void *user) {
  const sweeper *w = user;
  const item *x = &w->items[*(const uint32_t *)a];
  const item *y = &w->items[*(const uint32_t *)b];
  if (x->lower != y->lower)
    return x->lower < y->lower ? -1 : 1;
  return x->reach > y->reach ? -1 : x->reach < y->reach;
}

static int backwards(const void *a, const void *b, const void *user) {
  const sweeper *w = user;
  const item *x = &w->items[*(const uint32_t *)a];
  const item *y = &w->items[*(const uint32_t *)b];
  if (x->upper != y->upper)
    return x->upper > y->upper ? -1 : 1;
  return x->reach > y->reach ? -1 : x->reach < y->reach;
}

typedef struct way {
  bool forward;
  fit how;
  fit early, late; /* of groups: those that are there from the start, others */
} way;

/* Pinned buffers, then groups, then all others. */
static int round_of(const sweeper *w, const item *x) {
  ASH_ASSERT(x->count > 0);
  if (w->s->buffers[w->members[x->first]].offset != ASH_FREE_OFFSET)
    return 0;
  return x->is_group ? 1 : 2;
}

static int64_t base_of(sweeper *w, const item *x, int round, const way *how) {
  ASH_ASSERT(0 <= round && round < 3);
  const uint32_t m = w->members[x->first];
  if (round == 0)
    return w->s->buffers[m].offset - delta_of(w, m);
  if (round == 1)
    return find_place(w, x, x->lower == 0 ? how->early : how->late);
  return find_place(w, x, how->how);
}

static bool sweep(sweeper *w, const way *how) {
  w->placed_count = 0;
  for (uint32_t i = 0; i < w->item_count; i++)
    w->order[i] = i;
  ash_sort(w->order, w->spare, w->item_count, sizeof *w->order,
           how->forward ? forwards : backwards, w);
  for (int round = 0; round < 3; round++)
    for (uint32_t i = 0; i < w->item_count; i++) {
      const item *x = &w->items[w->order[i]];
      if (x->count == 0 || round_of(w, x) != round)
        continue;
      const int64_t base = base_of(w, x, round, how);
      if (base < 0)
        return false;
      put(w, x, base);
    }
  return true;
}

static ash_status start(sweeper *w) {
  const size_t n = (size_t)w->s->count + w->s->group_count + 1;
  size_t most = 1;
  ash_zone *z = &w->ctx->scratch;
  w->items = ASH_NEW_ARRAY(z, item, n);
  w->members = ASH_NEW_ARRAY(z, uint32_t, n);
  w->order = ASH_NEW_ARRAY(z, uint32_t, n);
  w->spare = ASH_NEW_ARRAY(z, uint32_t, n);
  w->placed = ASH_NEW_ARRAY(z, uint32_t, n);
  ASH_TRY(ash_zone_check(w->ctx, z));
  make_items(w);
  for (uint32_t i = 0; i < w->item_count; i++)
    if (w->items[i].count > most)
      most = w->items[i].count;
  w->blocks = ASH_NEW_ARRAY(z, taken, most * n);
  w->block_spare = ASH_NEW_ARRAY(z, taken, most * n);
  return ash_zone_check(w->ctx, z);
}

static way way_at(uint32_t i) {
  static const fit fits[] = {BEST, LOWEST, HIGHEST};
  ASH_ASSERT(i < ASH_SWEEP_WAYS);
  return (way){i / 4 % 2, fits[i / 8], i & 1 ? LOWEST : HIGHEST,
               i & 2 ? HIGHEST : LOWEST};
}

/* Ways [from, to), until one of them finds places. */
static ash_status sweep_ways(ash_ctx *ctx, const ash_sweep *s, uint32_t from,
                             uint32_t to, int64_t *offsets, bool *found) {
  sweeper w = {.ctx = ctx, .s = s};
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  w.offsets = offsets;
  const ash_status status = start(&w);
  *found = false;
  for (uint32_t i = from; status == ASH_OK && !*found && i < to; i++) {
    const way how = way_at(i);
    *found = sweep(&w, &how);
  }
  ash_zone_rewind(&ctx->scratch, mark);
  return status;
}

ash_status ash_sweep_rows(ash_ctx *ctx, const ash_sweep *s, int64_t *offsets,
                          bool *found) {
  return sweep_ways(ctx, s, 0, ASH_SWEEP_WAYS, offsets, found);
}

ash_status ash_sweep_one_way(ash_ctx *ctx, const ash_sweep *s, uint32_t number,
                             int64_t *offsets, bool *found) {
  return sweep_ways(ctx, s, number, number + 1, offsets, found);
}
