/* clauses.c - a refutation by clauses: every failure of the search is a lesson,
 * with the steps that contradict its negation. */
#include "verify.h"

#include <stdlib.h>
#include <string.h>

typedef struct span { /* offset[j] - offset[i] is not in (lo, hi) */
  int64_t lo, hi;
  int64_t below, above; /* is that side known? */
  uint32_t i, j;
} span;

typedef struct atom {
  enum { LEAST, MOST, BELOW, ABOVE } kind;
  uint32_t index; /* of a block or a span */
  int64_t value;
} atom;

typedef struct clauses {
  verify *v;
  const buffer **blocks;
  uint32_t count;
  int64_t *low, *high;
  span *spans;
  size_t span_count, span_capacity;
  uint32_t *first_span; /* of a pair: first_span[i * count + j] */
  trail log;
  atom *atoms;
  size_t atom_count, atom_capacity;
  size_t *clause_at; /* clause k: atoms[clause_at[k] .. clause_at[k + 1]) */
  size_t clause_count, clause_capacity;
  bool in_lesson, contradiction, done;
} clauses;

/* ---- spans --------------------------------------------------------------- */

static void add_span(clauses *p, uint32_t i, uint32_t j, int64_t time) {
  int64_t a, b, c, d;
  if (!occupies(p->blocks[i], time, &a, &b) ||
      !occupies(p->blocks[j], time, &c, &d))
    return;
  p->spans =
      more(p->v, p->spans, &p->span_capacity, p->span_count, sizeof *p->spans);
  p->spans[p->span_count++] = (span){.i = i, .j = j, .lo = a - d, .hi = b - c};
}

/* What two buffers occupy changes only where a lifetime or a gap begins or
 * ends. Spans that share an integer are one. */
static void add_pair(clauses *p, uint32_t i, uint32_t j) {
  const size_t from = p->span_count;
  for (int k = 0; k < 2; k++) {
    const buffer *b = p->blocks[k ? j : i];
    add_span(p, i, j, b->lower);
    for (size_t g = 0; g < b->gap_count; g++) {
      add_span(p, i, j, b->gaps[g].lower);
      add_span(p, i, j, b->gaps[g].upper);
    }
  }
  if (p->span_count == from)
    return;
  span *list = p->spans + from, *last = list;
  qsort(list, p->span_count - from, sizeof *list, by_first);
  for (const span *s = list + 1; s < p->spans + p->span_count; s++)
    if (s->lo + 1 >= last->hi)
      *++last = *s;
    else if (s->hi > last->hi)
      last->hi = s->hi;
  p->span_count = (size_t)(last + 1 - p->spans);
}

/* The span that forbids what two blocks occupy at some time. */
static const span *span_of(const clauses *p, uint32_t i, uint32_t j,
                           int64_t inside) {
  const span *s = &p->spans[p->first_span[(size_t)i * p->count + j]];
  while (s->lo >= inside || inside >= s->hi)
    s++; /* every such pair has one */
  return s;
}

/* ---- what is known ------------------------------------------------------- */

static void bound(clauses *p, uint32_t i, int64_t low, int64_t high) {
  const int64_t align = p->blocks[i]->align;
  if (low > p->low[i])
    set(p->v, &p->log, &p->low[i], round_up(low, align));
  if (high < p->high[i])
    set(p->v, &p->log, &p->high[i], high < 0 ? -1 : high / align * align);
  p->contradiction = p->contradiction || p->low[i] > p->high[i];
}

static void decide(clauses *p, span *s, bool above) {
  if (!(above ? s->above : s->below))
    set(p->v, &p->log, above ? &s->above : &s->below, 1);
  p->contradiction = p->contradiction || (s->above && s->below);
}

