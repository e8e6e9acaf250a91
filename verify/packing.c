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

static size_t place_of(const int64_t *times, size_t count, int64_t time) {
  size_t low = 0;
  while (count > 1) {
    const size_t half = count / 2;
    if (times[low + half] <= time)
      low += half;
    count -= half;
  }
  return low;
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

/* Boxes from the bottom up: what lies below one at its times must end there.
 * top[] is a tree of maxima over `leaves` times; full[] holds for whole
 * subtrees. */
typedef struct tops {
  int64_t *top, *full;
} tops;

static int64_t raise_top(tops *t, size_t node, size_t first, size_t last,
                         const size_t range[2], int64_t to) {
  if (range[1] <= first || last <= range[0])
    return 0;
  if (range[0] <= first && last <= range[1]) {
    const int64_t before = t->top[node];
    t->full[node] = to > t->full[node] ? to : t->full[node];
    t->top[node] = to > before ? to : before;
    return before;
  }
  const size_t middle = first + (last - first) / 2;
  const int64_t a = raise_top(t, 2 * node, first, middle, range, to);
  const int64_t b = raise_top(t, 2 * node + 1, middle, last, range, to);
  t->top[node] = to > t->top[node] ? to : t->top[node];
  const int64_t most = a > b ? a : b;
  return most > t->full[node] ? most : t->full[node];
}

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
  tops t = {.top = get(v, 4 * leaves + 4, sizeof *t.top),
            .full = get(v, 4 * leaves + 4, sizeof *t.full)};
  qsort(boxes, count, sizeof *boxes, by_bottom);
  for (size_t i = 0; i < count; i++) {
    const size_t range[2] = {place_of(times, leaves, boxes[i].from),
                             place_of(times, leaves, boxes[i].to)};
    if (raise_top(&t, 1, 0, leaves, range, boxes[i].hi) > boxes[i].lo)
      broken(v,
             "the answer is wrong: bytes %lld to %lld are taken twice "
             "between times %lld and %lld",
             (long long)boxes[i].lo, (long long)boxes[i].hi,
             (long long)boxes[i].from, (long long)boxes[i].to);
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
      waste = room - (hi - lo) > waste ? room - (hi - lo) : waste;
    }
  return sum - waste > plain ? sum - waste : plain;
}

static void check_load(verify *v, const problem *p, int64_t bound) {
  const int64_t time = next_number(v, &v->certificate, -LIMIT, LIMIT);
  const int64_t load = load_at(p, time);
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

/* A section that ends with "drop" says nothing. */
static bool is_dropped(verify *v) {
  source *c = &v->certificate;
  const long at = ftell(c->file), line = c->line;
  bool found = false;
  while (next_word(v, c) && !(found = is_word(c, "drop")))
    if (is_word(c, "end"))
      break;
  if (!found && (at < 0 || fseek(c->file, at, SEEK_SET) != 0))
    malformed(v, c, "this must be a file that can be read twice");
  if (!found)
    c->line = line;
  return found;
}

void check_bound(verify *v, const problem *p, int64_t bound) {
  source *c = &v->certificate;
  if (bound == 0)
    return;
  while (next_word(v, c)) {
    if (is_word(c, "load")) {
      check_load(v, p, bound);
      return;
    }
    if (!is_word(c, "refute"))
      malformed(v, c, "'%s' is no evidence", c->word);
    if (is_dropped(v))
      continue;
    if (!next_word(v, c) || (!is_word(c, "plain") && !is_word(c, "pairs")))
      malformed(v, c, "'%s' is no kind of refutation", c->word);
    if (is_word(c, "plain"))
      check_plain(v, p, bound);
    else
      check_pairs(v, p, bound);
    if (!is_word(c, "end"))
      malformed(v, c, "the file ends inside a refutation");
    return;
  }
  broken(v, "nothing shows the claim");
}
