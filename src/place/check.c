/* check.c - is this placement right? Written the obvious way from the words of
 * the public header, with nothing of the solver: everything the solver reports
 * passes through here first.
 *
 * A sweep over time with the living in order of their offsets settles almost
 * every placement. Where it sees an overlap, all pairs that are live together
 * are compared, because a gap or a relation may allow it. */
#include "ashlar/place.h"
#include "base/bits.h"
#include "base/checked.h"
#include "base/ctx.h"
#include "base/sort.h"

typedef struct checker {
  ash_ctx *ctx;
  const ash_place_problem *problem;
  const int64_t *offsets;
  uint32_t *group;   /* rigidly tied buffers carry the same number           */
  uint32_t *related; /* relations sorted by buffer: those of b start at [b]  */
  uint32_t *relation;
} checker;

static ash_loc at_buffer(uint32_t buffer) {
  ash_loc loc = ASH_NOWHERE;
  loc.tensor = buffer;
  return loc;
}

static bool is_rigid(const ash_relation *r) {
  return r->kind == ASH_SAME_OFFSET || r->kind == ASH_FIXED_DISTANCE;
}

/* Follows the chain of numbers to the one that names the group. */
static uint32_t find_group(checker *c, uint32_t b) {
  ASH_ASSERT(b < c->problem->buffer_count);
  while (c->group[b] != b) {
    c->group[b] = c->group[c->group[b]];
    b = c->group[b];
  }
  return b;
}

static void tie_groups(checker *c) {
  for (uint32_t i = 0; i < c->problem->buffer_count; i++)
    c->group[i] = i;
  for (size_t i = 0; i < c->problem->relation_count; i++) {
    const ash_relation *r = &c->problem->relations[i];
    if (is_rigid(r))
      c->group[find_group(c, r->a)] = find_group(c, r->b);
  }
}

static void index_relations(checker *c) {
  const ash_place_problem *p = c->problem;
  for (size_t i = 0; i < p->relation_count; i++) {
    c->related[p->relations[i].a + 1]++;
    c->related[p->relations[i].b + 1]++;
  }
  for (size_t b = 0; b < p->buffer_count; b++)
    c->related[b + 1] += c->related[b];
  for (size_t i = p->relation_count; i-- > 0;) {
    /* Filled from the back, so that starts end up where they were. */
    c->relation[--c->related[p->relations[i].a + 1]] = (uint32_t)i;
    c->relation[--c->related[p->relations[i].b + 1]] = (uint32_t)i;
  }
}

/* The relations of buffer b: indices [related[b + 1], end of b's part). */
static size_t relations_end(const checker *c, uint32_t b) {
  ASH_ASSERT(b < c->problem->buffer_count);
  return b + 1 < c->problem->buffer_count ? c->related[b + 2]
                                          : 2 * c->problem->relation_count;
}

/* Does a chain of INSIDE relations lead from `inner` up to `outer`? The chain
 * is walked with a list of buffers still to look at, each entered once. */
static bool lies_inside(const checker *c, uint32_t inner, uint32_t outer,
                        uint32_t *list, uint8_t *seen) {
  ASH_ASSERT(inner != outer && !seen[inner]);
  size_t count = 0, done = 0;
  bool found = false;
  list[count++] = inner;
  seen[inner] = 1;
  while (done < count && !found) {
    const uint32_t b = list[done++];
    ASH_ASSERT(c->related[b + 1] <= relations_end(c, b));
    for (size_t i = c->related[b + 1]; i < relations_end(c, b); i++) {
      const ash_relation *r = &c->problem->relations[c->relation[i]];
      if (r->kind != ASH_INSIDE || r->b != b || seen[r->a])
        continue;
      seen[r->a] = 1;
      list[count++] = r->a;
      found = found || r->a == outer;
    }
  }
  for (size_t i = 0; i < count; i++)
    seen[list[i]] = 0;
  return found;
}

/* Do all MAY_OVERLAP relations between the two hold by distance? False also
 * when there is none. */
static bool distance_allows(const checker *c, uint32_t x, uint32_t y) {
  ASH_ASSERT(x != y);
  bool some = false;
  for (size_t i = c->related[x + 1]; i < relations_end(c, x); i++) {
    const ash_relation *r = &c->problem->relations[c->relation[i]];
    if (r->kind != ASH_MAY_OVERLAP ||
        !((r->a == x && r->b == y) || (r->a == y && r->b == x)))
      continue;
    some = true;
    if (c->offsets[r->a] - c->offsets[r->b] < r->distance)
      return false;
  }
  return some;
}

