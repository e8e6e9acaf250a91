/* skyline_build.c - from plain items of the reduced problem to blocks: scaled
 * bytes, moments renumbered to the maximal cliques of the set alone, sets of
 * alive blocks, twins. */
#include "base/checked.h"
#include "place/exact/skyline.h"
#include "place/radix.h"

#include <string.h>

typedef struct build {
  ash_ctx *ctx;
  ash_zone *zone;
  ash_place_skyline *k;
  const ash_place_reduced *in;
  const uint32_t *items;
  size_t count;
  int64_t grain; /* divides every alignment */
} build;

static const ash_place_rect *rect_of(const build *x, uint32_t item) {
  ASH_ASSERT(item < x->in->item_count && x->in->items[item].rect_count == 1);
  return &x->in->rects[x->in->items[item].rect];
}

static void find_units(build *x) {
  uint64_t unit = 0, grain = 0;
  for (size_t i = 0; i < x->count; i++) {
    const ash_place_item *item = &x->in->items[x->items[i]];
    ASH_ASSERT(item->reach > 0 && item->fixed == ASH_FREE_OFFSET);
    grain = ash_gcd_u64(grain, (uint64_t)item->modulus);
    unit = ash_gcd_u64(unit, (uint64_t)item->reach);
    if (item->modulus > 1)
      unit = ash_gcd_u64(unit, (uint64_t)item->modulus);
  }
  /* Alignments that all divide the sizes are no constraint at all. */
  x->k->unit = unit ? (int64_t)unit : 1;
  x->grain = grain ? (int64_t)grain : 1;
}

/* ---- moments ----------------------------------------------------------- */

/* Which old moments are maximal cliques of the set: a start since the last
 * kept one, and an end right after. Gives the new number of each old one: the
 * kept moment a start belongs to, and the number kept before an end. */
static ash_status renumber(build *x, uint32_t *first_of, uint32_t *last_of) {
  ash_zone *z = &x->ctx->scratch;
  const ash_mark mark = ash_zone_mark(z);
  const size_t n = x->in->moment_count;
  uint8_t *starts = ASH_NEW_ARRAY(z, uint8_t, n + 1);
  uint8_t *ends = ASH_NEW_ARRAY(z, uint8_t, n + 1);
  ASH_TRY(ash_zone_check(x->ctx, z));
  for (size_t i = 0; i < x->count; i++) {
    starts[rect_of(x, x->items[i])->first] = 1;
    ends[rect_of(x, x->items[i])->last] = 1;
  }
  uint32_t kept = 0;
  bool open = false;
  for (size_t s = 0; s <= n; s++) {
    if (ends[s] && open) {
      kept++;
      open = false;
    }
    first_of[s] = last_of[s] = kept;
    open = open || starts[s];
  }
  ASH_ASSERT(!open && kept > 0);
  x->k->moment_count = kept;
  ash_zone_rewind(z, mark);
  return ASH_OK;
}

static ash_status sort_items(build *x, uint32_t *order) {
  ash_zone *z = &x->ctx->scratch;
  const ash_mark mark = ash_zone_mark(z);
  uint64_t *key = ASH_NEW_ARRAY(z, uint64_t, x->count);
  uint32_t *spare = ASH_NEW_ARRAY(z, uint32_t, x->count);
  ASH_TRY(ash_zone_check(x->ctx, z));
  for (uint32_t i = 0; i < x->count; i++)
    order[i] = i;
  for (int pass = 0; pass < 4; pass++) {
    for (uint32_t i = 0; i < x->count; i++) {
      const uint32_t item = x->items[i];
      const ash_place_rect *p = rect_of(x, item);
      key[i] = pass == 0   ? (uint64_t)x->in->items[item].modulus
               : pass == 1 ? ~(uint64_t)x->in->items[item].reach
               : pass == 2 ? UINT32_MAX - p->last
                           : p->first;
    }
    ash_place_radix_sort(order, spare, key, x->count);
  }
  ash_zone_rewind(z, mark);
  return ASH_OK;
}

static bool are_twins(const ash_place_block *a, const ash_place_block *b) {
  return a->first == b->first && a->last == b->last && a->size == b->size &&
         a->align == b->align;
}

