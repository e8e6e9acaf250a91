/* refute_pairs.c - a component with gaps or fixed offsets does not fit below
 * the bound: disjunctive branching with a log.
 *
 * Two buffers that are there at the same time forbid open spans of the
 * difference of their offsets. Offsets have bounds; a span is decided when the
 * bounds leave one side only, and a decided span tightens them, up to the fixed
 * point, which does not depend on the order. What is left open is branched on,
 * at the span with the least room for both sides. */
#include "base/checked.h"
#include "place/proof/proof.h"

enum { SPANS_MOST = 1 << 20, ITEMS_MOST = 2000, RECTS_MOST = 64 };

typedef enum side { OPEN, BELOW, ABOVE } side;

typedef struct span { /* offset[j] - offset[i] is not in (lo, hi) */
  uint32_t i, j;
  int64_t lo, hi;
  side side;
} span;

typedef struct change { /* of lowest (0), highest (1) or a side (2) */
  uint32_t kind, index;
  int64_t old;
} change;

typedef struct branch {
  uint32_t span;
  size_t mark; /* of the trail          */
  bool second; /* ABOVE is being tried  */
} branch;

typedef struct pairs {
  ash_place_proof *proof;
  ash_zone zone;
  const uint32_t *items;
  uint32_t count;
  int64_t capacity;
  int64_t *lowest, *highest;
  struct {
    span *items;
    size_t capacity;
  } spans;
  size_t span_count;
  uint32_t *at, *of; /* spans of an item: of[at[i] .. at[i + 1]) */
  uint32_t *stack;   /* items whose bounds changed               */
  uint8_t *stacked;
  uint32_t stack_count;
  struct {
    change *items;
    size_t capacity;
  } trail;
  size_t trail_count;
  struct {
    branch *items;
    size_t capacity;
  } branches;
  size_t branch_count;
} pairs;

static const ash_place_item *item_of(const pairs *g, uint32_t i) {
  ASH_ASSERT(i < g->count);
  return &g->proof->solve.reduced.items[g->items[i]];
}

static unsigned long buffer_of(const pairs *g, uint32_t i) {
  return g->proof->solve.reduced.rects[item_of(g, i)->rect].buffer;
}

/* ---- spans --------------------------------------------------------------- */

/* Adds the spans of a pair, joined where they overlap. */
static void add_joined(pairs *g, uint32_t i, uint32_t j, ash_place_span *list,
                       size_t count) {
  for (size_t a = 1; a < count; a++) {
    const ash_place_span x = list[a];
    size_t at = a;
    for (; at > 0 && list[at - 1].lo > x.lo; at--)
      list[at] = list[at - 1];
    list[at] = x;
  }
  for (size_t a = 0; a < count;) {
    ash_place_span x = list[a++];
    for (; a < count && list[a].lo + 1 < x.hi; a++)
      x.hi = list[a].hi > x.hi ? list[a].hi : x.hi;
    if (ASH_GROW(&g->zone, &g->spans, g->span_count))
      g->spans.items[g->span_count++] = (span){i, j, x.lo, x.hi, OPEN};
  }
}

static void add_pair(pairs *g, uint32_t i, uint32_t j) {
  const ash_place_reduced *in = &g->proof->solve.reduced;
  const ash_place_item *x = item_of(g, i), *y = item_of(g, j);
  ash_place_span list[RECTS_MOST * 2];
  size_t count = 0;
  for (uint32_t a = x->rect; a < x->rect + x->rect_count; a++)
    for (uint32_t b = y->rect; b < y->rect + y->rect_count; b++) {
      const ash_place_rect *p = &in->rects[a], *q = &in->rects[b];
      if (p->first < q->last && q->first < p->last)
        list[count++] = (ash_place_span){p->lo - q->hi, p->hi - q->lo};
    }
  ASH_ASSERT(count <= ASH_COUNT_OF(list));
  add_joined(g, i, j, list, count);
}

/* Rects of one item are apart in time, so two items have fewer pairs of rects
 * that meet than rects. */
static bool list_spans(pairs *g) {
  for (uint32_t i = 0; i < g->count; i++)
    if (item_of(g, i)->rect_count > RECTS_MOST)
      return false;
  for (uint32_t i = 0; i < g->count; i++)
    for (uint32_t j = i + 1; j < g->count; j++) {
      add_pair(g, i, j);
      if (g->span_count > SPANS_MOST || g->zone.failed)
        return false;
    }
  return true;
}

