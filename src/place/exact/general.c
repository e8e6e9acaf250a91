/* general.c - exact search for components with gaps, fixed offsets or
 * relations, where a valley's floor is not final.
 *
 * Every pair of items that meets in time forbids open spans of the difference
 * of their bases: each span is a choice between "at most lo" and "at least hi".
 * A choice bounds bases from below and above; the bounds are carried to their
 * fixed point, which is the least solution of the choices made (rounding up to
 * an alignment is monotone). If no span contains the difference of the lower
 * bounds, they are a placement. Otherwise one such span is branched on, both
 * ways: complete, whatever the relations. INSIDE is two choices made from the
 * start. This is disjunctive scheduling with bases for start times. */
#include "base/checked.h"
#include "place/clause/clause_pair.h"
#include "place/exact/exact.h"

static const size_t CHOICE_LIMIT = (size_t)1 << 22;
static const int64_t FAR = INT64_MAX / 4;

typedef enum side { OPEN, BELOW, ABOVE, PASSED } side;

typedef struct choice { /* base[j] - base[i] not in (lo, hi) */
  uint32_t i, j;
  int64_t lo, hi;
  side side;
} choice;

typedef struct undo { /* what a trail entry restores */
  uint32_t kind;      /* 0: lowest, 1: highest, 2: side of a choice */
  uint32_t index;
  int64_t old;
} undo;

typedef struct branch {
  uint32_t choice;
  size_t trail;
  side first;
  bool second; /* the other side is being tried */
} branch;

typedef struct general {
  ash_place_solve *solve;
  ash_place_goal *goal;
  ash_zone zone;
  uint32_t count;  /* items, renumbered                             */
  uint32_t *local; /* item of the reduced problem -> number here              */
  int64_t *lowest, *highest;
  struct {
    choice *items;
    size_t capacity;
  } choices;
  size_t choice_count;
  uint32_t *at, *of; /* choices of an item: of[at[i] .. at[i + 1])     */
  uint32_t *queue;   /* items whose bounds changed, a ring             */
  uint8_t *queued;
  uint32_t queue_head, queue_size;
  struct {
    undo *items;
    size_t capacity;
  } trail;
  size_t trail_count;
  struct {
    branch *items;
    size_t capacity;
  } branches;
  size_t branch_count;
  uint64_t steps; /* since the budget was last asked */
} general;

static const ash_place_item *item_of(const general *g, uint32_t i) {
  ASH_ASSERT(i < g->count);
  return &g->solve->reduced.items[g->goal->items[i]];
}

/* ---- choices ------------------------------------------------------------ */

static void add_choice(general *g, uint32_t i, uint32_t j, int64_t lo,
                       int64_t hi, side decided) {
  ASH_ASSERT(i < g->count && j < g->count && i != j);
  ASH_ASSERT(lo < hi || decided != OPEN);
  if (ASH_GROW(&g->zone, &g->choices, g->choice_count))
    g->choices.items[g->choice_count++] = (choice){i, j, lo, hi, decided};
}

/* Adds the spans of one pair, merging those that overlap: spans come from
 * several rects of the same two items. */
static void add_pair(general *g, uint32_t i, uint32_t j, ash_place_span *spans,
                     size_t count) {
  for (size_t a = 1; a < count; a++) {
    const ash_place_span s = spans[a];
    ASH_ASSERT(s.lo < s.hi);
    size_t at = a;
    for (; at > 0 && spans[at - 1].lo > s.lo; at--)
      spans[at] = spans[at - 1];
    spans[at] = s;
  }
  for (size_t a = 0; a < count;) {
    ash_place_span s = spans[a++];
    while (a < count && spans[a].lo < s.hi - 1) {
      s.hi = spans[a].hi > s.hi ? spans[a].hi : s.hi;
      a++;
    }
    if (s.lo + 1 < s.hi) /* an open span of integers that is not empty */
      add_choice(g, i, j, s.lo, s.hi, OPEN);
  }
}

static size_t list_spans(const ash_place_reduced *in, const ash_place_item *x,
                         const ash_place_item *y, ash_place_span *spans,
                         size_t max) {
  ASH_ASSERT(max >= 2);
  size_t count = 0;
  for (uint32_t a = 0; a < x->rect_count; a++)
    for (uint32_t b = 0; b < y->rect_count; b++) {
      const ash_place_rect *p = &in->rects[x->rect + a];
      const ash_place_rect *q = &in->rects[y->rect + b];
      if (p->first < q->last && q->first < p->last && count + 2 <= max)
        count += (size_t)ash_place_forbidden(in, p, q, spans + count);
    }
  ASH_ASSERT(count <= max);
  return count;
}