static void make_blocks(build *x, const uint32_t *order,
                        const uint32_t *first_of, const uint32_t *last_of) {
  ash_place_skyline *k = x->k;
  for (uint32_t j = 0; j < x->count; j++) {
    const uint32_t item = x->items[order[j]];
    const ash_place_item *i = &x->in->items[item];
    const ash_place_rect *p = rect_of(x, item);
    const uint64_t room = ash_align_up((uint64_t)i->reach, (uint64_t)x->grain);
    ash_place_block *t = &k->blocks[j];
    *t = (ash_place_block){.size = i->reach / k->unit,
                           .room = (int64_t)room / k->unit,
                           .align = i->modulus == 1 ? 1 : i->modulus / k->unit,
                           .first = first_of[p->first],
                           .last = last_of[p->last],
                           .twin = j};
    ASH_ASSERT(t->first < t->last && t->last <= k->moment_count);
    ASH_ASSERT(t->size > 0 && t->size * k->unit == i->reach);
    ASH_ASSERT(j == 0 || k->blocks[j - 1].first <= t->first);
    k->item[j] = item;
    k->aligned = k->aligned || t->align > 1;
    if (j > 0 && are_twins(t, &k->blocks[j - 1]))
      t->twin = k->blocks[j - 1].twin;
  }
}

/* ---- sets of alive blocks ------------------------------------------------ */

static void find_words(build *x) {
  ash_place_skyline *k = x->k;
  uint32_t j = 0;
  for (uint32_t s = 0; s <= k->moment_count; s++) {
    while (j < k->block_count && k->blocks[j].first < s)
      j++;
    k->begin[s] = j;
  }
  ASH_ASSERT(j == k->block_count);
  for (uint32_t s = 0; s < k->moment_count; s++)
    k->word_lo[s] = UINT32_MAX;
  for (j = 0; j < k->block_count; j++)
    for (uint32_t s = k->blocks[j].first; s < k->blocks[j].last; s++) {
      if (k->word_lo[s] == UINT32_MAX)
        k->word_lo[s] = j / 64;
      k->word_hi[s] = j / 64 + 1;
    }
}

static ash_status make_sets(build *x) {
  ash_place_skyline *k = x->k;
  size_t words = 0;
  find_words(x);
  for (uint32_t s = 0; s < k->moment_count; s++) {
    ASH_ASSERT(k->word_lo[s] < k->word_hi[s]);
    words += k->word_hi[s] - k->word_lo[s];
  }
  uint64_t *pool = ASH_NEW_ARRAY(x->zone, uint64_t, words);
  ASH_TRY(ash_zone_check(x->ctx, x->zone));
  for (uint32_t s = 0; s < k->moment_count; s++) {
    k->alive[s] = pool - k->word_lo[s];
    pool += k->word_hi[s] - k->word_lo[s];
  }
  for (uint32_t j = 0; j < k->block_count; j++)
    for (uint32_t s = k->blocks[j].first; s < k->blocks[j].last; s++)
      k->alive[s][j / 64] |= (uint64_t)1 << (j % 64);
  return ASH_OK;
}

static void make_cells(ash_place_skyline *k) {
  ash_place_cells *fresh = &k->fresh;
  for (uint32_t j = 0; j < k->block_count; j++) {
    const ash_place_block *t = &k->blocks[j];
    for (uint32_t s = t->first; s < t->last; s++) {
      fresh->left[s] += t->room;
      fresh->support[s]++;
      fresh->bridges[s] += s + 1 < t->last;
      if (t->room - t->size > k->waste[s])
        k->waste[s] = t->room - t->size;
    }
  }
  for (uint32_t s = 0; s < k->moment_count; s++) {
    ASH_ASSERT(fresh->left[s] > k->waste[s]);
    if (fresh->left[s] > k->load)
      k->load = fresh->left[s];
    if (fresh->left[s] - k->waste[s] > k->bound)
      k->bound = fresh->left[s] - k->waste[s];
  }
}

/* ---- the whole ---------------------------------------------------------- */

