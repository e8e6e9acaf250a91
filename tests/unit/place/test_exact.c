/* test_exact.c - the packing solver against brute force: small worlds in full,
 * random instances, and all techniques against each other. */
#include "ashlar/place.h"
#include "base/ctx.h"
#include "base/rng.h"
#include "check.h"

/* All of them in optimised builds; a sample where every step is slow because
 * it is watched or not optimised. */
#if defined(__OPTIMIZE__) && !defined(ASH_DEBUG)
#define ROUNDS(n) (n)
#define SAMPLE    1
#else
#define ROUNDS(n) ((n) / 40)
#define SAMPLE    8
#endif

enum { MOST = 14, TALL = 24 };

/* ---- brute force -------------------------------------------------------- */

typedef struct world {
  ash_buffer b[MOST];
  ash_relation r[4];
  ash_gap gaps[MOST];
  size_t count, relations;
  int64_t at[MOST];
} world;

static bool bytes_at(const world *w, size_t i, int64_t t, int64_t *lo,
                     int64_t *hi) {
  const ash_buffer *b = &w->b[i];
  *lo = w->at[i];
  *hi = w->at[i] + (int64_t)b->size;
  if (t < b->lower || t >= b->upper)
    return false;
  if (b->gap_count && t >= b->gaps->lower && t < b->gaps->upper) {
    *hi = *lo + (int64_t)b->gaps->window_hi;
    *lo += (int64_t)b->gaps->window_lo;
  }
  return *lo < *hi;
}

static bool touch(const world *w, size_t i, size_t j) {
  for (int64_t t = 0; t < 8; t++) {
    int64_t a, b, c, d;
    if (bytes_at(w, i, t, &a, &b) && bytes_at(w, j, t, &c, &d) && a < d &&
        c < b)
      return true;
  }
  return false;
}

/* With at most one rigid or INSIDE relation a pair, chains do not matter for
 * pairs, except through a third: the worlds below avoid those. */
static bool pair_holds(const world *w, size_t i, size_t j) {
  bool excused = false, overlap_allowed = true, some = false;
  for (size_t k = 0; k < w->relations; k++) {
    const ash_relation *r = &w->r[k];
    if (!((r->a == i && r->b == j) || (r->a == j && r->b == i)))
      continue;
    const int64_t a = w->at[r->a], b = w->at[r->b];
    switch (r->kind) {
    case ASH_SAME_OFFSET:
    case ASH_FIXED_DISTANCE:
      if (b - a != (r->kind == ASH_SAME_OFFSET ? 0 : r->distance))
        return false;
      excused = true;
      break;
    case ASH_INSIDE:
      if (b < a || b + (int64_t)w->b[r->b].size > a + (int64_t)w->b[r->a].size)
        return false;
      excused = true;
      break;
    case ASH_MAY_OVERLAP:
      some = true;
      overlap_allowed = overlap_allowed && a >= b + r->distance;
      break;
    }
  }
  return excused || (some && overlap_allowed) || !touch(w, i, j);
}

static bool place_rest(world *w, size_t i, int64_t height) {
  if (i == w->count)
    return true;
  const ash_buffer *b = &w->b[i];
  const bool room = b->size && b->lower < b->upper;
  const int64_t step = b->alignment ? (int64_t)b->alignment : 1;
  const int64_t top = room ? height - (int64_t)b->size : TALL;
  for (int64_t at = 0; at <= top; at += step) {
    bool holds = b->offset == ASH_FREE_OFFSET || b->offset == at;
    w->at[i] = at;
    for (size_t j = 0; j < i && holds; j++)
      holds = pair_holds(w, i, j);
    if (holds && place_rest(w, i + 1, height))
      return true;
  }
  return false;
}

static int64_t brute_force(world *w) {
  for (int64_t height = 0; height <= TALL; height++)
    if (place_rest(w, 0, height))
      return height;
  return -1;
}

/* ---- comparing ---------------------------------------------------------- */

static ash_ctx *ctx;
static unsigned ctx_uses;

static void fresh_ctx(void) {
  if (ctx && ctx_uses++ < 500)
    return;
  ash_ctx_free(ctx);
  ctx_uses = 0;
  CHECK_EQ(ash_ctx_new(&ctx, NULL), ASH_OK);
}

static void drop_ctx(void) {
  ash_ctx_free(ctx);
  ctx = NULL;
}