static ash_status list_choices(general *g, bool *possible) {
  const ash_place_reduced *in = &g->solve->reduced;
  size_t most = 1;
  for (uint32_t i = 0; i < g->count; i++)
    most = item_of(g, i)->rect_count > most ? item_of(g, i)->rect_count : most;
  *possible = most <= 512 && g->count <= 20000;
  if (!*possible)
    return ASH_OK;
  const size_t max = 2 * most * most + 2;
  ash_place_span *spans = ASH_NEW_ARRAY(&g->zone, ash_place_span, max);
  ASH_TRY(ash_zone_check(g->solve->ctx, &g->zone));
  for (uint32_t i = 0; i < g->count; i++)
    for (uint32_t j = i + 1; j < g->count; j++) {
      const size_t count =
          list_spans(in, item_of(g, i), item_of(g, j), spans, max);
      add_pair(g, i, j, spans, count);
      if (g->choice_count > CHOICE_LIMIT) {
        *possible = false;
        return ASH_OK;
      }
    }
  return ash_zone_check(g->solve->ctx, &g->zone);
}

static void list_inside(general *g) {
  const ash_place_reduced *in = &g->solve->reduced;
  for (size_t k = 0; k < in->problem->relation_count; k++) {
    const ash_relation *r = &in->problem->relations[k];
    const uint32_t a = in->item_of[r->a], b = in->item_of[r->b];
    if (r->kind != ASH_INSIDE || a == b || g->local[a] == UINT32_MAX)
      continue;
    const int64_t shift = in->delta[r->a] - in->delta[r->b];
    const int64_t slack = (int64_t)in->problem->buffers[r->a].size -
                          (int64_t)in->problem->buffers[r->b].size;
    ASH_ASSERT(g->local[b] != UINT32_MAX && slack >= 0);
    add_choice(g, g->local[a], g->local[b], -FAR, shift, ABOVE);
    add_choice(g, g->local[a], g->local[b], shift + slack, FAR, BELOW);
  }
}

static ash_status index_choices(general *g) {
  ash_zone *z = &g->zone;
  g->at = ASH_NEW_ARRAY(z, uint32_t, (size_t)g->count + 1);
  g->of = ASH_NEW_ARRAY(z, uint32_t, 2 * g->choice_count);
  ASH_TRY(ash_zone_check(g->solve->ctx, z));
  for (size_t k = 0; k < g->choice_count; k++) {
    g->at[g->choices.items[k].i]++;
    g->at[g->choices.items[k].j]++;
  }
  for (uint32_t i = 0; i < g->count; i++)
    g->at[i + 1] += g->at[i];
  for (size_t k = g->choice_count; k-- > 0;) {
    g->of[--g->at[g->choices.items[k].i]] = (uint32_t)k;
    g->of[--g->at[g->choices.items[k].j]] = (uint32_t)k;
  }
  ASH_ASSERT(g->at[0] == 0 && g->at[g->count] == 2 * g->choice_count);
  return ASH_OK;
}

/* ---- bounds ------------------------------------------------------------- */

static int64_t round_down(const ash_place_item *item, int64_t at) {
  const int64_t up = ash_place_item_round_up(item, at);
  ASH_ASSERT(at <= up && up - at < item->modulus);
  return up == at ? at : up - item->modulus;
}

static void remember(general *g, uint32_t kind, uint32_t index, int64_t old) {
  ASH_ASSERT(kind <= 2 && index < (kind == 2 ? g->choice_count : g->count));
  if (ASH_GROW(&g->zone, &g->trail, g->trail_count))
    g->trail.items[g->trail_count++] = (undo){kind, index, old};
}

static void rewind_to(general *g, size_t mark) {
  ASH_ASSERT(mark <= g->trail_count);
  while (g->trail_count > mark) {
    const undo u = g->trail.items[--g->trail_count];
    if (u.kind == 0)
      g->lowest[u.index] = u.old;
    else if (u.kind == 1)
      g->highest[u.index] = u.old;
    else
      g->choices.items[u.index].side = (side)u.old;
  }
}

static void enqueue(general *g, uint32_t i) {
  if (g->queued[i])
    return;
  ASH_ASSERT(g->queue_size < g->count);
  g->queued[i] = 1;
  g->queue[(g->queue_head + g->queue_size++) % g->count] = i;
}