static bool index_spans(pairs *g) {
  g->at = ASH_NEW_ARRAY(&g->zone, uint32_t, (size_t)g->count + 1);
  g->of = ASH_NEW_ARRAY(&g->zone, uint32_t, 2 * g->span_count);
  if (g->zone.failed)
    return false;
  for (size_t k = 0; k < g->span_count; k++) {
    g->at[g->spans.items[k].i]++;
    g->at[g->spans.items[k].j]++;
  }
  for (uint32_t i = 0; i < g->count; i++)
    g->at[i + 1] += g->at[i];
  for (size_t k = g->span_count; k-- > 0;) {
    g->of[--g->at[g->spans.items[k].i]] = (uint32_t)k;
    g->of[--g->at[g->spans.items[k].j]] = (uint32_t)k;
  }
  return true;
}

/* ---- bounds -------------------------------------------------------------- */

static void remember(pairs *g, uint32_t kind, uint32_t index, int64_t old) {
  if (ASH_GROW(&g->zone, &g->trail, g->trail_count))
    g->trail.items[g->trail_count++] = (change){kind, index, old};
}

static void rewind_to(pairs *g, size_t mark) {
  while (g->trail_count > mark) {
    const change c = g->trail.items[--g->trail_count];
    if (c.kind == 2)
      g->spans.items[c.index].side = (side)c.old;
    else
      (c.kind == 0 ? g->lowest : g->highest)[c.index] = c.old;
  }
  while (g->stack_count)
    g->stacked[g->stack[--g->stack_count]] = 0;
}

static void push(pairs *g, uint32_t i) {
  if (g->stacked[i])
    return;
  g->stacked[i] = 1;
  g->stack[g->stack_count++] = i;
}

static bool raise_to(pairs *g, uint32_t i, int64_t to) {
  if (to <= g->lowest[i])
    return true;
  remember(g, 0, i, g->lowest[i]);
  g->lowest[i] = ash_place_item_round_up(item_of(g, i), to);
  push(g, i);
  return g->lowest[i] <= g->highest[i];
}

static bool cut_to(pairs *g, uint32_t i, int64_t to) {
  const ash_place_item *item = item_of(g, i);
  if (to >= g->highest[i])
    return true;
  if (to < g->lowest[i])
    return false;
  remember(g, 1, i, g->highest[i]);
  const int64_t up = ash_place_item_round_up(item, to);
  g->highest[i] = up == to ? to : up - item->modulus;
  push(g, i);
  return g->lowest[i] <= g->highest[i];
}

static bool tighten(pairs *g, uint32_t k) {
  span *s = &g->spans.items[k];
  if (s->side == OPEN) {
    const bool below = g->lowest[s->j] - g->highest[s->i] <= s->lo;
    const bool above = g->highest[s->j] - g->lowest[s->i] >= s->hi;
    if (below == above)
      return below;
    remember(g, 2, k, OPEN);
    s->side = below ? BELOW : ABOVE;
  }
  if (s->side == BELOW)
    return cut_to(g, s->j, g->highest[s->i] + s->lo) &&
           raise_to(g, s->i, g->lowest[s->j] - s->lo);
  return raise_to(g, s->j, g->lowest[s->i] + s->hi) &&
         cut_to(g, s->i, g->highest[s->j] - s->hi);
}

static bool propagate(pairs *g) {
  while (g->stack_count) {
    const uint32_t i = g->stack[--g->stack_count];
    g->stacked[i] = 0;
    for (uint32_t k = g->at[i]; k < g->at[i + 1]; k++)
      if (!tighten(g, g->of[k]))
        return false;
  }
  return true;
}

static bool start(pairs *g) {
  bool possible = true;
  for (uint32_t i = 0; i < g->count; i++) {
    const ash_place_item *item = item_of(g, i);
    const int64_t most = g->capacity - item->reach;
    const bool is_fixed = item->fixed != ASH_FREE_OFFSET;
    g->lowest[i] = is_fixed ? item->fixed : item->residue;
    g->highest[i] = is_fixed && item->fixed < most ? item->fixed : most;
    possible = possible && g->lowest[i] <= g->highest[i];
    push(g, i);
  }
  return possible && propagate(g);
}