/* The bytes that buffer b occupies at `time`; false: none. */
static bool bytes_at(const checker *c, uint32_t b, int64_t time, int64_t *lo,
                     int64_t *hi) {
  ASH_ASSERT(b < c->problem->buffer_count);
  const ash_buffer *x = &c->problem->buffers[b];
  uint64_t from = 0, to = x->size;
  if (time < x->lower || time >= x->upper)
    return false;
  for (size_t i = 0; i < x->gap_count; i++)
    if (x->gaps[i].lower <= time && time < x->gaps[i].upper) {
      from = x->gaps[i].window_lo;
      to = x->gaps[i].window_hi;
    }
  *lo = c->offsets[b] + (int64_t)from;
  *hi = c->offsets[b] + (int64_t)to;
  return from < to;
}

static bool collide_at(const checker *c, uint32_t x, uint32_t y, int64_t time) {
  int64_t x_lo, x_hi, y_lo, y_hi;
  return bytes_at(c, x, time, &x_lo, &x_hi) &&
         bytes_at(c, y, time, &y_lo, &y_hi) && x_lo < y_hi && y_lo < x_hi;
}

/* What a buffer occupies changes only at its ends and the ends of its gaps, so
 * it is enough to look at those times of both. */
static bool collide(const checker *c, uint32_t x, uint32_t y) {
  ASH_ASSERT(x != y);
  const uint32_t pair[] = {x, y};
  for (int i = 0; i < 2; i++) {
    const ash_buffer *b = &c->problem->buffers[pair[i]];
    if (collide_at(c, x, y, b->lower))
      return true;
    for (size_t g = 0; g < b->gap_count; g++)
      if (collide_at(c, x, y, b->gaps[g].lower) ||
          collide_at(c, x, y, b->gaps[g].upper))
        return true;
  }
  return false;
}

/* What a buffer occupies during a gap lies inside it. */
static bool has_sound_gaps(const ash_buffer *b) {
  for (size_t i = 0; i < b->gap_count; i++)
    if (b->gaps[i].window_lo > b->gaps[i].window_hi ||
        b->gaps[i].window_hi > b->size)
      return false;
  return true;
}

static ash_status check_buffer(const checker *c, uint32_t i, uint64_t *height) {
  ASH_ASSERT(i < c->problem->buffer_count);
  const ash_buffer *b = &c->problem->buffers[i];
  const int64_t offset = c->offsets[i];
  if ((b->gap_count > 0 && !b->gaps) || !has_sound_gaps(b))
    return ash_fail(c->ctx, ASH_MALFORMED, ASH_D_place_gap, at_buffer(i),
                    "a gap leaves more of it than there is");
  if (offset < 0)
    return ash_fail(c->ctx, ASH_MALFORMED, ASH_D_place_misplaced, at_buffer(i),
                    "offset %lld is negative", (long long)offset);
  if (b->alignment > 1 && (uint64_t)offset % b->alignment)
    return ash_fail(c->ctx, ASH_MALFORMED, ASH_D_place_misplaced, at_buffer(i),
                    "offset %lld is not a multiple of %llu", (long long)offset,
                    (unsigned long long)b->alignment);
  if (b->offset != ASH_FREE_OFFSET && b->offset != offset)
    return ash_fail(c->ctx, ASH_MALFORMED, ASH_D_place_misplaced, at_buffer(i),
                    "offset %lld instead of the fixed %lld", (long long)offset,
                    (long long)b->offset);
  if (b->size == 0 || b->lower >= b->upper)
    return ASH_OK;
  uint64_t top;
  if (!ash_add_u64(&top, (uint64_t)offset, b->size) || top > INT64_MAX)
    return ash_fail(c->ctx, ASH_MALFORMED, ASH_D_place_misplaced, at_buffer(i),
                    "offset %lld plus size overflows", (long long)offset);
  *height = ash_max_u64(*height, top);
  if (c->problem->capacity && top > c->problem->capacity)
    return ash_fail(c->ctx, ASH_MALFORMED, ASH_D_place_misplaced, at_buffer(i),
                    "ends at %llu, above the capacity %llu",
                    (unsigned long long)top,
                    (unsigned long long)c->problem->capacity);
  return ASH_OK;
}

static bool relation_holds(const checker *c, const ash_relation *r) {
  const int64_t a = c->offsets[r->a], b = c->offsets[r->b];
  const ash_buffer *outer = &c->problem->buffers[r->a];
  const ash_buffer *inner = &c->problem->buffers[r->b];
  switch (r->kind) {
  case ASH_SAME_OFFSET:
    return a == b;
  case ASH_FIXED_DISTANCE:
    return b - a == r->distance;
  case ASH_INSIDE:
    return a <= b && (uint64_t)b + inner->size <= (uint64_t)a + outer->size;
  case ASH_MAY_OVERLAP:
    return true; /* looked at where two live buffers meet */
  }
  return false;
}

