/* test_families.c - families of instances on which a packing solver can be
 * weak: queues, everything at once, nested lifetimes, gaps; and what holds for
 * every instance: the answer is never worse than a named heuristic's, and there
 * is one however early the search is stopped. */
#include "ashlar/place.h"
#include "base/ctx.h"
#include "base/rng.h"
#include "check.h"
#include "context.h"

#include <stdlib.h>
#include <time.h>

/* Watched builds are slower by far: smaller instances, and no clock. */
#if defined(__OPTIMIZE__) && !defined(ASH_DEBUG)
#define LARGE  1
#define MANY   100000
#define MEDIUM 10000
#else
#define LARGE  0
#define MANY   4000
#define MEDIUM 2500
#endif

static ash_buffer buffer(int64_t lower, int64_t upper, uint64_t size) {
  return (ash_buffer){.lower = lower,
                      .upper = upper,
                      .size = size,
                      .offset = ASH_FREE_OFFSET,
                      .hint = ASH_FREE_OFFSET};
}

static ash_place_result solve(ash_ctx *ctx, const ash_buffer *b, size_t count,
                              const ash_place_options *options) {
  const ash_place_problem p = {.buffers = b, .buffer_count = count};
  ash_place_result r;
  CHECK_EQ(ash_place(ctx, &r, &p, options), ASH_OK);
  CHECK(r.offsets != NULL);
  return r;
}

static double seconds(void) {
  return (double)clock() / CLOCKS_PER_SEC;
}

typedef void make_fn(ash_buffer *b, size_t n, ash_rng *rng);

static void make_together(ash_buffer *b, size_t n, ash_rng *rng) {
  for (size_t i = 0; i < n; i++)
    b[i] = buffer(0, 10, 1 + ash_rng_below(rng, 1 << 20));
}

static void make_nested(ash_buffer *b, size_t n, ash_rng *rng) {
  for (size_t i = 0; i < n; i++)
    b[i] = buffer((int64_t)i, (int64_t)(2 * n - i),
                  1 + ash_rng_below(rng, 1 << 16));
}

static void make_queue(ash_buffer *b, size_t n, ash_rng *rng) {
  for (size_t i = 0; i < n; i++)
    b[i] = buffer((int64_t)i, (int64_t)i + 50, 1 + ash_rng_below(rng, 1 << 16));
}

static void make_random(ash_buffer *b, size_t n, ash_rng *rng) {
  for (size_t i = 0; i < n; i++) {
    const int64_t lower = (int64_t)ash_rng_below(rng, n);
    const int64_t life = 1 + (int64_t)ash_rng_below(rng, n / 10 + 1);
    b[i] = buffer(lower, lower + life, 1 + ash_rng_below(rng, 1 << 12));
  }
}

/* The sum of sizes at one time is met, in time that is nearly linear: a
 * hundred thousand buffers with 5 * 10^9 pairs that meet. */
static void meets_bound_quickly(make_fn *make) {
  ash_ctx *ctx = new_ctx();
  ash_buffer *b = malloc(MANY * sizeof *b);
  ash_rng rng = {1};
  CHECK(b != NULL);
  make(b, MANY, &rng);
  const double before = seconds();
  const ash_place_result r = solve(ctx, b, MANY, NULL);
  CHECK_EQ(r.verdict, ASH_OPTIMAL);
  CHECK(r.ticks < 2000000);
  CHECK(!LARGE || seconds() - before < 8); /* 30 s when it was quadratic */
  free(b);
  ash_ctx_free(ctx);
}

static void a_hundred_thousand_that_all_meet_are_quick(void) {
  meets_bound_quickly(make_together);
}

static void a_hundred_thousand_nested_ones_are_quick(void) {
  meets_bound_quickly(make_nested);
}

/* First fit leaves a quarter above the bound there. */
static void queues_are_laid_out_as_rings(void) {
  ash_ctx *ctx = new_ctx();
  ash_buffer *b = malloc(MEDIUM * sizeof *b);
  ash_rng rng = {2};
  const ash_place_options o = {.struct_bytes = sizeof o, .ticks = 400000};
  CHECK(b != NULL);
  make_queue(b, MEDIUM, &rng);
  const ash_place_result r = solve(ctx, b, MEDIUM, &o);
  CHECK(r.height - r.lower_bound <= r.lower_bound / 1000 * 15);
  free(b);
  ash_ctx_free(ctx);
}

