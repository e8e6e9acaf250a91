/* bound.c - the load of a moment is a lower bound: its buffers are disjoint.
 *
 * With alignments: let g divide every start in a moment. Then each buffer but
 * the topmost takes its size rounded up to g, so the moment demands the sum of
 * the rounded sizes less the largest rounding. Buffers that may overlap demand
 * less by the most they can share (Bonferroni's inequality); tied buffers
 * demand the length of their union. */
#include "place/bound.h"
#include "base/checked.h"
#include "place/segment_tree.h"

static const uint32_t UNION_LIMIT = 2000;

typedef struct work {
  ash_ctx *ctx;
  const ash_place_reduced *in;
  uint64_t *unit;  /* rect -> what its start is a multiple of            */
  uint64_t *load;  /* moment -> bytes, difference array while it grows   */
  uint64_t *grain; /* moment -> greatest common divisor of the units     */
} work;

static bool has_special(const ash_place_reduced *in, uint32_t buffer) {
  ASH_ASSERT(buffer < in->problem->buffer_count);
  return in->special_count &&
         in->special_at[buffer] < in->special_at[buffer + 1];
}

/* Tied to another buffer, so that both may be live at once. */
static bool is_group(const ash_place_reduced *in, const ash_place_item *item) {
  ASH_ASSERT(item->rect + item->rect_count <= in->rect_count);
  return item->rect_count > 1 &&
         in->rects[item->rect].buffer !=
             in->rects[item->rect + item->rect_count - 1].buffer;
}

static uint64_t unit_of(const ash_place_reduced *in, const ash_place_rect *p) {
  const ash_place_item *item = &in->items[p->item];
  if (item->modulus == 1 || is_group(in, item) || has_special(in, p->buffer))
    return 1;
  ASH_ASSERT(item->residue + p->lo >= 0);
  return ash_gcd_u64((uint64_t)item->modulus,
                     (uint64_t)(item->residue + p->lo));
}

static void add(work *w, uint32_t first, uint32_t last, uint64_t bytes) {
  ASH_ASSERT(first < last && last <= w->in->moment_count);
  w->load[first] += bytes;
  if (last < w->in->moment_count)
    w->load[last] -= bytes;
}

/* ---- tied buffers ------------------------------------------------------- */

/* The lowest part of a live rect above `covered`; false: none. */
static bool next_part(const ash_place_reduced *in, const ash_place_item *item,
                      uint32_t moment, int64_t covered, ash_place_span *part) {
  ASH_ASSERT(moment < in->moment_count);
  *part = (ash_place_span){INT64_MAX, INT64_MIN};
  for (uint32_t k = 0; k < item->rect_count; k++) {
    const ash_place_rect *p = &in->rects[item->rect + k];
    if (p->first > moment || p->last <= moment || p->hi <= covered)
      continue;
    const int64_t from = p->lo > covered ? p->lo : covered;
    if (from < part->lo || (from == part->lo && p->hi > part->hi))
      *part = (ash_place_span){from, p->hi};
  }
  return part->lo != INT64_MAX;
}

/* Until when the set of the item's live rects stays as it is. */
static uint32_t unchanged_until(const ash_place_reduced *in,
                                const ash_place_item *item, uint32_t moment,
                                uint32_t until) {
  ASH_ASSERT(moment < until && until <= in->moment_count);
  for (uint32_t k = 0; k < item->rect_count; k++) {
    const ash_place_rect *p = &in->rects[item->rect + k];
    if (p->first > moment && p->first < until)
      until = p->first;
    if (p->first <= moment && p->last > moment && p->last < until)
      until = p->last;
  }
  return until;
}

/* The union of the item's rects that are live in `moment`. */
static uint64_t union_at(const ash_place_reduced *in,
                         const ash_place_item *item, uint32_t moment) {
  uint64_t sum = 0;
  ash_place_span part = {0, INT64_MIN};
  while (next_part(in, item, moment, part.hi, &part)) {
    ASH_ASSERT(part.lo < part.hi);
    sum += (uint64_t)(part.hi - part.lo);
  }
  return sum;
}