static ash_status check_relations(const checker *c) {
  for (size_t i = 0; i < c->problem->relation_count; i++) {
    const ash_relation *r = &c->problem->relations[i];
    if (!relation_holds(c, r))
      return ash_fail(c->ctx, ASH_MALFORMED, ASH_D_place_misplaced,
                      at_buffer(r->b),
                      "relation %zu to buffer %u does not hold: offsets %lld "
                      "and %lld",
                      i, (unsigned)r->a, (long long)c->offsets[r->a],
                      (long long)c->offsets[r->b]);
  }
  return ASH_OK;
}

typedef struct birth {
  int64_t time;
  uint32_t buffer;
} birth;

static int by_time(const void *a, const void *b, const void *user) {
  const int64_t x = ((const birth *)a)->time, y = ((const birth *)b)->time;
  (void)user;
  return (x > y) - (x < y);
}

/* ---- the sweep ----------------------------------------------------------
 * Buffers are born and die in order of time; those alive lie in order of their
 * offsets. As long as they are disjoint, a new one is disjoint from all when it
 * is from the next below and the next above. The living are a set of ranks: a
 * bit each, and above 64 of them a bit that says whether any is set. */

enum { LEVELS = 6 };

typedef struct living {
  uint64_t *bits[LEVELS];
} living;

static bool living_init(checker *c, living *set, size_t n) {
  for (int k = 0; k < LEVELS; k++) {
    n = n / 64 + 1;
    set->bits[k] = ASH_NEW_ARRAY(&c->ctx->scratch, uint64_t, n);
  }
  return ash_zone_check(c->ctx, &c->ctx->scratch) == ASH_OK;
}

static void living_change(living *set, uint32_t rank, bool alive) {
  for (int k = 0; k < LEVELS; k++) {
    uint64_t *word = &set->bits[k][rank / 64];
    const uint64_t bit = (uint64_t)1 << (rank % 64);
    *word = alive ? *word | bit : *word & ~bit;
    if (*word && !alive)
      return;
    rank /= 64;
  }
}

/* The next rank above or below that is alive; UINT32_MAX: none. */
static uint32_t living_next(const living *set, uint32_t rank, bool up) {
  for (int k = 0; k < LEVELS; k++, rank /= 64) {
    const uint64_t word = set->bits[k][rank / 64], at = rank % 64;
    const uint64_t beside = up ? (at == 63 ? 0 : word >> (at + 1) << (at + 1))
                               : word & (((uint64_t)1 << at) - 1);
    if (beside == 0)
      continue;
    uint32_t found = rank / 64 * 64;
    found += up ? ash_lowest_bit(beside) : ash_highest_bit(beside);
    while (k-- > 0)
      found = found * 64 + (up ? ash_lowest_bit(set->bits[k][found])
                               : ash_highest_bit(set->bits[k][found]));
    return found;
  }
  return UINT32_MAX;
}

/* Buffers that take room, sorted by a time or by offset. */
static size_t sort_buffers(const checker *c, birth *out, birth *spare,
                           int what) {
  size_t count = 0;
  for (uint32_t i = 0; i < c->problem->buffer_count; i++) {
    const ash_buffer *b = &c->problem->buffers[i];
    if (b->size && b->lower < b->upper)
      out[count++] = (birth){what == 0   ? b->lower
                             : what == 1 ? b->upper
                                         : c->offsets[i],
                             i};
  }
  ash_sort(out, spare, count, sizeof *out, by_time, NULL);
  return count;
}

static bool disjoint(const checker *c, uint32_t lower, uint32_t upper) {
  return c->offsets[lower] + (int64_t)c->problem->buffers[lower].size <=
         c->offsets[upper];
}

/* Sets *clean when no two buffers overlap, gaps and relations aside. */
static ash_status sweep(checker *c, bool *clean) {
  const size_t n = c->problem->buffer_count;
  ash_zone *z = &c->ctx->scratch;
  birth *births = ASH_NEW_ARRAY(z, birth, n);
  birth *deaths = ASH_NEW_ARRAY(z, birth, n);
  birth *ranks = ASH_NEW_ARRAY(z, birth, n);
  birth *spare = ASH_NEW_ARRAY(z, birth, n);
  uint32_t *rank = ASH_NEW_ARRAY(z, uint32_t, n);
  living set;
  if (!living_init(c, &set, n))
    return ash_nomem(c->ctx);
  const size_t count = sort_buffers(c, births, spare, 0);
  (void)sort_buffers(c, deaths, spare, 1);
  (void)sort_buffers(c, ranks, spare, 2);
  for (size_t i = 0; i < count; i++)
    rank[ranks[i].buffer] = (uint32_t)i;
  for (size_t i = 0, dead = 0; i < count; i++) {
    const uint32_t x = births[i].buffer;
    for (; dead < count && deaths[dead].time <= births[i].time; dead++)
      living_change(&set, rank[deaths[dead].buffer], false);
    const uint32_t above = living_next(&set, rank[x], true);
    const uint32_t below = living_next(&set, rank[x], false);
    if ((above != UINT32_MAX && !disjoint(c, x, ranks[above].buffer)) ||
        (below != UINT32_MAX && !disjoint(c, ranks[below].buffer, x)))
      return ASH_OK;
    living_change(&set, rank[x], true);
  }
  *clean = true;
  return ASH_OK;
}

