/* packing.c - the parts of packing that need no search: is the answer right,
 * and do the buffers of one time force the bound? */
#include "verify.h"

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

static int by_number(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static int by_bottom(const void *a, const void *b) {
  const box *x = a, *y = b;
  return (x->lo > y->lo) - (x->lo < y->lo);
}

/* Where a time is in the list. */
static size_t place_of(const int64_t *times, size_t count, int64_t time) {
  const int64_t *at = bsearch(&time, times, count, sizeof time, by_number);
  return (size_t)(at - times);
}

/* The boxes of a buffer: one between two gaps, one in each. */
static size_t put_boxes(box *out, const buffer *b, int64_t offset) {
  size_t count = 0;
  int64_t from = b->lower;
  if (b->size == 0)
    return 0;
  for (size_t g = 0; g <= b->gap_count; g++) {
    const int64_t to = g < b->gap_count ? b->gaps[g].lower : b->upper;
    if (from < to)
      out[count++] = (box){from, to, offset, offset + b->size};
    if (g == b->gap_count)
      break;
    const gap *x = &b->gaps[g];
    from = x->upper;
    if (x->lo < x->hi)
      out[count++] = (box){x->lower, x->upper, offset + x->lo, offset + x->hi};
  }
  return count;
}

/* Boxes from the bottom up: what lies below one at its times must end there. */
static void check_apart(verify *v, box *boxes, size_t count) {
  int64_t *times = get(v, 2 * count + 1, sizeof *times);
  size_t used = 0, leaves = 0;
  for (size_t i = 0; i < count; i++) {
    times[used++] = boxes[i].from;
    times[used++] = boxes[i].to;
  }
  qsort(times, used, sizeof *times, by_number);
  for (size_t i = 0; i < used; i++)
    if (leaves == 0 || times[leaves - 1] != times[i])
      times[leaves++] = times[i];
  int64_t *top = get(v, leaves + 1, sizeof *top);
  qsort(boxes, count, sizeof *boxes, by_bottom);
  for (size_t i = 0; i < count; i++) {
    const size_t to = place_of(times, leaves, boxes[i].to);
    for (size_t t = place_of(times, leaves, boxes[i].from); t < to; t++) {
      if (top[t] > boxes[i].lo)
        broken(v, "the answer is wrong: byte %lld is taken twice at time %lld",
               (long long)boxes[i].lo, (long long)times[t]);
      top[t] = boxes[i].hi;
    }
  }
}

int64_t check_answer(verify *v, const problem *p, const problem *answer) {
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
    if (b->size && b->lower < b->upper && a->offset + b->size > height)
      height = a->offset + b->size;
  }
  check_apart(v, boxes, count);
  return height;
}

/* ---- evidence without search --------------------------------------------- */

/* All starts are multiples of a grain, so each box but the topmost takes its
 * size rounded up to it. */
static int64_t load_at(verify *v, const problem *p, int64_t time) {
  (void)v;
  int64_t grain = 0, sum = 0, waste = 0, plain = 0, lo, hi;
  for (size_t i = 0; i < p->count; i++)
    if (occupies(&p->buffers[i], time, &lo, &hi))
      grain = gcd(gcd(grain, p->buffers[i].align), lo);
  for (size_t i = 0; i < p->count; i++)
    if (occupies(&p->buffers[i], time, &lo, &hi)) {
      const int64_t room = round_up(hi - lo, grain);
      plain += hi - lo;
      sum += room;
      waste = room - (hi - lo) > waste ? room - (hi - lo) : waste;
    }
  return sum - waste > plain ? sum - waste : plain;
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

static void check_time(verify *v, const problem *p, int64_t bound,
                       int64_t (*needed)(verify *, const problem *, int64_t)) {
  const int64_t time = next_number(v, &v->certificate, -LIMIT, LIMIT);
  const int64_t load = needed(v, p, time);
  if (load < bound)
    broken(v, "at time %lld %lld bytes are needed, less than %lld",
           (long long)time, (long long)load, (long long)bound);
}

/* ---- sections ------------------------------------------------------------ */

uint32_t *read_blocks(verify *v, const problem *p, uint32_t *count) {
  source *c = &v->certificate;
  bool *seen = get(v, p->count + 1, sizeof *seen);
  uint32_t *list = get(v, p->count + 1, sizeof *list);
  *count = 0;
  while (next_word(v, c) && !is_word(c, "capacity")) {
    char *end;
    if (is_word(c, "blocks"))
      continue;
    const long long i = strtoll(c->word, &end, 10);
    if (*end || i < 0 || (size_t)i >= p->count || seen[i])
      malformed(v, c, "'%s' is no buffer, or one named twice", c->word);
    seen[i] = true;
    list[(*count)++] = (uint32_t)i;
  }
  if (*count == 0)
    malformed(v, c, "a section without blocks");
  return list;
}

bool ends_section(const source *c) {
  return is_word(c, "end") || is_word(c, "drop");
}

void check_bound(verify *v, const problem *p, int64_t bound) {
  source *c = &v->certificate;
  if (bound == 0)
    return;
  while (next_word(v, c)) {
    if (is_word(c, "load") || is_word(c, "stack")) {
      check_time(v, p, bound, is_word(c, "load") ? load_at : stack_at);
      return;
    }
    if (!is_word(c, "refute"))
      malformed(v, c, "'%s' is no evidence", c->word);
    if (!next_word(v, c) || (!is_word(c, "plain") && !is_word(c, "clauses")))
      malformed(v, c, "'%s' is no kind of refutation", c->word);
    if (is_word(c, "plain"))
      check_plain(v, p, bound);
    else
      check_clauses(v, p, bound);
    if (!ends_section(c))
      malformed(v, c, "the file ends inside a refutation");
    if (is_word(c, "end"))
      return; /* another evidence follows a section that was dropped */
  }
  broken(v, "nothing shows the claim");
}