static void compare_with_heuristics(const ash_buffer *b, size_t n) {
  ash_ctx *ctx = new_ctx();
  const ash_place_options budget = {.struct_bytes = sizeof budget,
                                    .ticks = 150000};
  const uint64_t mine = solve(ctx, b, n, &budget).height;
  for (size_t i = 0; ash_place_heuristic_name(i); i++) {
    const ash_place_options o = {.struct_bytes = sizeof o,
                                 .ticks = 5000,
                                 .heuristic = ash_place_heuristic_name(i)};
    const uint64_t theirs = solve(ctx, b, n, &o).height;
    if (mine > theirs)
      fprintf(stderr, "%s: %llu < %llu of %zu buffers\n", o.heuristic,
              (unsigned long long)theirs, (unsigned long long)mine, n);
    CHECK(mine <= theirs);
  }
  ash_ctx_free(ctx);
}

static void no_heuristic_is_better_than_the_answer(void) {
  static make_fn *const make[] = {make_queue, make_random};
  static const size_t counts[] = {60, 400, 2500};
  ash_buffer b[2500];
  ash_rng rng = {3};
  for (size_t i = 0; i < ASH_COUNT_OF(make); i++)
    for (size_t k = 0; k < ASH_COUNT_OF(counts); k++) {
      if (!LARGE && counts[k] > 400)
        continue;
      make[i](b, counts[k], &rng);
      compare_with_heuristics(b, counts[k]);
    }
}

static bool stop_at_once(void *user) {
  (void)user;
  return true;
}

/* Stopped before its first question, and after any number of ticks: the best so
 * far is a placement, and the bound is one. */
static void there_is_an_answer_whenever_it_is_stopped(void) {
  enum { N = 3000 };
  static ash_buffer b[N];
  ash_ctx *ctx = new_ctx();
  ash_rng rng = {4};
  make_queue(b, N, &rng);
  ash_place_options o = {.struct_bytes = sizeof o, .stop = stop_at_once};
  ash_place_result r = solve(ctx, b, N, &o);
  CHECK_EQ(r.verdict, ASH_FEASIBLE);
  CHECK_EQ(r.reason, ASH_REASON_STOPPED);
  uint64_t height = r.height;
  for (uint64_t ticks = 1; ticks < 100000; ticks *= 10) {
    o = (ash_place_options){.struct_bytes = sizeof o, .ticks = ticks};
    r = solve(ctx, b, N, &o);
    CHECK(r.verdict == ASH_OPTIMAL || r.reason == ASH_REASON_TICKS);
    CHECK(r.lower_bound <= r.height && r.height <= height);
    height = r.height;
  }
  ash_ctx_free(ctx);
}

/* ---- the checker -------------------------------------------------------- */

static bool overlap(const ash_buffer *a, const ash_buffer *b, int64_t x,
                    int64_t y) {
  const bool room =
      a->size && b->size && a->lower < a->upper && b->lower < b->upper;
  return room && a->lower < b->upper && b->lower < a->upper &&
         x < y + (int64_t)b->size && y < x + (int64_t)a->size;
}

/* Random placements of up to 200 buffers, about half of them wrong by one pair:
 * the sweep must find what comparing all pairs finds. */
static void the_checker_finds_what_all_pairs_find(void) {
  ash_ctx *ctx = new_ctx();
  ash_rng rng = {5};
  unsigned wrong = 0, right = 0;
  for (int round = 0; round < (LARGE ? 4000 : 200); round++) {
    ash_buffer b[200];
    int64_t at[200];
    const size_t n = 2 + ash_rng_below(&rng, round % 10 == 0 ? 199 : 9);
    make_random(b, n, &rng);
    for (size_t i = 0; i < n; i++) {
      b[i].size = ash_rng_below(&rng, 4);
      b[i].upper -= ash_rng_below(&rng, 8) == 0;
      at[i] = (int64_t)ash_rng_below(&rng, 5 * n);
    }
    bool expected = true;
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < i; j++)
        expected = expected && !overlap(&b[i], &b[j], at[i], at[j]);
    const ash_place_problem p = {.buffers = b, .buffer_count = n};
    uint64_t height;
    CHECK_EQ(ash_place_check(ctx, &height, &p, at) == ASH_OK, expected);
    right += expected;
    wrong += !expected;
  }
  CHECK(right > 20 && wrong > 20);
  ash_ctx_free(ctx);
}

/* Ten buffers that meet each other two by two need the sum of their sizes,
 * although a gap keeps the load of every time 3 below it. */