static void add_union(work *w, const ash_place_item *item) {
  ASH_ASSERT(item->rect_count > 0);
  const ash_place_reduced *in = w->in;
  uint32_t first = UINT32_MAX, last = 0;
  for (uint32_t k = 0; k < item->rect_count; k++) {
    const ash_place_rect *p = &in->rects[item->rect + k];
    first = p->first < first ? p->first : first;
    last = p->last > last ? p->last : last;
  }
  while (first < last) {
    const uint32_t until = unchanged_until(in, item, first, last);
    ASH_ASSERT(first < until && until <= last);
    add(w, first, until, union_at(in, item, first));
    first = until;
  }
}

/* ---- buffers that may overlap ------------------------------------------- */

static uint64_t overlap_at(const ash_place_rect *x, const ash_place_rect *y,
                           int64_t d) {
  ASH_ASSERT(x->lo < x->hi && y->lo < y->hi);
  const int64_t lo = x->lo > y->lo + d ? x->lo : y->lo + d;
  const int64_t hi = x->hi < y->hi + d ? x->hi : y->hi + d;
  return hi > lo ? (uint64_t)(hi - lo) : 0;
}

static bool is_allowed(const ash_place_span *spans, int count, int64_t d) {
  ASH_ASSERT(0 <= count && count <= 2);
  for (int i = 0; i < count; i++)
    if (spans[i].lo < d && d < spans[i].hi)
      return false;
  return true;
}

/* The most two rects can share: the overlap grows up to a plateau and falls
 * after it, so its ends and the ends of the forbidden spans are enough. */
static uint64_t most_shared(const ash_place_reduced *in,
                            const ash_place_rect *x, const ash_place_rect *y) {
  ash_place_span spans[2];
  const int count = ash_place_forbidden(in, x, y, spans);
  int64_t tries[6] = {x->lo - y->lo, x->hi - y->hi};
  int try_count = 2;
  for (int i = 0; i < count; i++) {
    tries[try_count++] = spans[i].lo;
    tries[try_count++] = spans[i].hi;
  }
  uint64_t most = 0;
  for (int i = 0; i < try_count; i++)
    if (is_allowed(spans, count, tries[i]))
      most = ash_max_u64(most, overlap_at(x, y, tries[i]));
  ASH_ASSERT(most <= (uint64_t)(x->hi - x->lo));
  return most;
}

static void subtract_shared(work *w, const ash_place_rect *x, uint32_t other) {
  ASH_ASSERT(x->buffer != other);
  const ash_place_reduced *in = w->in;
  const ash_place_item *item = &in->items[in->item_of[other]];
  for (uint32_t k = 0; k < item->rect_count; k++) {
    const ash_place_rect *y = &in->rects[item->rect + k];
    const uint32_t first = x->first > y->first ? x->first : y->first;
    const uint32_t last = x->last < y->last ? x->last : y->last;
    if (y->buffer == other && first < last)
      add(w, first, last, 0 - most_shared(in, x, y));
  }
}

static void subtract_specials(work *w) {
  const ash_place_reduced *in = w->in;
  for (uint32_t i = 0; in->special_count && i < in->rect_count; i++) {
    const ash_place_rect *x = &in->rects[i];
    uint32_t before = UINT32_MAX;
    for (uint32_t k = in->special_at[x->buffer];
         k < in->special_at[x->buffer + 1]; k++) {
      const uint32_t other = in->specials[k].other;
      bool again = other == before; /* several relations of one pair */
      for (uint32_t q = in->special_at[x->buffer]; q < k && !again; q++)
        again = in->specials[q].other == other;
      if (x->buffer < other && !again)
        subtract_shared(w, x, other);
      before = other;
    }
  }
}

/* ---- alignment ---------------------------------------------------------- */

static uint64_t rounded(const work *w, uint32_t rect, uint64_t grain) {
  ASH_ASSERT(rect < w->in->rect_count && grain > 0);
  const ash_place_rect *p = &w->in->rects[rect];
  return ash_align_up((uint64_t)(p->hi - p->lo), grain);
}

/* Moments of grain g get the sum of sizes rounded to g, less the largest
 * rounding among their rects. Done once a distinct grain. */