static void tighten(clauses *p, span *s) {
  const uint32_t i = s->i, j = s->j;
  if (p->low[j] - p->high[i] > s->lo)
    decide(p, s, true);
  if (p->high[j] - p->low[i] < s->hi)
    decide(p, s, false);
  if (s->below) {
    bound(p, j, p->low[j], p->high[i] + s->lo);
    bound(p, i, p->low[j] - s->lo, p->high[i]);
  }
  if (s->above) {
    bound(p, j, p->low[i] + s->hi, p->high[j]);
    bound(p, i, p->low[i], p->high[j] - s->hi);
  }
}

static bool is_false(const clauses *p, const atom *a) {
  switch (a->kind) {
  case LEAST:
    return p->high[a->index] < a->value;
  case MOST:
    return p->low[a->index] > a->value;
  case BELOW:
    return p->spans[a->index].above;
  default:
    return p->spans[a->index].below;
  }
}

static void assume(clauses *p, const atom *a, bool holds) {
  const uint32_t k = a->index;
  const bool least = (a->kind == LEAST) == holds;
  if (a->kind == LEAST || a->kind == MOST) {
    const int64_t value = holds ? a->value : a->value + (least ? 1 : -1);
    bound(p, k, least ? value : p->low[k], least ? p->high[k] : value);
  } else
    decide(p, &p->spans[k], (a->kind == ABOVE) == holds);
}

/* ---- lines --------------------------------------------------------------- */

static uint32_t next_index(const clauses *p, size_t count) {
  return (uint32_t)next_number(p->v, 0, (int64_t)count - 1);
}

static int64_t next_value(const clauses *p) {
  return next_number(p->v, -LIMIT, LIMIT);
}

/* All atoms of the clause but one are false. */
static void apply_clause(clauses *p, uint32_t k) {
  const atom *open = NULL;
  for (size_t a = p->clause_at[k]; a < p->clause_at[k + 1]; a++)
    if (!is_false(p, &p->atoms[a])) {
      if (open && !p->contradiction)
        broken(p->v, "clause %lu leaves more than one atom", (unsigned long)k);
      open = &p->atoms[a];
    }
  if (open)
    assume(p, open, true);
  else
    p->contradiction = true;
}

/* Blocks that lie at or above `edge` and below block i push it up; or, upside
 * down, blocks above it that end at or below the edge push it down. */
static void push(clauses *p, bool up) {
  const int64_t time = next_value(p);
  const uint32_t i = next_index(p, p->count);
  const int64_t edge = next_value(p);
  int64_t lo, hi, a, b, sum = 0;
  if (!occupies(p->blocks[i], time, &lo, &hi))
    broken(p->v, "block %lu has no bytes then", (unsigned long)i);
  for (uint32_t k = 0; k < p->count; k++) {
    if (k == i || !occupies(p->blocks[k], time, &a, &b) ||
        (up ? p->low[k] + a < edge : p->high[k] + b > edge))
      continue;
    const span *s =
        k < i ? span_of(p, k, i, a - hi + 1) : span_of(p, i, k, lo - b + 1);
    if ((k < i) == up ? s->above : s->below)
      sum += b - a;
  }
  bound(p, i, up ? edge + sum - lo : p->low[i],
        up ? p->high[i] : edge - sum - hi);
}

/* More must lie in bytes [from, to) at some time than fits there. */
static void check_crowd(clauses *p) {
  const int64_t time = next_value(p), from = next_value(p), to = next_value(p);
  int64_t a, b, sum = 0;
  for (uint32_t k = 0; k < p->count; k++)
    if (occupies(p->blocks[k], time, &a, &b) && p->low[k] + a >= from &&
        p->high[k] + b <= to)
      sum += b - a;
  if (sum <= to - from && !p->contradiction)
    broken(p->v, "%lld bytes fit there", (long long)sum);
  p->contradiction = true;
}

static void read_atom(clauses *p) {
  static const char *const kinds[] = {"least", "most", "below", "above"};
  uint32_t kind = 0;
  (void)next_word(p->v);
  while (kind < 4 && !is_word(p->v, kinds[kind]))
    kind++;
  if (kind == 4)
    malformed(p->v, &p->v->certificate, "'%.40s' is no atom",
              p->v->certificate.word);
  atom a = {.kind = kind};
  a.index = next_index(p, kind <= MOST ? p->count : p->span_count);
  a.value = kind <= MOST ? next_value(p) : 0;
  p->atoms =
      more(p->v, p->atoms, &p->atom_capacity, p->atom_count, sizeof *p->atoms);
  p->atoms[p->atom_count++] = a;
}