static void print_world(const world *w) {
  for (size_t i = 0; i < w->count; i++)
    fprintf(stderr, "  [%d,%d) size %d align %d fixed %lld\n",
            (int)w->b[i].lower, (int)w->b[i].upper, (int)w->b[i].size,
            (int)w->b[i].alignment, (long long)w->b[i].offset);
  for (size_t i = 0; i < w->relations; i++)
    fprintf(stderr, "  relation %d: %u %u %lld\n", (int)w->r[i].kind, w->r[i].a,
            w->r[i].b, (long long)w->r[i].distance);
}

static int64_t solved_height(world *w, uint64_t off) {
  fresh_ctx();
  const ash_place_problem p = {.buffers = w->b,
                               .buffer_count = w->count,
                               .relations = w->r,
                               .relation_count = w->relations};
  const ash_place_options o = {.struct_bytes = sizeof o, .off = off};
  ash_place_result r;
  CHECK_EQ(ash_place(ctx, &r, &p, &o), ASH_OK);
  if (r.verdict == ASH_INFEASIBLE)
    return -1;
  if (r.verdict != ASH_OPTIMAL) {
    fprintf(stderr, "off %llx\n", (unsigned long long)off);
    print_world(w);
  }
  CHECK_EQ(r.verdict, ASH_OPTIMAL);
  CHECK(r.lower_bound == r.height);
  return (int64_t)r.height;
}

static void compare(world *w) {
  const int64_t want = brute_force(w);
  const int64_t got = solved_height(w, 0);
  if (want != got)
    print_world(w);
  CHECK_EQ(got, want);
}

static ash_buffer buffer(int64_t lower, int64_t upper, uint64_t size) {
  return (ash_buffer){.lower = lower,
                      .upper = upper,
                      .size = size,
                      .offset = ASH_FREE_OFFSET,
                      .hint = ASH_FREE_OFFSET};
}

static const int lives[][2] = {{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 3}};

/* ---- small worlds ------------------------------------------------------- */

/* Every buffer out of 54: three lifetimes, sizes 0 to 2, alignments 1 and 2,
 * free or fixed. */
static ash_buffer nth_buffer(unsigned n) {
  ash_buffer b = buffer(lives[n % 3][0], lives[n % 3][1], n / 3 % 3);
  b.alignment = 1 + n / 9 % 2;
  b.offset = n / 18 % 3 == 0 ? ASH_FREE_OFFSET : n / 18 % 3 + 1;
  return b;
}

static bool nth_relation(unsigned n, ash_relation *r) {
  static const ash_relation all[] = {
      {ASH_SAME_OFFSET, 0, 1, 0},     {ASH_FIXED_DISTANCE, 0, 1, 1},
      {ASH_FIXED_DISTANCE, 0, 1, -2}, {ASH_INSIDE, 0, 1, 0},
      {ASH_INSIDE, 1, 0, 0},          {ASH_MAY_OVERLAP, 0, 1, 1},
      {ASH_MAY_OVERLAP, 1, 0, 0},     {ASH_MAY_OVERLAP, 0, 1, -1},
  };
  if (n >= sizeof all / sizeof *all)
    return false;
  *r = all[n];
  return true;
}

static void all_pairs_with_all_relations_equal_brute_force(void) {
  for (unsigned i = 0; i < 54; i++)
    for (unsigned j = 0; j < 54; j++) {
      world w = {.b = {nth_buffer(i), nth_buffer(j)}, .count = 2};
      compare(&w);
      w.relations = 1;
      for (unsigned k = 0; nth_relation(k, &w.r[0]); k++)
        compare(&w);
    }
  drop_ctx();
}

/* Two related buffers and a third that is not; sizes 1 to 3. */
static void all_triples_with_a_relation_equal_brute_force(void) {
  for (unsigned i = 0; i < 9; i++)
    for (unsigned j = 0; j < 9; j++)
      for (unsigned k = 0; k < 9; k++)
        for (unsigned align = 0; align < 4; align++) {
          world w = {.count = 3};
          const unsigned n[] = {i, j, k};
          for (unsigned q = 0; q < 3; q++)
            w.b[q] =
                buffer(lives[n[q] % 3][0], lives[n[q] % 3][1], n[q] / 3 + 1);
          w.b[0].alignment = 1 + align % 2;
          w.b[2].alignment = 1 + align / 2;
          compare(&w);
          w.relations = 1;
          for (unsigned q = 0; nth_relation(q, &w.r[0]); q++)
            compare(&w);
        }
  drop_ctx();
}