static ash_status load_with_grain(work *w, uint64_t grain, uint64_t *load) {
  ASH_ASSERT(grain > 1);
  const ash_place_reduced *in = w->in;
  const ash_mark mark = ash_zone_mark(&w->ctx->scratch);
  uint64_t *sum =
      ASH_NEW_ARRAY(&w->ctx->scratch, uint64_t, (size_t)in->moment_count + 1);
  ash_place_segtree waste;
  ASH_TRY(
      ash_place_segtree_init(w->ctx, &waste, in->moment_count, ash_max_u64));
  ASH_TRY(ash_zone_check(w->ctx, &w->ctx->scratch));
  for (uint32_t i = 0; i < in->rect_count; i++) {
    const ash_place_rect *p = &in->rects[i];
    const uint64_t bytes = rounded(w, i, grain);
    sum[p->first] += bytes;
    sum[p->last] -= bytes;
    ash_place_segtree_add(&waste, p->first, p->last,
                          bytes - (uint64_t)(p->hi - p->lo));
  }
  uint64_t running = 0;
  for (uint32_t s = 0; s < in->moment_count; s++) {
    running += sum[s];
    ASH_ASSERT(running >= ash_place_segtree_get(&waste, s));
    if (w->grain[s] == grain)
      load[s] = running - ash_place_segtree_get(&waste, s);
  }
  ash_zone_rewind(&w->ctx->scratch, mark);
  return ASH_OK;
}

static ash_status find_grains(work *w) {
  const ash_place_reduced *in = w->in;
  ash_place_segtree tree;
  ASH_TRY(ash_place_segtree_init(w->ctx, &tree, in->moment_count, ash_gcd_u64));
  for (uint32_t i = 0; i < in->rect_count; i++)
    ash_place_segtree_add(&tree, in->rects[i].first, in->rects[i].last,
                          w->unit[i]);
  for (uint32_t s = 0; s < in->moment_count; s++) {
    w->grain[s] = ash_place_segtree_get(&tree, s);
    ASH_ASSERT(w->grain[s] > 0);
  }
  return ASH_OK;
}

/* Treats the largest grains one after the other, then lets what is left keep
 * its plain load, which is a bound as well. */
static ash_status align_loads(work *w) {
  const ash_place_reduced *in = w->in;
  bool aligned = false;
  for (uint32_t i = 0; i < in->rect_count; i++)
    aligned = aligned || w->unit[i] > 1;
  if (!aligned)
    return ASH_OK;
  ASH_TRY(find_grains(w));
  uint64_t below = UINT64_MAX;
  for (int round = 0; round < 8; round++) {
    uint64_t grain = 1;
    for (uint32_t s = 0; s < in->moment_count; s++)
      if (w->grain[s] < below && w->grain[s] > grain)
        grain = w->grain[s];
    if (grain == 1)
      break;
    ASH_ASSERT(grain < below);
    ASH_TRY(load_with_grain(w, grain, w->load));
    below = grain;
  }
  return ASH_OK;
}

/* ---- the whole ---------------------------------------------------------- */

static void plain_loads(work *w) {
  const ash_place_reduced *in = w->in;
  for (uint32_t i = 0; i < in->item_count; i++) {
    const ash_place_item *item = &in->items[i];
    if (is_group(in, item) && item->rect_count <= UNION_LIMIT) {
      add_union(w, item);
      continue;
    }
    const uint32_t count = is_group(in, item) ? 1 : item->rect_count;
    for (uint32_t k = 0; k < count; k++) {
      const ash_place_rect *p = &in->rects[item->rect + k];
      add(w, p->first, p->last, (uint64_t)(p->hi - p->lo));
    }
  }
  subtract_specials(w);
  for (uint32_t s = 1; s < in->moment_count; s++)
    w->load[s] += w->load[s - 1];
  for (uint32_t s = 0; s < in->moment_count; s++)
    if (w->load[s] > (uint64_t)INT64_MAX) /* shared more than there is */
      w->load[s] = 0;
}

