/* reduce.c - from the caller's buffers to items, rects and specials. */
#include "place/reduce.h"
#include "base/checked.h"
#include "place/moments.h"
#include "place/ties.h"

#include <string.h>

static const size_t SPECIAL_LIMIT = (size_t)1 << 24;

static bool takes_room(const ash_buffer *b) {
  return b->size > 0 && b->lower < b->upper;
}

/* ---- groups ------------------------------------------------------------- */

/* Two buffers of one group are inside one another, or never will be. */
static void check_inside(ash_place_ties *r, const ash_place_problem *p,
                         const ash_relation *rel) {
  ASH_ASSERT(rel->kind == ASH_INSIDE);
  ASH_ASSERT(rel->a < p->buffer_count && rel->b < p->buffer_count);
  const int64_t slack =
      (int64_t)p->buffers[rel->a].size - (int64_t)p->buffers[rel->b].size;
  int64_t da, db;
  if (slack < 0)
    r->impossible = true;
  if (ash_place_ties_find(r, rel->a, &da) ==
          ash_place_ties_find(r, rel->b, &db) &&
      (db - da < 0 || db - da > slack))
    r->impossible = true;
}

static ash_status tie_all(ash_ctx *ctx, ash_place_ties *r,
                          const ash_place_problem *p) {
  for (size_t i = 0; i < p->relation_count; i++) {
    const ash_relation *rel = &p->relations[i];
    if (rel->kind == ASH_SAME_OFFSET)
      ASH_TRY(ash_place_ties_tie(ctx, r, rel->a, rel->b, 0));
    else if (rel->kind == ASH_FIXED_DISTANCE)
      ASH_TRY(ash_place_ties_tie(ctx, r, rel->a, rel->b, rel->distance));
  }
  for (size_t i = 0; i < p->relation_count; i++)
    if (p->relations[i].kind == ASH_INSIDE)
      check_inside(r, p, &p->relations[i]);
  return ASH_OK;
}

/* ---- items -------------------------------------------------------------- */

static void pin(ash_place_reduced *out, ash_place_item *item, int64_t base) {
  ASH_ASSERT(item >= out->items && item < out->items + out->item_count);
  if (item->fixed != ASH_FREE_OFFSET && item->fixed != base)
    out->impossible = true;
  item->fixed = base;
}

/* Numbers the groups in the order of their first buffer and finds each group's
 * lowest member. */
static void make_items(ash_place_reduced *out, ash_place_ties *r,
                       int64_t *lowest) {
  const size_t n = out->problem->buffer_count;
  uint32_t *item_of = out->item_of;
  for (size_t b = 0; b < n; b++)
    item_of[b] = UINT32_MAX;
  for (uint32_t b = 0; b < n; b++) {
    const uint32_t root = ash_place_ties_find(r, b, &out->delta[b]);
    if (item_of[root] == UINT32_MAX) {
      item_of[root] = out->item_count;
      lowest[out->item_count] = out->delta[b];
      out->items[out->item_count++] =
          (ash_place_item){.modulus = r->modulus[root],
                           .residue = r->residue[root],
                           .fixed = ASH_FREE_OFFSET};
    }
    const uint32_t item = item_of[root];
    if (out->delta[b] < lowest[item])
      lowest[item] = out->delta[b];
  }
  for (uint32_t b = 0; b < n; b++) {
    int64_t delta;
    const uint32_t root = ash_place_ties_find(r, b, &delta);
    ASH_ASSERT(item_of[root] < out->item_count);
    if (root != b)
      item_of[b] = item_of[root];
  }
}

static void finish_items(ash_place_reduced *out, const int64_t *lowest) {
  for (uint32_t i = 0; i < out->item_count; i++)
    out->items[i].residue =
        ash_floor_mod(out->items[i].residue + lowest[i], out->items[i].modulus);
  for (size_t b = 0; b < out->problem->buffer_count; b++) {
    const ash_buffer *x = &out->problem->buffers[b];
    ash_place_item *item = &out->items[out->item_of[b]];
    out->delta[b] -= lowest[out->item_of[b]];
    ASH_ASSERT(out->delta[b] >= 0);
    if (x->offset != ASH_FREE_OFFSET)
      pin(out, item, x->offset - out->delta[b]);
    if (takes_room(x) && out->delta[b] + (int64_t)x->size > item->reach)
      item->reach = out->delta[b] + (int64_t)x->size;
  }
  for (uint32_t i = 0; i < out->item_count; i++) {
    const int64_t at = out->items[i].fixed;
    if (at != ASH_FREE_OFFSET &&
        (at < 0 || ash_place_item_round_up(&out->items[i], at) != at))
      out->impossible = true;
  }
}

