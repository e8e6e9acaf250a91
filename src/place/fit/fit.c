/* fit.c - rects lie in an array by their first moment; over chunks of it a
 * tree of the largest last moment among *placed* rects. The placed rects
 * that meet [first, last) start before `last` (a prefix of the array) and end
 * after `first` (subtrees whose maximum says so): found in time proportional to
 * their number. */
#include "place/fit/fit.h"
#include "place/radix.h"

#include <string.h>

enum { CHUNK = 16 };

static void sort_by_start(ash_place_fit *f) {
  const ash_place_reduced *in = f->in;
  for (uint32_t i = 0; i < in->rect_count; i++)
    f->started[in->rects[i].first + 1]++;
  for (uint32_t s = 0; s < in->moment_count; s++)
    f->started[s + 1] += f->started[s];
  for (uint32_t i = 0; i < in->rect_count; i++) {
    f->rank[i] = f->started[in->rects[i].first]++;
    f->by_start[f->rank[i]] = i;
  }
  for (uint32_t s = in->moment_count; s > 0; s--)
    f->started[s] = f->started[s - 1];
  f->started[0] = 0;
  ASH_ASSERT(f->started[in->moment_count] == in->rect_count);
}

/* Does a rect meet more than one in thirty others? */
static bool is_dense(const ash_place_fit *f) {
  const ash_place_reduced *in = f->in;
  const uint64_t n = in->rect_count;
  uint64_t pairs = 0;
  for (uint32_t i = 0; i < n; i++)
    pairs += f->started[in->rects[i].last] - f->started[in->rects[i].first] - 1;
  return n > 256 && pairs > n * n / 60;
}

ash_status ash_place_fit_init(ash_ctx *ctx, ash_place_fit *out,
                              const ash_place_reduced *in) {
  ash_zone *z = &ctx->scratch;
  const size_t n = in->rect_count;
  *out = (ash_place_fit){.in = in, .leaf_count = 1};
  while ((size_t)out->leaf_count * CHUNK < n)
    out->leaf_count *= 2;
  ASH_ASSERT((out->leaf_count & (out->leaf_count - 1)) == 0);
  out->by_start = ASH_NEW_ARRAY(z, uint32_t, n);
  out->rank = ASH_NEW_ARRAY(z, uint32_t, n);
  out->started = ASH_NEW_ARRAY(z, uint32_t, (size_t)in->moment_count + 2);
  out->ends = ASH_NEW_ARRAY(z, uint32_t, (size_t)out->leaf_count * CHUNK);
  out->height = ASH_NEW_ARRAY(z, int64_t, n);
  out->bottom = ASH_NEW_ARRAY(z, int64_t, n);
  out->tree = ASH_NEW_ARRAY(z, uint32_t, 2 * (size_t)out->leaf_count);
  out->found = ASH_NEW_ARRAY(z, uint32_t, n);
  out->bases = ASH_NEW_ARRAY(z, int64_t, in->item_count);
  ASH_TRY(ash_zone_check(ctx, z));
  sort_by_start(out);
  for (size_t r = 0; r < n; r++)
    out->height[r] =
        in->rects[out->by_start[r]].hi - in->rects[out->by_start[r]].lo;
  /* A query finds each placed rect at most once per rect of the item. */
  size_t most = 0;
  for (uint32_t i = 0; i < in->item_count; i++)
    if (in->items[i].rect_count > most)
      most = in->items[i].rect_count;
  const size_t spans = (in->special_count ? 2 : 1) * n * (most ? most : 1);
  if (most > 1 && spans > (size_t)1 << 26)
    return ash_fail(ctx, ASH_LIMIT, ASH_D_place_limit, ASH_NOWHERE,
                    "a buffer or group of %zu rectangles among %zu", most, n);
  out->dense = in->plain && is_dense(out);
  if (out->dense)
    ASH_TRY(ash_place_offset_list_init(ctx, &out->by_offset, n));
  out->spans = ASH_NEW_ARRAY(z, ash_place_span, spans);
  out->key = ASH_NEW_ARRAY(z, uint64_t, spans);
  out->order = ASH_NEW_ARRAY(z, uint32_t, spans);
  out->spare = ASH_NEW_ARRAY(z, uint32_t, spans);
  ASH_TRY(ash_zone_check(ctx, z));
  ash_place_fit_clear(out);
  return ASH_OK;
}

void ash_place_fit_clear(ash_place_fit *f) {
  if (f->dense)
    ash_place_offset_list_clear(&f->by_offset);
  memset(f->tree, 0, 2 * (size_t)f->leaf_count * sizeof *f->tree);
  memset(f->ends, 0, (size_t)f->leaf_count * CHUNK * sizeof *f->ends);
  for (uint32_t i = 0; i < f->in->item_count; i++)
    f->bases[i] = INT64_MIN;
  for (uint32_t i = 0; i < f->in->item_count; i++)
    if (f->in->items[i].fixed != ASH_FREE_OFFSET)
      ash_place_fit_put(f, i, f->in->items[i].fixed);
}

