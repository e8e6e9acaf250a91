/* packing.c - the parts of packing that need no search: is the answer right,
 * and do the buffers of one time force the bound? */
#include "verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool occupies(const buffer *b, int64_t time, int64_t *lo, int64_t *hi) {
  *lo = 0;
  *hi = b->size;
  if (time < b->lower || time >= b->upper)
    return false;
  for (size_t g = 0; g < b->gap_count; g++)
    if (b->gaps[g].lower <= time && time < b->gaps[g].upper) {
      *lo = b->gaps[g].lo;
      *hi = b->gaps[g].hi;
    }
  return *lo < *hi;
}

/* ---- the answer ---------------------------------------------------------- */

typedef struct box { /* times [from, to), bytes [lo, hi) */
  int64_t from, to, lo, hi;
} box;

/* The boxes of a buffer: one between two gaps, one in each. */
static size_t put_boxes(box *out, const buffer *b, int64_t offset) {
  size_t count = 0;
  int64_t from = b->lower, lo, hi;
  for (size_t g = 0; g <= b->gap_count; g++) {
    const bool last = g == b->gap_count;
    const int64_t to = last ? b->upper : b->gaps[g].lower;
    if (from < to && b->size)
      out[count++] = (box){from, to, offset, offset + b->size};
    from = last ? to : b->gaps[g].upper;
    if (occupies(b, to, &lo, &hi))
      out[count++] = (box){to, from, offset + lo, offset + hi};
  }
  return count;
}

/* Each box and those that live when it begins. */
static void check_apart(verify *v, box *boxes, size_t count) {
  size_t *alive = get(v, count + 1, sizeof *alive), living = 0;
  qsort(boxes, count, sizeof *boxes, by_first);
  for (size_t i = 0; i < count; i++) {
    size_t kept = 0;
    for (size_t k = 0; k < living; k++) {
      const box *a = &boxes[i], *b = &boxes[alive[k]];
      if (b->to > a->from)
        alive[kept++] = alive[k];
      if (b->to > a->from && a->lo < b->hi && b->lo < a->hi)
        broken(v, "the answer is wrong: byte %lld is taken twice at time %lld",
               (long long)larger(a->lo, b->lo), (long long)a->from);
    }
    alive[kept++] = i;
    living = kept;
  }
}

/* The height of an answer, after a look at everything that may be wrong. */
static int64_t check_answer(verify *v, const problem *p,
                            const problem *answer) {
  int64_t height = 0;
  size_t gaps = 0, count = 0;
  if (answer->count != p->count)
    broken(v, "the answer has %zu buffers, the problem %zu", answer->count,
           p->count);
  for (size_t i = 0; i < p->count; i++)
    gaps += p->buffers[i].gap_count;
  box *boxes = get(v, p->count + 2 * gaps + 1, sizeof *boxes);
  for (size_t i = 0; i < p->count; i++) {
    const buffer *b = &p->buffers[i], *a = &answer->buffers[i];
    if (strcmp(a->id, b->id) != 0 || a->lower != b->lower ||
        a->upper != b->upper || a->size != b->size)
      broken(v, "buffer %zu of the answer is not that of the problem", i);
    if (a->offset == FREE || a->offset % b->align ||
        (b->offset != FREE && a->offset != b->offset))
      broken(v, "buffer %zu must not lie at %lld", i, (long long)a->offset);
    count += put_boxes(boxes + count, b, a->offset);
    if (b->size && b->lower < b->upper)
      height = larger(height, a->offset + b->size);
  }
  check_apart(v, boxes, count);
  return height;
}

/* ---- evidence ------------------------------------------------------------ */

/* All starts are multiples of a grain, so each box but the topmost takes its
 * size rounded up to it. */