static void buffers_that_meet_at_different_times_are_added_up(void) {
  ash_ctx *ctx = new_ctx();
  const ash_gap away[] = {{.lower = 17, .upper = 21},
                          {.lower = 23, .upper = 27}};
  ash_buffer b[] = {buffer(13, 21, 3), buffer(15, 22, 4), buffer(15, 23, 3),
                    buffer(17, 23, 3), buffer(19, 22, 4), buffer(19, 23, 3),
                    buffer(19, 28, 1), buffer(20, 28, 4), buffer(20, 28, 1),
                    buffer(20, 26, 3)};
  b[2].gaps = &away[0];
  b[6].gaps = b[7].gaps = &away[1];
  b[2].gap_count = b[6].gap_count = b[7].gap_count = 1;
  const ash_place_options few = {.struct_bytes = sizeof few, .ticks = 1000};
  const ash_place_result r = solve(ctx, b, 10, &few);
  CHECK_EQ(r.verdict, ASH_OPTIMAL);
  CHECK_EQ(r.height, 29);
  ash_ctx_free(ctx);
}

/* The same buffers without their gaps need 26, which takes long to refute at 25
 * and says nothing about these. */
static void few_buffers_with_gaps_do_not_wait_for_those_without(void) {
  enum { N = 40 };
  static const struct {
    int8_t lower, upper, size, away, back;
  } rows[N] = {{9, 20, 2, 0, 0},    {8, 22, 2, 0, 0},  {22, 29, 2, 0, 0},
               {9, 24, 3, 12, 17},  {10, 14, 2, 0, 0}, {2, 6, 5, 0, 0},
               {13, 29, 2, 0, 0},   {16, 21, 3, 0, 0}, {22, 30, 3, 0, 0},
               {23, 30, 5, 0, 0},   {28, 30, 2, 0, 0}, {18, 25, 2, 21, 23},
               {17, 24, 5, 20, 23}, {6, 22, 5, 0, 0},  {13, 16, 5, 0, 0},
               {23, 25, 2, 0, 0},   {2, 8, 3, 3, 5},   {11, 17, 3, 0, 0},
               {25, 30, 3, 0, 0},   {24, 26, 5, 0, 0}, {2, 13, 5, 6, 8},
               {26, 29, 2, 0, 0},   {4, 10, 5, 6, 7},  {2, 6, 5, 0, 0},
               {29, 30, 2, 0, 0},   {28, 30, 5, 0, 0}, {9, 13, 3, 0, 0},
               {24, 26, 2, 0, 0},   {2, 6, 2, 0, 0},   {14, 18, 3, 15, 16},
               {0, 3, 2, 0, 0},     {1, 2, 5, 0, 0},   {26, 28, 3, 0, 0},
               {21, 23, 2, 0, 0},   {29, 30, 5, 0, 0}, {25, 28, 3, 0, 0},
               {26, 28, 2, 0, 0},   {0, 2, 5, 0, 0},   {6, 8, 3, 0, 0},
               {20, 22, 3, 0, 0}};
  ash_ctx *ctx = new_ctx();
  ash_buffer b[N];
  ash_gap away[N];
  for (size_t i = 0; i < N; i++) {
    b[i] = buffer(rows[i].lower, rows[i].upper, (uint64_t)rows[i].size);
    away[i] = (ash_gap){.lower = rows[i].away, .upper = rows[i].back};
    b[i].gaps = &away[i];
    b[i].gap_count = rows[i].back > 0;
  }
  const ash_place_result r = solve(ctx, b, N, NULL);
  CHECK_EQ(r.verdict, ASH_OPTIMAL);
  CHECK_EQ(r.height, 25);
  CHECK(r.ticks < 60000); /* 320,000 when they waited */
  ash_ctx_free(ctx);
}

#define TESTS(X)                                                               \
  X(buffers_that_meet_at_different_times_are_added_up)                         \
  X(a_hundred_thousand_that_all_meet_are_quick)                                \
  X(a_hundred_thousand_nested_ones_are_quick)                                  \
  X(queues_are_laid_out_as_rings)                                              \
  X(no_heuristic_is_better_than_the_answer)                                    \
  X(few_buffers_with_gaps_do_not_wait_for_those_without)                       \
  X(there_is_an_answer_whenever_it_is_stopped)                                 \
  X(the_checker_finds_what_all_pairs_find)
TEST_MAIN(TESTS)