static bool raise_lowest(general *g, uint32_t i, int64_t to) {
  if (to <= g->lowest[i])
    return true;
  to = ash_place_item_round_up(item_of(g, i), to);
  ASH_ASSERT(to > g->lowest[i]);
  remember(g, 0, i, g->lowest[i]);
  g->lowest[i] = to;
  enqueue(g, i);
  return to <= g->highest[i];
}

static bool cut_highest(general *g, uint32_t i, int64_t to) {
  if (to >= g->highest[i])
    return true;
  to = round_down(item_of(g, i), to);
  ASH_ASSERT(to < g->highest[i]);
  remember(g, 1, i, g->highest[i]);
  g->highest[i] = to;
  enqueue(g, i);
  return g->lowest[i] <= to;
}

static void decide(general *g, uint32_t k, side to) {
  ASH_ASSERT(k < g->choice_count);
  remember(g, 2, k, g->choices.items[k].side);
  g->choices.items[k].side = to;
}

/* Carries a choice to the bounds of its two items; false: contradiction. */
static bool apply(general *g, uint32_t k) {
  const choice *c = &g->choices.items[k];
  ASH_ASSERT(k < g->choice_count && c->i != c->j);
  if (c->side == OPEN) {
    const int64_t least = g->lowest[c->j] - g->highest[c->i];
    const int64_t most = g->highest[c->j] - g->lowest[c->i];
    const bool below = least <= c->lo, above = most >= c->hi;
    if (most <= c->lo || least >= c->hi) {
      decide(g, k, PASSED); /* holds whatever happens below this node */
      return true;
    }
    if (below && above)
      return true;
    if (!below && !above)
      return false;
    decide(g, k, below ? BELOW : ABOVE);
  }
  if (c->side == BELOW)
    return cut_highest(g, c->j, g->highest[c->i] + c->lo) &&
           raise_lowest(g, c->i, g->lowest[c->j] - c->lo);
  if (c->side == ABOVE)
    return raise_lowest(g, c->j, g->lowest[c->i] + c->hi) &&
           cut_highest(g, c->i, g->highest[c->j] - c->hi);
  return true;
}

static bool propagate(general *g) {
  bool consistent = true;
  while (g->queue_size) {
    const uint32_t i = g->queue[g->queue_head];
    ASH_ASSERT(g->queued[i]);
    g->queue_head = (g->queue_head + 1) % g->count;
    g->queue_size--;
    g->queued[i] = 0;
    for (uint32_t k = g->at[i]; consistent && k < g->at[i + 1]; k++)
      consistent = apply(g, g->of[k]);
    g->steps += g->at[i + 1] - g->at[i] + 1;
    if (g->steps > (1u << 16)) {
      if (ash_place_solve_spend(g->solve, g->steps / 64))
        consistent = false;
      g->steps = 0;
    }
  }
  return consistent;
}

/* ---- branching ---------------------------------------------------------- */

/* The choice whose span contains the difference of the lower bounds, lowest
 * first; UINT32_MAX: none, the lower bounds are a placement. */
static uint32_t find_violated(general *g) {
  uint32_t best = UINT32_MAX;
  int64_t lowest = INT64_MAX, size = 0;
  for (uint32_t k = 0; k < g->choice_count; k++) {
    const choice *c = &g->choices.items[k];
    const int64_t x = g->lowest[c->i], y = g->lowest[c->j];
    if (c->side != OPEN || y - x <= c->lo || y - x >= c->hi)
      continue;
    const int64_t at = x > y ? x : y;
    if (at < lowest || (at == lowest && c->hi - c->lo > size)) {
      lowest = at;
      size = c->hi - c->lo;
      best = k;
    }
  }
  g->steps += g->choice_count / 4;
  return best;
}

/* The side that moves its item less comes first. */
static side first_side(const general *g, const choice *c) {
  ASH_ASSERT(c->side == OPEN);
  const int64_t up_j = g->lowest[c->i] + c->hi - g->lowest[c->j];
  const int64_t up_i = g->lowest[c->j] - c->lo - g->lowest[c->i];
  return up_j <= up_i ? ABOVE : BELOW;
}

static bool take_side(general *g, uint32_t k, side to) {
  ASH_ASSERT(to == BELOW || to == ABOVE);
  decide(g, k, to);
  return apply(g, k) && propagate(g);
}

static void drain(general *g) {
  while (g->queue_size) {
    g->queued[g->queue[g->queue_head]] = 0;
    g->queue_head = (g->queue_head + 1) % g->count;
    g->queue_size--;
  }
}