static int64_t load_at(const problem *p, int64_t time) {
  int64_t grain = 0, sum = 0, waste = 0, plain = 0, lo, hi;
  for (size_t i = 0; i < p->count; i++)
    if (occupies(&p->buffers[i], time, &lo, &hi))
      grain = gcd(gcd(grain, p->buffers[i].align), lo);
  for (size_t i = 0; i < p->count; i++)
    if (occupies(&p->buffers[i], time, &lo, &hi)) {
      const int64_t room = round_up(hi - lo, grain);
      plain += hi - lo;
      sum += room;
      waste = larger(waste, room - (hi - lo));
    }
  return larger(plain, sum - waste);
}

/* The least end of a set on top of each other is that of the set without its
 * topmost, rounded up to where that may start, plus its size. */
static int64_t stack_at(verify *v, const problem *p, int64_t time) {
  enum { MOST = 16 };
  int64_t size[MOST], align[MOST], rest[MOST], lo, hi;
  uint32_t count = 0;
  for (size_t i = 0; i < p->count; i++)
    if (occupies(&p->buffers[i], time, &lo, &hi)) {
      if (count == MOST)
        broken(v, "more than %d buffers at this time", MOST);
      size[count] = hi - lo;
      align[count] = p->buffers[i].align;
      rest[count++] = lo % p->buffers[i].align;
    }
  int64_t *end = get(v, (size_t)1 << count, sizeof *end);
  for (uint32_t set = 1; set < 1u << count; set++) {
    end[set] = INT64_MAX;
    for (uint32_t i = 0; i < count; i++) {
      if (!(set >> i & 1))
        continue;
      const int64_t from = end[set ^ 1u << i] - rest[i];
      const int64_t start = (from > 0 ? round_up(from, align[i]) : 0) + rest[i];
      if (start + size[i] < end[set])
        end[set] = start + size[i];
    }
  }
  return end[(1u << count) - 1];
}

void check_bound(verify *v, const problem *p, int64_t bound) {
  while (bound > 0) {
    (void)next_word(v);
    if (is_word(v, "load") || is_word(v, "stack")) {
      const bool plain = is_word(v, "load");
      const int64_t time = next_number(v, -LIMIT, LIMIT);
      const int64_t load = plain ? load_at(p, time) : stack_at(v, p, time);
      if (load < bound)
        broken(v, "at time %lld %lld bytes are needed, less than %lld",
               (long long)time, (long long)load, (long long)bound);
      return;
    }
    if (!is_word(v, "refute"))
      broken(v, "'%.40s' is no evidence", v->certificate.word);
    check_refutation(v, p, bound - 1);
    if (is_word(v, "end"))
      return; /* other evidence follows a section that was dropped */
  }
}

static void check_claim(verify *v, const problem *p, const problem *answer) {
  static const char *const says[] = {
      "the answer is right, and nothing is lower than", "nothing is lower than",
      "nothing fits a capacity of"};
  static const char *const claims[] = {"optimal", "bound", "infeasible"};
  const int64_t height = answer ? check_answer(v, p, answer) : -1;
  int kind = 0;
  expect_word(v, "ashlar-certificate");
  (void)next_number(v, 2, 2);
  expect_word(v, "packing");
  expect_word(v, "claim");
  (void)next_word(v);
  while (kind < 3 && !is_word(v, claims[kind]))
    kind++;
  if (kind == 3)
    malformed(v, &v->certificate, "'%.40s' is no claim", v->certificate.word);
  const int64_t value = next_number(v, 0, LIMIT);
  if ((kind == 0 && height != value) ||
      (kind == 2 && answer && height <= value))
    broken(v, "claims %lld, but the answer's height is %lld", (long long)value,
           (long long)height);
  check_bound(v, p, kind == 2 ? value + 1 : value);
  (void)snprintf(v->message, sizeof v->message, "%s %lld", says[kind],
                 (long long)value);
}

int verify_packing(verify *v, source *problem_file, source *answer) {
  problem a = {0};
  const int code = setjmp(v->out);
  if (!code) {
    const problem p = read_csv(v, problem_file, false);
    if (answer)
      a = read_csv(v, answer, true);
    check_claim(v, &p, answer ? &a : NULL);
    expect_word(v, "");
  }
  release(v, NULL);
  return code;
}