/* ---- rects ------------------------------------------------------------- */

typedef struct rect_list {
  ash_place_rect *items;
  int64_t *lower, *upper;
  size_t count;
} rect_list;

static void add_rect(rect_list *list, const ash_place_reduced *in, uint32_t b,
                     int64_t lower, int64_t upper, uint64_t lo, uint64_t hi) {
  ASH_ASSERT(hi <= in->problem->buffers[b].size);
  if (lower >= upper || lo >= hi)
    return;
  list->lower[list->count] = lower;
  list->upper[list->count] = upper;
  list->items[list->count++] =
      (ash_place_rect){.item = in->item_of[b],
                       .buffer = b,
                       .lo = in->delta[b] + (int64_t)lo,
                       .hi = in->delta[b] + (int64_t)hi};
}

static void cut_buffer(rect_list *list, const ash_place_reduced *in,
                       uint32_t b) {
  const ash_buffer *x = &in->problem->buffers[b];
  int64_t from = x->lower;
  if (x->size == 0)
    return;
  for (size_t g = 0; g < x->gap_count; g++) {
    const ash_gap *gap = &x->gaps[g];
    ASH_ASSERT(from <= gap->lower && gap->lower <= gap->upper);
    ASH_ASSERT(gap->upper <= x->upper);
    add_rect(list, in, b, from, gap->lower, 0, x->size);
    add_rect(list, in, b, gap->lower, gap->upper, gap->window_lo,
             gap->window_hi);
    from = gap->upper;
  }
  add_rect(list, in, b, from, x->upper, 0, x->size);
}

/* The buffers, grouped by item. */
static void group_buffers(const ash_place_reduced *in, uint32_t *order,
                          uint32_t *start) {
  const size_t n = in->problem->buffer_count;
  for (size_t b = 0; b < n; b++)
    start[in->item_of[b] + 1]++;
  for (uint32_t i = 0; i < in->item_count; i++)
    start[i + 1] += start[i];
  for (size_t b = 0; b < n; b++)
    order[start[in->item_of[b]]++] = (uint32_t)b;
  ASH_ASSERT(n == 0 || start[in->item_count - 1] == n);
}

static ash_status make_rects(ash_ctx *ctx, ash_place_reduced *out) {
  const ash_place_problem *p = out->problem;
  size_t most = p->buffer_count;
  for (size_t b = 0; b < p->buffer_count; b++)
    most += 2 * p->buffers[b].gap_count;
  rect_list list = {
      .items = ASH_NEW_ARRAY(&ctx->scratch, ash_place_rect, most),
      .lower = ASH_NEW_ARRAY(&ctx->scratch, int64_t, most),
      .upper = ASH_NEW_ARRAY(&ctx->scratch, int64_t, most),
  };
  uint32_t *order = ASH_NEW_ARRAY(&ctx->scratch, uint32_t, p->buffer_count);
  uint32_t *start =
      ASH_NEW_ARRAY(&ctx->scratch, uint32_t, (size_t)out->item_count + 1);
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  group_buffers(out, order, start);
  for (size_t i = 0; i < p->buffer_count; i++) {
    ash_place_item *item = &out->items[out->item_of[order[i]]];
    const size_t before = list.count;
    if (item->rect_count == 0)
      item->rect = (uint32_t)before;
    cut_buffer(&list, out, order[i]);
    item->rect_count += (uint32_t)(list.count - before);
    ASH_ASSERT(item->rect_count == 0 ||
               item->rect + item->rect_count == list.count);
  }
  ASH_ASSERT(list.count <= most);
  out->rects = list.items;
  out->rect_count = (uint32_t)list.count;
  return ash_place_find_moments(ctx, out, list.lower, list.upper);
}

/* ---- specials ----------------------------------------------------------- */

typedef struct special_list {
  struct {
    struct owned {
      uint32_t owner;
      ash_place_special special;
    } * items;
    size_t capacity;
  } array;
  size_t count;
} special_list;