/* Goes back to the newest branch with an untried side; false: none. */
static bool backtrack(general *g) {
  while (g->branch_count) {
    branch *b = &g->branches.items[g->branch_count - 1];
    ASH_ASSERT(b->trail <= g->trail_count && b->choice < g->choice_count);
    drain(g);
    rewind_to(g, b->trail);
    ASH_ASSERT(g->choices.items[b->choice].side == OPEN);
    if (b->second || g->solve->stopped) {
      g->branch_count--;
      continue;
    }
    b->second = true;
    if (take_side(g, b->choice, b->first == ABOVE ? BELOW : ABOVE))
      return true;
  }
  return false;
}

typedef enum found { NONE, FOUND, SPENT } found;

static bool start(general *g, int64_t capacity) {
  g->branch_count = g->trail_count = 0;
  g->queue_head = g->queue_size = 0;
  for (size_t k = 0; k < g->choice_count; k++)
    if (g->choices.items[k].lo > -FAR && g->choices.items[k].hi < FAR)
      g->choices.items[k].side = OPEN;
  bool consistent = true;
  for (uint32_t i = 0; i < g->count; i++) {
    const ash_place_item *item = item_of(g, i);
    g->queued[i] = 0;
    g->lowest[i] = item->fixed == ASH_FREE_OFFSET ? item->residue : item->fixed;
    g->highest[i] =
        item->reach ? round_down(item, capacity - item->reach) : FAR;
    if (item->fixed != ASH_FREE_OFFSET && item->fixed <= g->highest[i])
      g->highest[i] = item->fixed;
    consistent = consistent && g->lowest[i] <= g->highest[i];
  }
  for (uint32_t i = 0; i < g->count; i++)
    enqueue(g, i);
  return consistent && propagate(g);
}

/* A placement within the capacity: it is then in g->lowest. */
static found find(general *g, int64_t capacity, uint64_t node_limit) {
  ASH_ASSERT(capacity >= 0);
  bool consistent = start(g, capacity);
  for (uint64_t nodes = 0;; nodes++) {
    if (g->zone.failed || nodes > node_limit ||
        ash_place_solve_spend(g->solve, 1))
      return SPENT;
    if (!consistent) {
      if (!backtrack(g))
        return g->solve->stopped || g->solve->ticks >= g->solve->tick_limit
                   ? SPENT
                   : NONE;
    }
    const uint32_t k = find_violated(g);
    if (k == UINT32_MAX)
      return FOUND;
    if (!ASH_GROW(&g->zone, &g->branches, g->branch_count))
      return SPENT;
    const side first = first_side(g, &g->choices.items[k]);
    g->branches.items[g->branch_count++] =
        (branch){.choice = k, .trail = g->trail_count, .first = first};
    consistent = take_side(g, k, first);
  }
}

/* ---- minimisation ------------------------------------------------------- */

static void take_bases(general *g) {
  uint64_t height = 0;
  for (uint32_t i = 0; i < g->count; i++) {
    const ash_place_item *item = item_of(g, i);
    ASH_ASSERT(0 <= g->lowest[i] && g->lowest[i] <= g->highest[i]);
    g->solve->bases[g->goal->items[i]] = g->lowest[i];
    if (item->reach)
      height = ash_max_u64(height, (uint64_t)(g->lowest[i] + item->reach));
  }
  g->goal->height = height;
}

/* At the floor first, for a while; then down from above until refuted. */
static void descend(general *g, uint64_t highest, uint64_t ample) {
  ASH_ASSERT(highest <= ample);
  ash_place_goal *goal = g->goal;
  const bool any = goal->limit != UINT64_MAX && goal->floor < goal->limit &&
                   g->solve->target == goal->limit;
  if (goal->floor <= highest && !any) {
    const found f = find(g, (int64_t)goal->floor, 20000);
    if (f == FOUND)
      take_bases(g);
    if (f == NONE)
      goal->lower = goal->floor + 1;
  }
  for (;;) {
    const uint64_t good = any ? goal->limit : goal->lower;
    if (goal->height <= good)
      return;
    const uint64_t capacity =
        goal->height > highest ? highest : goal->height - 1;
    const found f = find(g, (int64_t)capacity, UINT64_MAX);
    if (f == FOUND)
      take_bases(g);
    if (f == NONE)
      goal->lower = ash_max_u64(goal->lower, capacity + 1);
    /* Not even with room for all: the relations contradict each other. */
    if (f == NONE && goal->height == UINT64_MAX && capacity >= ample)
      g->solve->reduced.impossible = true;
    if (f != FOUND)
      return;
  }
}