/* Ends only grow while items are placed. */
static void set_end(ash_place_fit *f, uint32_t rank, uint32_t value) {
  ASH_ASSERT(rank < f->in->rect_count && value > 0);
  ASH_ASSERT(f->ends[rank] == 0);
  f->ends[rank] = value;
  for (uint32_t i = rank / CHUNK + f->leaf_count; i > 0; i /= 2) {
    if (f->tree[i] >= value)
      break;
    f->tree[i] = value;
  }
}

void ash_place_fit_put(ash_place_fit *f, uint32_t item, int64_t base) {
  const ash_place_item *x = &f->in->items[item];
  ASH_ASSERT(item < f->in->item_count && f->bases[item] == INT64_MIN);
  ASH_ASSERT(base >= 0 && ash_place_item_round_up(x, base) == base);
  f->bases[item] = base;
  if (f->dense && x->rect_count)
    ash_place_offset_list_put(&f->by_offset, f->in->rects[x->rect].first,
                              f->in->rects[x->rect].last, base,
                              base + x->reach);
  for (uint32_t k = 0; k < x->rect_count; k++) {
    const ash_place_rect *p = &f->in->rects[x->rect + k];
    const uint32_t rank = f->rank[x->rect + k];
    f->bottom[rank] = base + p->lo;
    set_end(f, rank, p->last);
  }
}

/* The largest end among a chunk's rects may be the one that goes. */
void ash_place_fit_take(ash_place_fit *f, uint32_t item) {
  const ash_place_item *x = &f->in->items[item];
  ASH_ASSERT(!f->dense && f->bases[item] != INT64_MIN);
  f->bases[item] = INT64_MIN;
  for (uint32_t k = 0; k < x->rect_count; k++) {
    const uint32_t rank = f->rank[x->rect + k];
    const uint32_t *ends = f->ends + (rank - rank % CHUNK);
    uint32_t most = 0, i = rank / CHUNK + f->leaf_count;
    f->ends[rank] = 0;
    for (int b = 0; b < CHUNK; b++)
      most = ends[b] > most ? ends[b] : most;
    for (; i > 0 && f->tree[i] != most; i /= 2) {
      f->tree[i] = most;
      const uint32_t other = f->tree[i ^ 1];
      most = other > most ? other : most;
    }
  }
}

/* Ranks of placed rects that meet [first, last), into f->found. The tree is
 * walked in order with the position alone: down to the left while the subtree
 * has a rect that ends late enough, else on to the next subtree. */
static size_t find_meeting(ash_place_fit *f, uint32_t first, uint32_t last) {
  ASH_ASSERT(first < last && last <= f->in->moment_count);
  const uint32_t limit = f->started[last]; /* ranks that start in time */
  size_t count = 0;
  uint32_t node = 1, level = f->leaf_count; /* chunks below `node` */
  uint32_t at = 0;                          /* first chunk of `node` */
  while (at * CHUNK < limit) {
    if (f->tree[node] > first) {
      if (level > 1) {
        node *= 2;
        level /= 2;
        continue;
      }
      const uint32_t end = at * CHUNK + CHUNK;
      for (uint32_t r = at * CHUNK; r < end && r < limit; r++)
        if (f->ends[r] > first)
          f->found[count++] = r;
    }
    at += level;
    node++;
    while (at < f->leaf_count && (node & 1) == 0 && node > 1) {
      node /= 2;
      level *= 2;
    }
    if (at >= f->leaf_count)
      break;
  }
  f->steps += count + 1;
  return count;
}

/* The same for a plain item among plain items: its size is all that counts. */
static size_t collect_plain(ash_place_fit *f, const ash_place_item *x) {
  ASH_ASSERT(x->rect_count == 1);
  const ash_place_rect *p = &f->in->rects[x->rect];
  const size_t found = find_meeting(f, p->first, p->last);
  for (size_t i = 0; i < found; i++) {
    const uint32_t r = f->found[i];
    const int64_t bottom = f->bottom[r];
    f->spans[i] = (ash_place_span){bottom - x->reach, bottom + f->height[r]};
  }
  return found;
}

/* Forbidden bases of `item`, unsorted, into f->spans. */
static size_t collect_spans(ash_place_fit *f, const ash_place_item *x) {
  const ash_place_reduced *in = f->in;
  size_t count = 0;
  if (in->plain && x->rect_count)
    return collect_plain(f, x);
  for (uint32_t k = 0; k < x->rect_count; k++) {
    const ash_place_rect *p = &in->rects[x->rect + k];
    const size_t found = find_meeting(f, p->first, p->last);
    for (size_t i = 0; i < found; i++) {
      const ash_place_rect *q = &in->rects[f->by_start[f->found[i]]];
      const int64_t base = f->bases[q->item];
      ash_place_span spans[2];
      if (q->item == p->item)
        continue;
      const int some = ash_place_forbidden(in, q, p, spans);
      ASH_ASSERT(base != INT64_MIN && some <= 2);
      for (int s = 0; s < some; s++)
        f->spans[count++] =
            (ash_place_span){base + spans[s].lo, base + spans[s].hi};
    }
  }
  return count;
}