static void all_quadruples_equal_brute_force(void) {
  for (unsigned i = 0; i < 18; i++)
    for (unsigned j = i; j < 18; j++)
      for (unsigned k = j; k < 18; k++)
        for (unsigned l = k; l < 18; l++) {
          const unsigned n[] = {i, j, k, l};
          world w = {.count = 4};
          for (unsigned q = 0; q < 4; q++)
            w.b[q] =
                buffer(lives[n[q] % 6][0], lives[n[q] % 6][1], n[q] / 6 + 1);
          compare(&w);
        }
  drop_ctx();
}

/* Three lifetimes, sizes 1 and 2; free, aligned to 2, or fixed at 1. */
static ash_buffer nth_kind(unsigned n) {
  ash_buffer b = buffer(lives[n % 3][0], lives[n % 3][1], 1 + n / 3 % 2);
  b.alignment = n / 6 == 1 ? 2 : 1;
  b.offset = n / 6 == 2 ? 1 : ASH_FREE_OFFSET;
  return b;
}

static void
all_triples_with_alignments_and_fixed_offsets_equal_brute_force(void) {
  for (unsigned i = 0; i < 54; i++)
    for (unsigned j = i; j < 54; j++)
      for (unsigned k = j; k < 54; k++) {
        world w = {.b = {nth_buffer(i), nth_buffer(j), nth_buffer(k)},
                   .count = 3};
        compare(&w);
      }
  drop_ctx();
}

static void
all_quadruples_with_alignments_and_fixed_offsets_equal_brute_force(void) {
  for (unsigned i = 0; i < 18; i++)
    for (unsigned j = i; j < 18; j++)
      for (unsigned k = j; k < 18; k++)
        for (unsigned l = k; l < 18; l++) {
          world w = {.b = {nth_kind(i), nth_kind(j), nth_kind(k), nth_kind(l)},
                     .count = 4};
          compare(&w);
        }
  drop_ctx();
}

/* Two related buffers, and two others; free or aligned. */
static void all_quadruples_with_a_relation_equal_brute_force(void) {
  for (unsigned i = 0; i < 12; i++)
    for (unsigned j = 0; j < 12; j++)
      for (unsigned k = 0; k < 12; k++)
        for (unsigned l = k; l < 12; l++) {
          world w = {.b = {nth_kind(i), nth_kind(j), nth_kind(k), nth_kind(l)},
                     .count = 4,
                     .relations = 1};
          if ((i + j + k + l) % SAMPLE == 0)
            for (unsigned q = 0; nth_relation(q, &w.r[0]); q++)
              compare(&w);
        }
  drop_ctx();
}

static void gaps_and_windows_equal_brute_force(void) {
  ash_rng rng = {7};
  for (int round = 0; round < ROUNDS(3000); round++) {
    world w = {.count = 2 + ash_rng_below(&rng, 3)};
    for (size_t i = 0; i < w.count; i++) {
      const int64_t lower = (int64_t)ash_rng_below(&rng, 3);
      const int64_t upper = lower + 1 + (int64_t)ash_rng_below(&rng, 5);
      w.b[i] = buffer(lower, upper, 1 + ash_rng_below(&rng, 3));
      if (ash_rng_below(&rng, 2)) {
        ash_gap *g = &w.gaps[i];
        g->lower = lower + (int64_t)ash_rng_below(&rng, 2);
        g->upper = g->lower < upper ? g->lower + 1 : upper;
        g->window_lo = ash_rng_below(&rng, w.b[i].size + 1);
        g->window_hi =
            g->window_lo + ash_rng_below(&rng, w.b[i].size - g->window_lo + 1);
        w.b[i].gaps = g;
        w.b[i].gap_count = 1;
      }
      if (ash_rng_below(&rng, 6) == 0)
        w.b[i].offset = (int64_t)ash_rng_below(&rng, 4);
    }
    compare(&w);
  }
  drop_ctx();
}

/* ---- random ------------------------------------------------------------- */

/* An independent optimum for plain buffers: in order of offset, each buffer
 * rests on what is below it; depth first with the best height so far. */
typedef struct tower {
  const world *w;
  bool placed[MOST];
  int64_t top[8]; /* per time */
  int64_t best;
} tower;

static bool is_hopeless(const tower *t, int64_t height) {
  int64_t need[8];
  memcpy(need, t->top, sizeof need);
  for (size_t i = 0; i < t->w->count; i++)
    for (int64_t s = t->w->b[i].lower; !t->placed[i] && s < t->w->b[i].upper;
         s++)
      need[s] += (int64_t)t->w->b[i].size;
  for (size_t s = 0; s < 8; s++)
    if (need[s] >= t->best)
      return true;
  return height >= t->best;
}