/* ---- all pairs ----------------------------------------------------------
 * Where the sweep finds an overlap: a gap or a relation may excuse it, and the
 * first pair that nothing excuses is named. */

static bool exempt(checker *c, uint32_t x, uint32_t y, uint32_t *list,
                   uint8_t *seen) {
  if (c->problem->relation_count == 0)
    return false;
  return find_group(c, x) == find_group(c, y) || distance_allows(c, x, y) ||
         lies_inside(c, x, y, list, seen) || lies_inside(c, y, x, list, seen);
}

static ash_status check_pairs(checker *c) {
  const size_t n = c->problem->buffer_count;
  const ash_buffer *buffers = c->problem->buffers;
  birth *births = ASH_NEW_ARRAY(&c->ctx->scratch, birth, n);
  birth *spare = ASH_NEW_ARRAY(&c->ctx->scratch, birth, n);
  uint32_t *live = ASH_NEW_ARRAY(&c->ctx->scratch, uint32_t, n);
  uint32_t *list = ASH_NEW_ARRAY(&c->ctx->scratch, uint32_t, n);
  uint8_t *seen = ASH_NEW_ARRAY(&c->ctx->scratch, uint8_t, n);
  ASH_TRY(ash_zone_check(c->ctx, &c->ctx->scratch));
  const size_t count = sort_buffers(c, births, spare, 0);
  size_t live_count = 0;
  for (size_t i = 0; i < count; i++) {
    const uint32_t x = births[i].buffer;
    ASH_ASSERT(i == 0 || births[i - 1].time <= births[i].time);
    size_t kept = 0;
    for (size_t k = 0; k < live_count; k++) {
      const uint32_t y = live[k];
      if (buffers[y].upper <= buffers[x].lower)
        continue;
      live[kept++] = y;
      /* The cheap half of the test first: it settles almost every pair. */
      if (c->offsets[x] < c->offsets[y] + (int64_t)buffers[y].size &&
          c->offsets[y] < c->offsets[x] + (int64_t)buffers[x].size &&
          collide(c, x, y) && !exempt(c, x, y, list, seen))
        return ash_fail(c->ctx, ASH_MALFORMED, ASH_D_place_overlap,
                        at_buffer(x), "overlaps buffer %u", (unsigned)y);
    }
    ASH_ASSERT(kept <= i);
    live[kept] = x;
    live_count = kept + 1;
  }
  return ASH_OK;
}

static ash_status check_all(checker *c, uint64_t *height) {
  const ash_place_problem *p = c->problem;
  const size_t n = p->buffer_count;
  c->group = ASH_NEW_ARRAY(&c->ctx->scratch, uint32_t, n);
  c->related = ASH_NEW_ARRAY(&c->ctx->scratch, uint32_t, n + 2);
  c->relation =
      ASH_NEW_ARRAY(&c->ctx->scratch, uint32_t, 2 * p->relation_count);
  ASH_TRY(ash_zone_check(c->ctx, &c->ctx->scratch));
  for (size_t i = 0; i < p->relation_count; i++)
    if (p->relations[i].a >= n || p->relations[i].b >= n)
      return ash_fail(c->ctx, ASH_MALFORMED, ASH_D_place_relation, ASH_NOWHERE,
                      "relation %zu names a buffer that does not exist", i);
  tie_groups(c);
  index_relations(c);
  for (uint32_t i = 0; i < n; i++)
    ASH_TRY(check_buffer(c, i, height));
  ASH_TRY(check_relations(c));
  bool clean = false;
  ASH_TRY(sweep(c, &clean));
  return clean ? ASH_OK : check_pairs(c);
}

ash_status ash_place_check(ash_ctx *ctx, uint64_t *height,
                           const ash_place_problem *problem,
                           const int64_t *offsets) {
  ASH_NEED(ctx,
           ctx && height && problem && (offsets || problem->buffer_count == 0));
  ASH_NEED(ctx, problem->buffers || problem->buffer_count == 0);
  ASH_NEED(ctx, problem->relations || problem->relation_count == 0);
  *height = 0;
  if (problem->buffer_count > UINT32_MAX / 4)
    return ash_fail(ctx, ASH_LIMIT, ASH_D_place_limit, ASH_NOWHERE,
                    "%zu buffers", problem->buffer_count);
  checker c = {.ctx = ctx, .problem = problem, .offsets = offsets};
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  const ash_status status = check_all(&c, height);
  ash_zone_rewind(&ctx->scratch, mark);
  return status;
}