static ash_status allocate(build *x) {
  ash_place_skyline *k = x->k;
  ash_zone *z = x->zone;
  const size_t n = k->block_count, s = k->moment_count;
  k->word_count = (uint32_t)((n + 63) / 64);
  k->blocks = ASH_NEW_ARRAY(z, ash_place_block, n);
  k->item = ASH_NEW_ARRAY(z, uint32_t, n);
  k->begin = ASH_NEW_ARRAY(z, uint32_t, s + 1);
  k->alive = ASH_NEW_ARRAY(z, uint64_t *, s);
  k->word_lo = ASH_NEW_ARRAY(z, uint32_t, s);
  k->word_hi = ASH_NEW_ARRAY(z, uint32_t, s);
  k->waste = ASH_NEW_ARRAY(z, int64_t, s);
  k->cells.sky = ASH_NEW_ARRAY(z, int64_t, s);
  k->cells.top = ASH_NEW_ARRAY(z, int64_t, s);
  for (int i = 0; i < 2; i++) {
    ash_place_cells *c = i ? &k->fresh : &k->cells;
    c->left = ASH_NEW_ARRAY(z, int64_t, s);
    c->support = ASH_NEW_ARRAY(z, int32_t, s);
    c->bridges = ASH_NEW_ARRAY(z, int32_t, s);
  }
  k->low = ASH_NEW_ARRAY(z, int64_t, n);
  k->unplaced = ASH_NEW_ARRAY(z, uint64_t, k->word_count);
  k->place = ASH_NEW_ARRAY(z, int64_t, n);
  k->touched = ASH_NEW_ARRAY(z, uint32_t, n);
  k->rest = ASH_NEW_ARRAY(z, int32_t, s + 1);
  return ash_zone_check(x->ctx, z);
}

static ash_status build_all(build *x) {
  ash_zone *z = &x->ctx->scratch;
  const size_t n = (size_t)x->in->moment_count + 1;
  uint32_t *first_of = ASH_NEW_ARRAY(z, uint32_t, n);
  uint32_t *last_of = ASH_NEW_ARRAY(z, uint32_t, n);
  uint32_t *order = ASH_NEW_ARRAY(z, uint32_t, x->count);
  ASH_TRY(ash_zone_check(x->ctx, z));
  find_units(x);
  ASH_TRY(renumber(x, first_of, last_of));
  ASH_TRY(sort_items(x, order));
  ASH_TRY(allocate(x));
  make_blocks(x, order, first_of, last_of);
  ASH_TRY(make_sets(x));
  make_cells(x->k);
  return ASH_OK;
}

ash_status ash_place_skyline_build(ash_ctx *ctx, ash_zone *z,
                                   ash_place_skyline *out,
                                   const ash_place_reduced *in,
                                   const uint32_t *items, size_t count) {
  ASH_ASSERT(count > 0 && count <= in->item_count);
  *out = (ash_place_skyline){.block_count = (uint32_t)count, .zone = z};
  build x = {.ctx = ctx,
             .zone = z,
             .k = out,
             .in = in,
             .items = items,
             .count = count};
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  const ash_status status = build_all(&x);
  ash_zone_rewind(&ctx->scratch, mark);
  return status;
}

bool ash_place_skyline_reset(ash_place_skyline *k, int64_t capacity) {
  ASH_ASSERT(capacity >= 0);
  k->capacity = capacity;
  k->log_used = 0;
  k->soft = false;
  const size_t n = k->moment_count;
  memset(k->cells.sky, 0, n * sizeof *k->cells.sky);
  memset(k->cells.top, 0, n * sizeof *k->cells.top);
  memcpy(k->cells.left, k->fresh.left, n * sizeof *k->cells.left);
  memcpy(k->cells.support, k->fresh.support, n * sizeof *k->cells.support);
  memcpy(k->cells.bridges, k->fresh.bridges, n * sizeof *k->cells.bridges);
  memset(k->low, 0, k->block_count * sizeof *k->low);
  memset(k->unplaced, 0xff, k->word_count * sizeof *k->unplaced);
  if (k->block_count % 64)
    k->unplaced[k->word_count - 1] = ((uint64_t)1 << (k->block_count % 64)) - 1;
  for (uint32_t s = 0; s < k->moment_count; s++)
    if (ash_place_skyline_slack(k, s) < 0)
      return false;
  return true;
}