static bool add_special(ash_ctx *ctx, special_list *list, uint32_t owner,
                        ash_place_special special) {
  ASH_ASSERT(owner != special.other);
  if (!ASH_GROW(&ctx->scratch, &list->array, list->count))
    return false;
  list->array.items[list->count++] = (struct owned){owner, special};
  return true;
}

static ash_status add_pair(ash_ctx *ctx, special_list *list,
                           const ash_place_reduced *in, ash_relation r) {
  ASH_ASSERT(r.kind == ASH_INSIDE || r.kind == ASH_MAY_OVERLAP);
  ASH_ASSERT(r.a < in->problem->buffer_count &&
             r.b < in->problem->buffer_count);
  if (list->count > SPECIAL_LIMIT)
    return ash_fail(ctx, ASH_LIMIT, ASH_D_place_limit, ASH_NOWHERE,
                    "too many buffers inside one another");
  if (in->item_of[r.a] == in->item_of[r.b])
    return ASH_OK;
  (void)add_special(ctx, list, r.a,
                    (ash_place_special){r.b, r.kind, true, r.distance});
  (void)add_special(ctx, list, r.b,
                    (ash_place_special){r.a, r.kind, false, r.distance});
  return ash_zone_check(ctx, &ctx->scratch);
}

/* All buffers that b lies inside of, through chains: a list that grows while
 * it is walked. `above` holds the INSIDE relations sorted by inner buffer. */
typedef struct ancestry {
  uint32_t *at, *above, *list;
  uint8_t *seen;
} ancestry;

static ash_status add_ancestors(ash_ctx *ctx, special_list *out,
                                const ash_place_reduced *in, ancestry *t,
                                uint32_t b) {
  ASH_ASSERT(!t->seen[b]);
  size_t count = 0;
  t->list[count++] = b;
  t->seen[b] = 1;
  for (size_t i = 0; i < count; i++)
    for (uint32_t k = t->at[t->list[i]]; k < t->at[t->list[i] + 1]; k++) {
      const uint32_t outer = t->above[k];
      if (t->seen[outer])
        continue;
      t->seen[outer] = 1;
      t->list[count++] = outer;
      ASH_TRY(add_pair(ctx, out, in, (ash_relation){ASH_INSIDE, outer, b, 0}));
    }
  for (size_t i = 0; i < count; i++)
    t->seen[t->list[i]] = 0;
  return ASH_OK;
}

static ash_status collect_inside(ash_ctx *ctx, special_list *out,
                                 const ash_place_reduced *in) {
  const ash_place_problem *p = in->problem;
  const size_t n = p->buffer_count;
  ancestry t = {.at = ASH_NEW_ARRAY(&ctx->scratch, uint32_t, n + 1),
                .above =
                    ASH_NEW_ARRAY(&ctx->scratch, uint32_t, p->relation_count),
                .list = ASH_NEW_ARRAY(&ctx->scratch, uint32_t, n),
                .seen = ASH_NEW_ARRAY(&ctx->scratch, uint8_t, n)};
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  for (size_t i = 0; i < p->relation_count; i++)
    if (p->relations[i].kind == ASH_INSIDE)
      t.at[p->relations[i].b]++;
  for (size_t b = 0; b < n; b++)
    t.at[b + 1] += t.at[b];
  for (size_t i = p->relation_count; i-- > 0;)
    if (p->relations[i].kind == ASH_INSIDE)
      t.above[--t.at[p->relations[i].b]] = p->relations[i].a;
  ASH_ASSERT(t.at[0] == 0 && t.at[n] <= p->relation_count);
  for (uint32_t b = 0; b < n; b++)
    if (t.at[b] < t.at[b + 1])
      ASH_TRY(add_ancestors(ctx, out, in, &t, b));
  return ASH_OK;
}