static void sort_spans(ash_place_fit *f, size_t count) {
  for (size_t i = 0; i < count; i++) {
    f->order[i] = (uint32_t)i;
    ASH_ASSERT(f->spans[i].lo < f->spans[i].hi);
    f->key[i] = ash_place_radix_signed(f->spans[i].lo);
  }
  ash_place_radix_sort(f->order, f->spare, f->key, count);
}

/* First fit at `from` or above, or best fit. */
static int64_t find_base(ash_place_fit *f, uint32_t item, int64_t from,
                         bool best) {
  ASH_ASSERT(item < f->in->item_count && f->bases[item] == INT64_MIN);
  const ash_place_item *x = &f->in->items[item];
  if (f->dense && !best && x->rect_count)
    return ash_place_offset_list_lowest(
        &f->by_offset, f->in->rects[x->rect].first, f->in->rects[x->rect].last,
        from, x->reach, x->modulus, &f->steps);
  const size_t count = collect_spans(f, x);
  int64_t at =
      ash_place_item_round_up(x, from > x->residue ? from : x->residue);
  int64_t chosen = INT64_MIN, smallest = INT64_MAX;
  sort_spans(f, count);
  for (size_t i = 0; i < count; i++) {
    const ash_place_span s = f->spans[f->order[i]];
    if (at <= s.lo) {
      if (!best)
        return at;
      if (s.lo - at < smallest) {
        smallest = s.lo - at;
        chosen = at;
      }
    }
    if (at < s.hi)
      at = ash_place_item_round_up(x, s.hi);
  }
  return best && chosen != INT64_MIN ? chosen : at;
}

int64_t ash_place_fit_lowest(ash_place_fit *f, uint32_t item, bool best) {
  return find_base(f, item, 0, best);
}

int64_t ash_place_fit_lowest_from(ash_place_fit *f, uint32_t item,
                                  int64_t from) {
  ASH_ASSERT(from >= 0);
  return find_base(f, item, from, false);
}

bool ash_place_fit_pay(ash_place_fit *f) {
  ASH_ASSERT(f->paid <= f->steps);
  const uint64_t steps = f->steps - f->paid;
  f->paid = f->steps;
  return f->solve && ash_place_solve_spend(f->solve, steps / 64);
}

uint64_t ash_place_fit_height(const ash_place_fit *f) {
  uint64_t height = 0;
  for (uint32_t i = 0; i < f->in->item_count; i++) {
    const ash_place_item *x = &f->in->items[i];
    if (f->bases[i] != INT64_MIN && x->reach &&
        (uint64_t)(f->bases[i] + x->reach) > height)
      height = (uint64_t)(f->bases[i] + x->reach);
  }
  return height;
}

uint64_t ash_place_fit_run(ash_place_fit *f, const uint32_t *items,
                           size_t count, bool best, uint64_t limit) {
  ASH_ASSERT(count <= f->in->item_count);
  static const uint64_t PAY_STEPS = 1 << 18;
  uint64_t height = ash_place_fit_height(f);
  bool spent = false;
  for (size_t i = 0; i < count && height < limit; i++) {
    const uint32_t item = items[i];
    if (f->bases[item] != INT64_MIN)
      continue;
    const ash_place_item *x = &f->in->items[item];
    const int64_t base = spent ? ash_place_item_round_up(x, (int64_t)height)
                               : ash_place_fit_lowest(f, item, best);
    ash_place_fit_put(f, item, base);
    if (x->reach && (uint64_t)(base + x->reach) > height)
      height = (uint64_t)(base + x->reach);
    if (f->steps - f->paid > PAY_STEPS)
      spent = ash_place_fit_pay(f);
  }
  return height < limit ? height : UINT64_MAX;
}

ash_status ash_place_fit_check_fixed(ash_ctx *ctx, const ash_place_reduced *in,
                                     bool *collide) {
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  ash_place_fit fit;
  ASH_TRY(ash_place_fit_init(ctx, &fit, in));
  for (uint32_t i = 0; i < in->item_count; i++) {
    const ash_place_item *x = &in->items[i];
    if (x->fixed == ASH_FREE_OFFSET)
      continue;
    const size_t count = collect_spans(&fit, x);
    for (size_t k = 0; k < count; k++)
      if (fit.spans[k].lo < x->fixed && x->fixed < fit.spans[k].hi)
        *collide = true;
  }
  ash_zone_rewind(&ctx->scratch, mark);
  return ASH_OK;
}