/* ---- branching ----------------------------------------------------------- */

/* An open span with the least room for one of its sides; UINT32_MAX: the
 * lowest offsets are a placement. */
static uint32_t choose(const pairs *g) {
  uint32_t best = UINT32_MAX;
  int64_t least = INT64_MAX;
  bool violated = false;
  for (uint32_t k = 0; k < g->span_count; k++) {
    const span *s = &g->spans.items[k];
    const int64_t d = g->lowest[s->j] - g->lowest[s->i];
    const int64_t below = s->lo - (g->lowest[s->j] - g->highest[s->i]);
    const int64_t above = g->highest[s->j] - g->lowest[s->i] - s->hi;
    violated = violated || (s->side == OPEN && s->lo < d && d < s->hi);
    if (s->side == OPEN && below + above < least &&
        !(g->highest[s->j] - g->lowest[s->i] <= s->lo) &&
        !(g->lowest[s->j] - g->highest[s->i] >= s->hi)) {
      least = below + above;
      best = k;
    }
  }
  return violated ? best : UINT32_MAX;
}

static bool take(pairs *g, uint32_t k, side to) {
  remember(g, 2, k, OPEN);
  g->spans.items[k].side = to;
  return tighten(g, k) && propagate(g);
}

/* Back to the newest branch whose second side is not tried; false: none. */
static bool go_back(pairs *g, bool *possible) {
  while (g->branch_count) {
    branch *b = &g->branches.items[g->branch_count - 1];
    rewind_to(g, b->mark);
    if (!b->second) {
      b->second = true;
      *possible = take(g, b->span, ABOVE);
      return true;
    }
    g->branch_count--;
  }
  return false;
}

/* True: every leaf is a contradiction. */
static bool search(pairs *g) {
  ash_place_log *log = &g->proof->log;
  bool possible = start(g);
  for (;;) {
    if (ash_place_solve_spend(&g->proof->solve, 1 + g->span_count / 64) ||
        log->failed || g->zone.failed)
      return false;
    if (!possible) {
      ash_place_log_put(log, "x\n");
      if (!go_back(g, &possible))
        return true;
      continue;
    }
    const uint32_t k = choose(g);
    if (k == UINT32_MAX || !ASH_GROW(&g->zone, &g->branches, g->branch_count))
      return false;
    const span *s = &g->spans.items[k];
    ash_place_log_put(log, "d %lu %lu %lld\n", buffer_of(g, s->i),
                      buffer_of(g, s->j), (long long)s->lo + 1);
    g->branches.items[g->branch_count++] = (branch){k, g->trail_count, false};
    possible = take(g, k, BELOW);
  }
}

static ash_status run(pairs *g, bool *refuted) {
  ash_place_proof *p = g->proof;
  ash_zone *z = &g->zone;
  g->lowest = ASH_NEW_ARRAY(z, int64_t, g->count);
  g->highest = ASH_NEW_ARRAY(z, int64_t, g->count);
  g->stack = ASH_NEW_ARRAY(z, uint32_t, g->count);
  g->stacked = ASH_NEW_ARRAY(z, uint8_t, g->count);
  ASH_TRY(ash_zone_check(p->solve.ctx, z));
  if (!list_spans(g) || !index_spans(g))
    return ash_zone_check(p->solve.ctx, z);
  ash_place_log_put(&p->log, "refute pairs\n");
  ash_place_proof_blocks(p, g->items, g->count);
  ash_place_log_put(&p->log, "capacity %lld\n", (long long)g->capacity);
  *refuted = search(g);
  ash_place_log_put(&p->log, *refuted ? "end\n" : "drop\n");
  return ash_zone_check(p->solve.ctx, z);
}

ash_status ash_place_refute_pairs(ash_place_proof *p, const uint32_t *items,
                                  uint32_t count, bool *refuted) {
  ASH_ASSERT(count > 0 && p->bound > 0);
  pairs g = {.proof = p,
             .items = items,
             .count = count,
             .capacity = (int64_t)(p->bound - 1)};
  *refuted = false;
  if (count > ITEMS_MOST)
    return ASH_OK;
  ash_zone_init(&g.zone, &p->solve.ctx->mem);
  const ash_status status = run(&g, refuted);
  ash_zone_drop(&g.zone);
  return status;
}