static void build(tower *t, size_t done, int64_t floor, int64_t height) {
  if (is_hopeless(t, height))
    return;
  if (done == t->w->count) {
    t->best = height;
    return;
  }
  for (size_t i = 0; i < t->w->count; i++) {
    const ash_buffer *b = &t->w->b[i];
    int64_t at = 0, saved[8];
    if (t->placed[i])
      continue;
    for (int64_t s = b->lower; s < b->upper; s++)
      at = t->top[s] > at ? t->top[s] : at;
    const int64_t align = b->alignment ? (int64_t)b->alignment : 1;
    at = (at + align - 1) / align * align;
    if (at < floor)
      continue;
    memcpy(saved, t->top, sizeof saved);
    for (int64_t s = b->lower; s < b->upper; s++)
      t->top[s] = at + (int64_t)b->size;
    t->placed[i] = true;
    const int64_t top = at + (int64_t)b->size;
    build(t, done + 1, at, top > height ? top : height);
    t->placed[i] = false;
    memcpy(t->top, saved, sizeof saved);
  }
}

static world random_world(ash_rng *rng, size_t most, uint64_t size_max) {
  world w = {.count = 2 + ash_rng_below(rng, most - 1)};
  const bool aligned = ash_rng_below(rng, 3) == 0;
  for (size_t i = 0; i < w.count; i++) {
    const int64_t lower = (int64_t)ash_rng_below(rng, 7);
    const int64_t upper =
        lower + 1 + (int64_t)ash_rng_below(rng, (uint64_t)(7 - lower) + 1);
    w.b[i] =
        buffer(lower, upper > 8 ? 8 : upper, 1 + ash_rng_below(rng, size_max));
    if (aligned)
      w.b[i].alignment = 1 + ash_rng_below(rng, 4);
  }
  return w;
}

/* The most bytes alive at one time. */
static int64_t load_of(const world *w) {
  int64_t load = 0;
  for (int64_t s = 0; s < 8; s++) {
    int64_t sum = 0;
    for (size_t i = 0; i < w->count; i++)
      if (w->b[i].lower <= s && s < w->b[i].upper)
        sum += (int64_t)w->b[i].size;
    load = sum > load ? sum : load;
  }
  return load;
}

static void random_instances_equal_an_independent_optimum(void) {
  ash_rng rng = {3};
  unsigned above = 0;
  for (int round = 0; round < ROUNDS(10000); round++) {
    world w = random_world(&rng, round % 20 == 0 ? 12 : 9, 9);
    tower t = {.w = &w, .best = INT64_MAX};
    build(&t, 0, 0, 0);
    const int64_t got = solved_height(&w, 0);
    if (got != t.best)
      print_world(&w);
    CHECK_EQ(got, t.best);
    above += got > load_of(&w);
  }
  CHECK(above > ROUNDS(100)); /* the interesting ones are among them */
  drop_ctx();
}

/* Every technique alone is off in every round, and three times in the course of
 * the rounds every subset of them is. */
static void all_techniques_agree(void) {
  ash_rng rng = {5};
  uint64_t subset = 0;
  unsigned above = 0;
  for (int round = 0; round < ROUNDS(1000); round++) {
    world w = random_world(&rng, 10, 12);
    const int64_t want = solved_height(&w, 0);
    above += want > load_of(&w);
    for (unsigned bit = 0; bit < ASH_OFF_COUNT; bit++)
      CHECK_EQ(solved_height(&w, (uint64_t)1 << bit), want);
    for (int i = 0; i < 7; i++)
      CHECK_EQ(solved_height(&w, subset++ % ((uint64_t)1 << ASH_OFF_COUNT)),
               want);
  }
  CHECK(above > ROUNDS(50)); /* the bound alone does not tell */
  drop_ctx();
}

#define TESTS(X)                                                               \
  X(all_pairs_with_all_relations_equal_brute_force)                            \
  X(all_triples_with_a_relation_equal_brute_force)                             \
  X(all_quadruples_equal_brute_force)                                          \
  X(all_triples_with_alignments_and_fixed_offsets_equal_brute_force)           \
  X(all_quadruples_with_alignments_and_fixed_offsets_equal_brute_force)        \
  X(all_quadruples_with_a_relation_equal_brute_force)                          \
  X(gaps_and_windows_equal_brute_force)                                        \
  X(random_instances_equal_an_independent_optimum)                             \
  X(all_techniques_agree)
TEST_MAIN(TESTS)