/* A height that is enough for any placement that exists at all: everything on
 * top of each other, and room to meet all alignments at once for buffers inside
 * others. */
static uint64_t ample_height(const general *g) {
  const ash_place_reduced *in = &g->solve->reduced;
  uint64_t sum = 1, period = 1;
  for (uint32_t i = 0; i < g->count; i++) {
    const ash_place_item *item = item_of(g, i);
    const uint64_t modulus = (uint64_t)item->modulus;
    sum += (uint64_t)item->reach + modulus;
    if (item->fixed != ASH_FREE_OFFSET)
      sum += (uint64_t)item->fixed;
    if (period < (uint64_t)1 << 33)
      period *= modulus; /* a common multiple is enough */
  }
  for (size_t k = 0; k < in->problem->relation_count; k++)
    if (in->problem->relations[k].kind == ASH_INSIDE && sum < (uint64_t)1 << 60)
      sum += period;
  return sum;
}

static ash_status run(general *g) {
  ash_place_solve *s = g->solve;
  ash_zone *z = &g->zone;
  g->local = ASH_NEW_ARRAY(z, uint32_t, s->reduced.item_count);
  g->lowest = ASH_NEW_ARRAY(z, int64_t, g->count);
  g->highest = ASH_NEW_ARRAY(z, int64_t, g->count);
  g->queue = ASH_NEW_ARRAY(z, uint32_t, g->count);
  g->queued = ASH_NEW_ARRAY(z, uint8_t, g->count);
  ASH_TRY(ash_zone_check(s->ctx, z));
  const uint64_t highest = ample_height(g);
  for (uint32_t i = 0; i < s->reduced.item_count; i++)
    g->local[i] = UINT32_MAX;
  for (uint32_t i = 0; i < g->count; i++)
    g->local[g->goal->items[i]] = i;
  bool possible;
  ASH_TRY(list_choices(g, &possible));
  if (!possible)
    return ASH_OK;
  list_inside(g);
  ASH_TRY(index_choices(g));
  descend(g, ash_min_u64(g->goal->limit, highest), highest);
  return ash_zone_check(s->ctx, z);
}

/* ---- with clauses -------------------------------------------------------- */

/* Now at the bound, now below the best, with more and more conflicts; below the
 * best as long as there is something better: a placement leads to the next. */
static ash_status learn(ash_place_solve *s, ash_place_goal *goal,
                        ash_place_clause_pair *pair, uint64_t highest) {
  const bool any = goal->limit != UINT64_MAX && goal->floor < goal->limit &&
                   s->target == goal->limit;
  uint64_t conflicts = 500;
  for (bool at_bound = !any; !ash_place_solve_spend(s, 0);) {
    const uint64_t good = any ? goal->limit : goal->lower;
    if (goal->height <= good || goal->lower > goal->limit)
      return ASH_OK;
    const uint64_t below =
        ash_min_u64(goal->limit, ash_min_u64(highest, goal->height - 1));
    const uint64_t capacity =
        at_bound ? ash_min_u64(goal->lower, below) : below;
    ash_place_outcome outcome;
    ASH_TRY(ash_place_clause_pair_try(pair, &outcome, s, goal,
                                      (int64_t)capacity, at_bound, conflicts));
    if (outcome == ASH_PLACE_REFUTED) {
      goal->lower = ash_max_u64(goal->lower, capacity + 1);
      /* Not even with room for all: the fixed offsets leave none. */
      if (goal->height == UINT64_MAX && capacity >= highest) {
        s->reduced.impossible = true;
        return ASH_OK;
      }
    }
    if (at_bound || outcome != ASH_PLACE_SOLVED) {
      at_bound = !any && !at_bound;
      conflicts += conflicts / 2;
    }
  }
  return ASH_OK;
}

ash_status ash_place_exact_general(ash_place_solve *s, ash_place_goal *goal) {
  ASH_ASSERT(goal->count > 0 && goal->floor <= goal->limit);
  general g = {.solve = s, .goal = goal, .count = goal->count};
  ash_place_clause_pair pair = {0};
  ash_status status = ASH_OK;
  if (!(s->options.off & ASH_OFF_LEARNING))
    status = ash_place_clause_pair_init(&pair, s, goal);
  if (status == ASH_OK && pair.is_ready)
    status = learn(s, goal, &pair, ample_height(&g));
  ash_place_clause_pair_drop(&pair);
  if (status != ASH_OK || pair.is_ready)
    return status;
  ash_zone_init(&g.zone, &s->ctx->mem);
  status = run(&g);
  ash_zone_drop(&g.zone);
  return status;
}
