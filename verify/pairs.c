/* pairs.c - a refutation by disjunctive branching: buffers with gaps and fixed
 * offsets do not fit the capacity. */
#include "verify.h"

#include <stdlib.h>

typedef struct span { /* offset[j] - offset[i] is not in (lo, hi) */
  uint32_t i, j;
  int64_t lo, hi;
  int64_t side; /* 0: open, 1: at most lo, 2: at least hi */
} span;

typedef struct branch {
  size_t span, mark;
  bool second;
} branch;

typedef struct pairs {
  verify *v;
  const problem *in;
  const uint32_t *list; /* the buffers */
  uint32_t count;
  int64_t *low, *high;
  span *spans;
  size_t span_count, span_capacity;
  trail log;
  branch *branches;
  size_t depth, branch_capacity;
} pairs;

/* ---- spans --------------------------------------------------------------- */

static bool add_span(pairs *p, uint32_t i, uint32_t j, int64_t time) {
  int64_t a, b, c, d;
  if (!occupies(&p->in->buffers[p->list[i]], time, &a, &b) ||
      !occupies(&p->in->buffers[p->list[j]], time, &c, &d))
    return false;
  p->spans =
      more(p->v, p->spans, &p->span_capacity, p->span_count, sizeof *p->spans);
  p->spans[p->span_count++] = (span){i, j, a - d, b - c, 0};
  return true;
}

/* What two buffers occupy changes only where a lifetime or a gap begins or
 * ends. Spans that share an integer are one. */
static void add_pair(pairs *p, uint32_t i, uint32_t j) {
  const size_t from = p->span_count;
  for (int k = 0; k < 2; k++) {
    const buffer *b = &p->in->buffers[p->list[k ? j : i]];
    (void)add_span(p, i, j, b->lower);
    for (size_t g = 0; g < b->gap_count; g++) {
      (void)add_span(p, i, j, b->gaps[g].lower);
      (void)add_span(p, i, j, b->gaps[g].upper);
    }
  }
  for (size_t a = from; a < p->span_count; a++)
    for (size_t b = from; b < p->span_count; b++) {
      span *x = &p->spans[a], *y = &p->spans[b];
      if (a == b || x->lo + 1 >= y->hi || y->lo + 1 >= x->hi)
        continue;
      x->lo = y->lo < x->lo ? y->lo : x->lo;
      x->hi = y->hi > x->hi ? y->hi : x->hi;
      *y = p->spans[--p->span_count];
      a = from - 1; /* look at all again */
      break;
    }
}

/* ---- bounds -------------------------------------------------------------- */

/* True: something changed. */
static bool bound(pairs *p, uint32_t i, int64_t low, int64_t high) {
  const int64_t align = p->in->buffers[p->list[i]].align;
  bool changed = false;
  if (low > p->low[i]) {
    set(p->v, &p->log, &p->low[i], round_up(low, align));
    changed = true;
  }
  if (high < p->high[i]) {
    set(p->v, &p->log, &p->high[i], high < 0 ? -1 : high / align * align);
    changed = true;
  }
  return changed;
}

static bool tighten(pairs *p, span *s) {
  const uint32_t i = s->i, j = s->j;
  bool changed = false;
  if (s->side == 0) {
    const bool below = p->low[j] - p->high[i] <= s->lo;
    const bool above = p->high[j] - p->low[i] >= s->hi;
    if (!below && !above)
      return bound(p, i, p->high[i] + 1, p->high[i]); /* neither: empty */
    if (below && above)
      return false;
    set(p->v, &p->log, &s->side, below ? 1 : 2);
    changed = true;
  }
  if (s->side == 1) {
    changed = bound(p, j, p->low[j], p->high[i] + s->lo) || changed;
    return bound(p, i, p->low[j] - s->lo, p->high[i]) || changed;
  }
  changed = bound(p, j, p->low[i] + s->hi, p->high[j]) || changed;
  return bound(p, i, p->low[i], p->high[j] - s->hi) || changed;
}