static void find_highest(ash_place_bound *out, const ash_place_reduced *in) {
  out->moment = out->item = UINT32_MAX;
  for (uint32_t s = 0; s < in->moment_count; s++)
    if (out->load[s] > out->height) {
      out->height = out->load[s];
      out->moment = s;
    }
  for (uint32_t i = 0; i < in->item_count; i++) {
    const ash_place_item *item = &in->items[i];
    const int64_t base =
        item->fixed == ASH_FREE_OFFSET ? item->residue : item->fixed;
    ASH_ASSERT(item->reach >= 0 && base >= 0);
    if (item->reach > 0 && base + item->reach > (int64_t)out->height) {
      out->height = (uint64_t)(base + item->reach);
      out->moment = UINT32_MAX;
      out->item = i;
    }
  }
}

ash_status ash_place_bound_build(ash_ctx *ctx, ash_place_bound *out,
                                 const ash_place_reduced *in) {
  *out = (ash_place_bound){.load = ASH_NEW_ARRAY(&ctx->scratch, uint64_t,
                                                 (size_t)in->moment_count + 1)};
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  work w = {.ctx = ctx,
            .in = in,
            .unit = ASH_NEW_ARRAY(&ctx->scratch, uint64_t, in->rect_count),
            .grain = ASH_NEW_ARRAY(&ctx->scratch, uint64_t, in->moment_count),
            .load = out->load};
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  for (uint32_t i = 0; i < in->rect_count; i++)
    w.unit[i] = unit_of(in, &in->rects[i]);
  plain_loads(&w);
  ASH_TRY(align_loads(&w));
  ash_zone_rewind(&ctx->scratch, mark);
  find_highest(out, in);
  return ash_place_bound_stack(ctx, out, in);
}

/* A maximum tree over the moments, queried once a rect. */
ash_status ash_place_bound_peaks(ash_ctx *ctx, uint64_t *peak,
                                 const ash_place_reduced *in,
                                 const ash_place_bound *bound) {
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  const size_t n = in->moment_count;
  uint64_t *tree = ASH_NEW_ARRAY(&ctx->scratch, uint64_t, 2 * n + 2);
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  for (size_t s = 0; s < n; s++)
    tree[n + s] = bound->load[s];
  for (size_t i = n; i-- > 1;)
    tree[i] = ash_max_u64(tree[2 * i], tree[2 * i + 1]);
  for (uint32_t i = 0; i < in->rect_count; i++) {
    uint64_t most = 0;
    size_t a = in->rects[i].first + n, b = in->rects[i].last + n;
    for (; a < b; a /= 2, b /= 2) {
      if (a & 1)
        most = ash_max_u64(most, tree[a++]);
      if (b & 1)
        most = ash_max_u64(most, tree[--b]);
    }
    ASH_ASSERT(most <= bound->height);
    peak[i] = most;
  }
  ash_zone_rewind(&ctx->scratch, mark);
  return ASH_OK;
}

ash_status ash_place_bound_witness(ash_ctx *ctx, const ash_place_reduced *in,
                                   const ash_place_bound *bound,
                                   ash_place_result *out) {
  ASH_ASSERT(bound->moment == UINT32_MAX || bound->moment < in->moment_count);
  size_t count = 0;
  for (int pass = 0; pass < 2; pass++) {
    uint32_t *list =
        pass ? ASH_NEW_ARRAY(&ctx->keep, uint32_t, count ? count : 1) : NULL;
    ASH_TRY(ash_zone_check(ctx, &ctx->keep));
    count = 0;
    for (uint32_t i = 0; i < in->rect_count; i++) {
      const ash_place_rect *p = &in->rects[i];
      const bool forces =
          bound->moment == UINT32_MAX
              ? p->item == bound->item
              : p->first <= bound->moment && bound->moment < p->last;
      if (forces && list)
        list[count] = p->buffer;
      count += forces;
    }
    out->witness = list;
  }
  out->witness_count = count;
  if (bound->moment != UINT32_MAX)
    out->witness_time = in->moment_time[bound->moment];
  else if (count && out->witness)
    out->witness_time = in->problem->buffers[out->witness[0]].lower;
  return ASH_OK;
}
