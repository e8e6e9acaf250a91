/* lns.c - large-neighbourhood repair for placements that are too high in a few
 * places: everything that lives only around such a place is taken out and put
 * back in other orders, squeaky wheel within the neighbourhood, with all that
 * reaches beyond it as obstacles. Cheap however large the whole is. */
#include "place/fit/repair.h"
#include "place/radix.h"

enum { LOCAL_MOST = 400, LOCAL_TRIES = 60 };

typedef struct local { /* the items taken out */
  ash_place_repair *r;
  uint32_t items[LOCAL_MOST];
  int64_t before[LOCAL_MOST]; /* their bases */
  uint64_t rank[LOCAL_MOST];  /* their keys, by position */
  uint32_t spare[LOCAL_MOST];
  uint32_t count;
} local;

static uint64_t top_of(const ash_place_repair *r, uint32_t item) {
  ASH_ASSERT(r->fit.bases[item] != INT64_MIN);
  return (uint64_t)(r->fit.bases[item] + r->solve->reduced.items[item].reach);
}

static const ash_place_rect *rect_of(const ash_place_repair *r, uint32_t item) {
  ASH_ASSERT(r->solve->reduced.items[item].rect_count == 1);
  return &r->solve->reduced.rects[r->solve->reduced.items[item].rect];
}

/* Items that live inside moments [first, last); those that start there are a
 * range of ranks. False: too many. */
static bool take_out(local *x, uint32_t first, uint32_t last) {
  ASH_ASSERT(first < last && last <= x->r->solve->reduced.moment_count);
  ash_place_repair *r = x->r;
  const ash_place_fit *f = &r->fit;
  x->count = 0;
  for (uint32_t k = f->started[first]; k < f->started[last]; k++) {
    const ash_place_rect *p = &f->in->rects[f->by_start[k]];
    if (p->last > last)
      continue;
    if (x->count == LOCAL_MOST)
      return false;
    x->items[x->count++] = p->item;
  }
  for (uint32_t i = 0; i < x->count; i++) {
    x->before[i] = f->bases[x->items[i]];
    ash_place_fit_take(&r->fit, x->items[i]);
  }
  return true;
}

/* The largest first, to begin with. */
static void sort_by_size(local *x) {
  ASH_ASSERT(x->count <= LOCAL_MOST);
  uint32_t order[LOCAL_MOST], sorted[LOCAL_MOST];
  int64_t before[LOCAL_MOST];
  for (uint32_t i = 0; i < x->count; i++) {
    order[i] = i;
    x->rank[i] = ~x->r->traits.size[x->items[i]];
  }
  ash_place_radix_sort(order, x->spare, x->rank, x->count);
  for (uint32_t i = 0; i < x->count; i++) {
    sorted[i] = x->items[order[i]];
    before[i] = x->before[order[i]];
  }
  for (uint32_t i = 0; i < x->count; i++) {
    x->items[i] = sorted[i];
    x->before[i] = before[i];
  }
}

/* Puts all back by first fit in the order; how many end above the target. */
static uint32_t put_back(local *x, const uint32_t *order, uint64_t target) {
  uint32_t high = 0;
  for (uint32_t i = 0; i < x->count; i++) {
    ASH_ASSERT(order[i] < x->count);
    const uint32_t item = x->items[order[i]];
    ash_place_fit_put(&x->r->fit, item,
                      ash_place_fit_lowest(&x->r->fit, item, false));
    high += top_of(x->r, item) > target;
  }
  return high;
}

static void promote(local *x, uint32_t *order, uint64_t target, ash_rng *rng) {
  uint64_t key[LOCAL_MOST];
  for (uint32_t i = 0; i < x->count; i++) {
    const bool blamed = top_of(x->r, x->items[order[i]]) > target;
    key[order[i]] =
        blamed ? 2 * (i * ash_rng_below(rng, 900) / 1000) : 2 * i + 1;
    if (ash_rng_below(rng, 20) == 0) /* and a little noise */
      key[order[i]] = 2 * ash_rng_below(rng, x->count);
  }
  ash_place_radix_sort(order, x->spare, key, x->count);
}

/* One neighbourhood: true when nothing in it ends above the target any more.
 * Otherwise all is as it was. */
static bool mend(local *x, uint64_t target, ash_rng *rng) {
  uint32_t order[LOCAL_MOST];
  sort_by_size(x);
  for (uint32_t i = 0; i < x->count; i++)
    order[i] = i;
  for (int attempt = 0; attempt < LOCAL_TRIES; attempt++) {
    if (put_back(x, order, target) == 0)
      return true;
    promote(x, order, target, rng);
    for (uint32_t i = 0; i < x->count; i++)
      ash_place_fit_take(&x->r->fit, x->items[i]);
  }
  for (uint32_t i = 0; i < x->count; i++)
    ash_place_fit_put(&x->r->fit, x->items[i], x->before[i]);
  return false;
}

static uint32_t widen(uint32_t at, uint32_t by, uint32_t most, bool up) {
  ASH_ASSERT(at <= most);
  if (up)
    return most - at > by ? at + by : most;
  return at > by ? at - by : 0;
}

/* All places that are too high, with neighbourhoods of one width. Returns how
 * many are left. */
static uint32_t mend_all(ash_place_repair *r, local *x, uint32_t width,
                         uint64_t until, ash_rng *rng) {
  ASH_ASSERT(r->solve->reduced.plain && width > 0);
  const ash_place_reduced *in = &r->solve->reduced;
  const uint64_t target = r->solve->target;
  uint32_t left = 0;
  for (uint32_t i = 0; i < in->item_count; i++) {
    if (in->items[i].rect_count == 0 || top_of(r, i) <= target)
      continue;
    const ash_place_rect *p = rect_of(r, i);
    left += !take_out(x, widen(p->first, width, in->moment_count, false),
                      widen(p->last, width, in->moment_count, true)) ||
            !mend(x, target, rng);
    if (ash_place_fit_pay(&r->fit) || r->solve->ticks > until)
      return left + 1;
  }
  return left;
}

static bool can_mend(const ash_place_repair *r) {
  const ash_place_solve *s = r->solve;
  return s->reduced.plain && !r->fit.dense && !ash_place_solve_done(s);
}

void ash_place_lns_mend(ash_place_repair *r) {
  ASH_ASSERT(r->solve->reduced.item_count > 0);
  ash_place_solve *s = r->solve;
  ash_rng rng = {s->options.seed + s->ticks};
  const ash_mark mark = ash_zone_mark(&s->ctx->scratch);
  local *x = can_mend(r) ? ASH_NEW(&s->ctx->scratch, local) : NULL;
  if (!x)
    return;
  x->r = r;
  const uint64_t until = s->ticks + r->mend_ticks;
  for (uint32_t width = 4; width <= 256 && s->ticks <= until; width *= 2)
    if (mend_all(r, x, width, until, &rng) == 0)
      break;
  ash_zone_rewind(&s->ctx->scratch, mark);
  uint64_t height = 0;
  for (uint32_t i = 0; i < s->reduced.item_count; i++)
    if (s->reduced.items[i].reach && top_of(r, i) > height)
      height = top_of(r, i);
  ash_place_solve_offer(s, r->fit.bases, height);
}

void ash_place_lns_run(ash_place_repair *r) {
  const ash_place_solve *s = r->solve;
  if (!can_mend(r) || s->height == UINT64_MAX)
    return;
  ash_place_fit_clear(&r->fit);
  for (uint32_t i = 0; i < s->reduced.item_count; i++)
    ash_place_fit_put(&r->fit, i, s->bases[i]);
  ash_place_lns_mend(r);
}