/* To the fixed point, or until a buffer has no place left. */
static bool is_contradiction(pairs *p) {
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i < p->count; i++)
      if (p->low[i] > p->high[i])
        return true;
    for (size_t k = 0; k < p->span_count; k++) {
      span *s = &p->spans[k];
      changed = tighten(p, s) || changed;
      if (p->low[s->i] > p->high[s->i] || p->low[s->j] > p->high[s->j])
        return true;
    }
  }
  return false;
}

/* ---- lines --------------------------------------------------------------- */

static uint32_t place_of(const pairs *p, int64_t index) {
  for (uint32_t i = 0; i < p->count; i++)
    if (p->list[i] == (uint64_t)index)
      return i;
  broken(p->v, "buffer %lld is not a block of this section", (long long)index);
}

static size_t span_at(const pairs *p, uint32_t i, uint32_t j, int64_t d) {
  for (size_t k = 0; k < p->span_count; k++) {
    const span *s = &p->spans[k];
    if (s->i == i && s->j == j && s->lo < d && d < s->hi && s->side == 0)
      return k;
  }
  broken(p->v, "nothing is open between these two at %lld", (long long)d);
}

static void open_branch(pairs *p) {
  source *c = &p->v->certificate;
  const uint32_t i = place_of(p, next_number(p->v, c, 0, INT32_MAX));
  const uint32_t j = place_of(p, next_number(p->v, c, 0, INT32_MAX));
  const size_t k = span_at(p, i, j, next_number(p->v, c, -LIMIT, LIMIT));
  p->branches = more(p->v, p->branches, &p->branch_capacity, p->depth,
                     sizeof *p->branches);
  p->branches[p->depth++] = (branch){k, p->log.count, false};
  set(p->v, &p->log, &p->spans[k].side, 1);
}

/* The other side of the newest branch that has one left; false: none. */
static bool next_side(pairs *p) {
  while (p->depth) {
    branch *b = &p->branches[p->depth - 1];
    take_back(&p->log, b->mark);
    if (!b->second) {
      b->second = true;
      set(p->v, &p->log, &p->spans[b->span].side, 2);
      return true;
    }
    p->depth--;
  }
  return false;
}

void check_pairs(verify *v, const problem *in, int64_t claim) {
  source *c = &v->certificate;
  pairs p = {.v = v, .in = in};
  bool done = false;
  p.list = read_blocks(v, in, &p.count);
  const int64_t capacity = next_number(v, c, 0, LIMIT);
  if (capacity < claim - 1)
    broken(v, "heights above the capacity are not refuted");
  if (p.count > 10000)
    broken(v, "too many blocks to be checked in pairs");
  p.low = get(v, p.count, sizeof *p.low);
  p.high = get(v, p.count, sizeof *p.high);
  for (uint32_t i = 0; i < p.count; i++) {
    const buffer *b = &in->buffers[p.list[i]];
    p.low[i] = b->offset == FREE ? 0 : b->offset;
    p.high[i] = b->lower < b->upper ? capacity - b->size : LIMIT;
    if (b->offset != FREE && b->offset < p.high[i])
      p.high[i] = b->offset;
    for (uint32_t j = 0; j < i; j++)
      add_pair(&p, j, i);
  }
  while (next_word(v, c) && !is_word(c, "end")) {
    if (done)
      malformed(v, c, "'%s' after the refutation", c->word);
    const bool contradiction = is_contradiction(&p);
    if (is_word(c, "x")) {
      if (!contradiction)
        broken(v, "this is no contradiction");
      done = !next_side(&p);
    } else if (is_word(c, "d")) {
      if (contradiction)
        broken(v, "a branch below a contradiction");
      open_branch(&p);
    } else
      malformed(v, c, "'%s' is no line of a refutation", c->word);
  }
  if (!done)
    broken(v, "the refutation is not complete");
}