/* A clause holds if its negation is contradicted by the steps that follow. */
static void open_lesson(clauses *p) {
  const size_t from = p->atom_count;
  if (p->in_lesson)
    broken(p->v, "a lesson in a lesson");
  for (int64_t left = next_number(p->v, 1, INT32_MAX); left > 0; left--)
    read_atom(p);
  p->log.count = 0; /* what is known without it stays */
  p->in_lesson = true;
  for (size_t a = from; a < p->atom_count; a++)
    assume(p, &p->atoms[a], false);
}

static void end_lesson(clauses *p) {
  if (!p->contradiction)
    broken(p->v, "this is no contradiction");
  p->done = !p->in_lesson;
  p->contradiction = p->in_lesson = false;
  take_back(&p->log, 0);
  p->clause_at = more(p->v, p->clause_at, &p->clause_capacity,
                      ++p->clause_count, sizeof *p->clause_at);
  p->clause_at[p->clause_count] = p->atom_count;
}

static void read_line(clauses *p) {
  const char *line = p->v->certificate.word;
  const char kind = line[1] || p->done ? '\0' : *line;
  if (kind == 's')
    tighten(p, &p->spans[next_index(p, p->span_count)]);
  else if (kind == 'c')
    apply_clause(p, next_index(p, p->clause_count));
  else if (kind == 'p' || kind == 'q')
    push(p, kind == 'p');
  else if (kind == 'o')
    check_crowd(p);
  else if (kind == 'l')
    open_lesson(p);
  else if (kind == 'x')
    end_lesson(p);
  else
    malformed(p->v, &p->v->certificate, "'%.40s' is no line here", line);
}

/* ---- the whole ----------------------------------------------------------- */

/* COUNT BUFFER ..., none twice. */
static void read_blocks(clauses *p, const problem *in) {
  verify *v = p->v;
  bool *seen = get(v, in->count + 1, sizeof *seen);
  p->count = (uint32_t)next_number(v, 1, 2000);
  p->blocks = get(v, p->count, sizeof *p->blocks);
  for (uint32_t k = 0; k < p->count; k++) {
    const int64_t i = next_number(v, 0, (int64_t)in->count - 1);
    if (seen[i])
      malformed(v, &v->certificate, "block %lld twice", (long long)i);
    seen[i] = true;
    p->blocks[k] = &in->buffers[i];
  }
}

void check_refutation(verify *v, const problem *in, int64_t capacity) {
  clauses p = {.v = v};
  read_blocks(&p, in);
  p.low = get(v, p.count, sizeof *p.low);
  p.high = get(v, p.count, sizeof *p.high);
  p.first_span = get(v, (size_t)p.count * p.count, sizeof *p.first_span);
  p.clause_at = more(v, NULL, &p.clause_capacity, 0, sizeof *p.clause_at);
  for (uint32_t i = 0; i < p.count; i++) {
    const buffer *b = p.blocks[i];
    const bool is_fixed = b->offset != FREE;
    p.high[i] = LIMIT;
    bound(&p, i, is_fixed ? b->offset : 0, is_fixed ? b->offset : LIMIT);
    bound(&p, i, 0, b->lower < b->upper ? capacity - b->size : LIMIT);
    for (uint32_t j = i + 1; j < p.count; j++) {
      p.first_span[(size_t)i * p.count + j] = (uint32_t)p.span_count;
      add_pair(&p, i, j);
    }
  }
  while (next_word(v) && !is_word(v, "end") && !is_word(v, "drop"))
    read_line(&p);
  if (is_word(v, "end") ? !p.done : !is_word(v, "drop"))
    broken(v, "the refutation is not complete");
}