static ash_status make_specials(ash_ctx *ctx, ash_place_reduced *out) {
  const ash_place_problem *p = out->problem;
  special_list list = {0};
  out->special_at = ASH_NEW_ARRAY(&ctx->scratch, uint32_t, p->buffer_count + 1);
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  if (p->relation_count == 0)
    return ASH_OK;
  for (size_t i = 0; i < p->relation_count; i++)
    if (p->relations[i].kind == ASH_MAY_OVERLAP)
      ASH_TRY(add_pair(ctx, &list, out, p->relations[i]));
  ASH_TRY(collect_inside(ctx, &list, out));
  out->specials = ASH_NEW_ARRAY(&ctx->scratch, ash_place_special, list.count);
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  out->special_count = (uint32_t)list.count;
  for (size_t i = 0; i < list.count; i++)
    out->special_at[list.array.items[i].owner]++;
  for (size_t b = 0; b < p->buffer_count; b++)
    out->special_at[b + 1] += out->special_at[b];
  for (size_t i = list.count; i-- > 0;)
    out->specials[--out->special_at[list.array.items[i].owner]] =
        list.array.items[i].special;
  ASH_ASSERT(out->special_at[0] == 0 &&
             out->special_at[p->buffer_count] == out->special_count);
  return ASH_OK;
}

int ash_place_forbidden(const ash_place_reduced *in, const ash_place_rect *x,
                        const ash_place_rect *y, ash_place_span out[2]) {
  ASH_ASSERT(x->item != y->item);
  ASH_ASSERT(x->first < y->last && y->first < x->last);
  ASH_ASSERT(x->lo < x->hi && y->lo < y->hi);
  const ash_place_span all = {x->lo - y->hi, x->hi - y->lo};
  int64_t above = INT64_MAX, below = INT64_MIN;
  bool some = false;
  out[0] = all;
  if (in->special_count == 0)
    return 1;
  const int64_t shift = in->delta[x->buffer] - in->delta[y->buffer];
  for (uint32_t i = in->special_at[x->buffer];
       i < in->special_at[x->buffer + 1]; i++) {
    const ash_place_special *s = &in->specials[i];
    if (s->other != y->buffer)
      continue;
    if (s->kind == ASH_INSIDE)
      return 0;
    some = true;
    if (s->is_a && shift - s->distance < above)
      above = shift - s->distance; /* forbidden above this difference */
    if (!s->is_a && shift + s->distance > below)
      below = shift + s->distance; /* forbidden below this difference */
  }
  if (!some || below > above)
    return 1;
  int count = 0;
  if (below > all.lo)
    out[count++] = (ash_place_span){all.lo, below < all.hi ? below : all.hi};
  if (above < all.hi)
    out[count++] = (ash_place_span){above > all.lo ? above : all.lo, all.hi};
  return count;
}

/* ---- the whole ---------------------------------------------------------- */

static bool is_plain(const ash_place_reduced *in) {
  if (in->special_count)
    return false;
  for (uint32_t i = 0; i < in->item_count; i++)
    if (in->items[i].rect_count > 1 || in->items[i].fixed != ASH_FREE_OFFSET ||
        (in->items[i].rect_count == 1 &&
         (in->rects[in->items[i].rect].lo != 0 || in->items[i].residue != 0)))
      return false;
  return true;
}

ash_status ash_place_reduce(ash_ctx *ctx, ash_place_reduced *out,
                            const ash_place_problem *problem) {
  const size_t n = problem->buffer_count;
  ash_place_ties ties;
  *out = (ash_place_reduced){
      .problem = problem,
      .items = ASH_NEW_ARRAY(&ctx->scratch, ash_place_item, n),
      .item_of = ASH_NEW_ARRAY(&ctx->scratch, uint32_t, n),
      .delta = ASH_NEW_ARRAY(&ctx->scratch, int64_t, n)};
  ASH_TRY(ash_place_ties_init(ctx, &ties, problem));
  int64_t *lowest = ASH_NEW_ARRAY(&ctx->scratch, int64_t, n);
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  ASH_TRY(tie_all(ctx, &ties, problem));
  out->impossible = ties.impossible;
  make_items(out, &ties, lowest);
  finish_items(out, lowest);
  ASH_TRY(make_rects(ctx, out));
  ASH_TRY(make_specials(ctx, out));
  out->plain = is_plain(out);
  return ASH_OK;
}

void ash_place_offsets(const ash_place_reduced *in, const int64_t *bases,
                       int64_t *offsets) {
  for (size_t b = 0; b < in->problem->buffer_count; b++) {
    ASH_ASSERT(in->item_of[b] < in->item_count && bases[in->item_of[b]] >= 0);
    offsets[b] = bases[in->item_of[b]] + in->delta[b];
  }
}
