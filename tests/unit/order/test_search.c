/* test_search.c - the best order of small problems against all orders; what
 * holds when techniques are off or effort ends; orders judged by the counter
 * that shares nothing with the search. */
#include "faulty.h"
#include "order/join.h"
#include "order_world.h"

static void check_runs(const order_world *w, const ash_order_answer *a) {
  uint32_t done[WORLD_OPS] = {0};
  for (uint32_t i = 0; i < a->run_count; i++) {
    CHECK_EQ(a->runs[i].first, done[a->runs[i].op]);
    CHECK(a->runs[i].count > 0);
    CHECK(i == 0 || a->runs[i].op != a->runs[i - 1].op);
    done[a->runs[i].op] += a->runs[i].count;
  }
  for (uint32_t op = 0; op < w->p.op_count; op++)
    CHECK_EQ(done[op], w->ops[op].steps);
}

static ash_order_answer solve(ash_ctx *ctx, const order_world *w,
                              ash_order_options options) {
  ash_order_answer a;
  ash_order_load load;
  CHECK_EQ(ash_order_best(ctx, &a, &w->p, &options), ASH_OK);
  check_runs(w, &a);
  const char *why = ash_order_count(ctx, &load, &w->p, a.runs, a.run_count);
  CHECK(!why);
  CHECK_EQ(load.peak, a.peak);
  CHECK_EQ(a.verdict, a.bound == a.peak ? ASH_OPTIMAL : ASH_FEASIBLE);
  return a;
}

/* Optimal, with every technique on and off; never a bound above the optimum,
 * however little effort. */
static void check_world(const order_world *w) {
  static const uint32_t off[] = {
      0,
      ASH_ORDER_FREE_MOVES,
      ASH_ORDER_LAZY,
      ASH_ORDER_SMOOTH,
      ASH_ORDER_VALLEYS,
      ASH_ORDER_FREE_MOVES | ASH_ORDER_LAZY | ASH_ORDER_DEMAND,
      ASH_ORDER_FREE_MOVES | ASH_ORDER_LAZY | ASH_ORDER_DEMAND |
          ASH_ORDER_SMOOTH | ASH_ORDER_VALLEYS};
  static const uint64_t ticks[] = {1, 100, 300};
  ash_ctx *ctx = new_ctx();
  const uint64_t want = world_smallest_peak(w);
  for (size_t i = 0; i < ASH_COUNT_OF(off); i++) {
    const ash_order_answer a =
        solve(ctx, w, (ash_order_options){.off = off[i]});
    CHECK_EQ(a.verdict, ASH_OPTIMAL);
    CHECK_EQ(a.peak, want);
  }
  for (size_t i = 0; i < ASH_COUNT_OF(ticks); i++) {
    const ash_order_answer a =
        solve(ctx, w, (ash_order_options){.ticks = ticks[i]});
    CHECK(a.bound <= want && want <= a.peak);
  }
  ash_ctx_free(ctx);
}

/* The world is unfinished afterwards as it was before. */
static void check_ended(order_world *w) {
  world_end(w);
  check_world(w);
  for (uint32_t t = 0; t < w->p.tensor_count; t++)
    w->tensors[t].is_kept = false;
}

/* ---- all small chains -----------------------------------------------------
 */

static const world_window windows[] = {{1, 1, 0}, {3, 1, 1}, {2, 1, 0},
                                       {3, 2, 1}, {2, 2, 0}, {1, 2, 0}};

/* Operators from `op` on in all ways. */
static void check_chains(order_world *w, uint32_t tensor, uint32_t ops) {
  if (ops == 0) {
    check_ended(w);
    return;
  }
  for (size_t i = 0; i < ASH_COUNT_OF(windows); i++)
    for (uint64_t bytes = 1; bytes <= 3; bytes += 2) {
      const uint32_t rows =
          world_rows_after(w->tensors[tensor].rows, windows[i]);
      const uint32_t tensors = w->p.tensor_count, count = w->p.op_count;
      if (rows == 0)
        continue;
      const uint32_t result = world_op(w, rows, bytes);
      world_read(w, tensor, windows[i]);
      check_chains(w, result, ops - 1);
      w->p.tensor_count = tensors;
      w->p.op_count = count;
    }
}

static void all_small_chains_are_optimal(void) {
  for (uint32_t rows = 1; rows <= 4; rows++)
    for (uint32_t fed = 0; fed < 2; fed++)
      for (uint32_t ops = 1; ops <= (rows < 3 ? 4u : 3u); ops++) {
        order_world w;
        world_clear(&w);
        check_chains(&w, world_input(&w, rows, 2, fed), ops);
      }
}

/* ---- all small graphs with branches ---------------------------------------
 */

enum { KINDS = 3 };

static void add_kind(order_world *w, uint32_t kind, uint32_t a, uint32_t b) {
  static const uint64_t bytes[] = {2, 3, 2};
  (void)world_op(w, w->tensors[0].rows, bytes[kind]);
  if (kind == 2)
    world_make_whole(w);
  for (uint32_t k = 0; k < (a == b ? 1u : 2u); k++) {
    const uint32_t tensor = k ? b : a;
    if (kind == 2)
      world_read_all(w, tensor);
    else
      world_read(w, tensor, windows[kind]);
    if (kind != 1)
      world_in_place(w, k);
  }
}

/* Each operator reads one or two of the tensors before it. */
static void check_graphs(order_world *w, uint32_t ops) {
  const uint32_t tensors = w->p.tensor_count, count = w->p.op_count;
  if (ops == 0) {
    check_ended(w);
    return;
  }
  for (uint32_t kind = 0; kind < KINDS; kind++)
    for (uint32_t a = 0; a < tensors; a++)
      for (uint32_t b = a; b < tensors; b++) {
        add_kind(w, kind, a, b);
        check_graphs(w, ops - 1);
        w->p.tensor_count = tensors;
        w->p.op_count = count;
      }
}

static void all_small_graphs_are_optimal(void) {
  for (uint32_t fed = 0; fed < 2; fed++)
    for (uint32_t ops = 1; ops <= 4; ops++) {
      order_world w;
      world_clear(&w);
      (void)world_input(&w, ops < 4 ? 3 : 2, 2, fed);
      check_graphs(&w, ops);
    }
}

/* ---- at random ------------------------------------------------------------
 */

static void random_graphs_are_optimal(void) {
  ash_rng rng = {1};
  for (int i = 0; i < 3000; i++) {
    order_world w;
    world_random(&w, &rng, 2 + (uint32_t)ash_rng_below(&rng, 5), 4);
    check_world(&w);
  }
}

/* ---- whole operators -------------------------------------------------------
 */

/* Two branches of two operators: the wide tensors must not meet. */
static void whole_operators_are_ordered_too(void) {
  order_world w;
  world_clear(&w);
  const uint32_t x = world_input(&w, 1, 1, false);
  uint32_t narrow[2], wide[2];
  for (uint32_t i = 0; i < 2; i++) {
    wide[i] = world_op(&w, 1, 50);
    world_read_all(&w, x);
  }
  for (uint32_t i = 0; i < 2; i++) {
    narrow[i] = world_op(&w, 1, 5);
    world_read_all(&w, wide[i]);
  }
  (void)world_op(&w, 1, 5);
  world_read_all(&w, narrow[0]);
  world_read_all(&w, narrow[1]);
  world_end(&w);
  check_world(&w);
  ash_ctx *ctx = new_ctx();
  CHECK_EQ(solve(ctx, &w, (ash_order_options){0}).peak, 60);
  ash_ctx_free(ctx);
}

/* ---- properties ------------------------------------------------------------
 */

static void the_same_problem_has_the_same_answer(void) {
  ash_rng rng = {7};
  for (int i = 0; i < 50; i++) {
    order_world w;
    ash_ctx *one = new_ctx(), *two = new_ctx();
    world_random(&w, &rng, 6, 6);
    const ash_order_options options = {.ticks = 2000};
    const ash_order_answer a = solve(one, &w, options);
    const ash_order_answer b = solve(two, &w, options);
    CHECK_EQ(a.ticks, b.ticks);
    CHECK_EQ(a.run_count, b.run_count);
    CHECK(memcmp(a.runs, b.runs, a.run_count * sizeof *a.runs) == 0);
    ash_ctx_free(one);
    ash_ctx_free(two);
  }
}

/* The effort only decides where the same search ends. */
static void more_ticks_are_never_worse(void) {
  ash_rng rng = {13};
  ash_ctx *ctx = new_ctx();
  for (int i = 0; i < 100; i++) {
    order_world w;
    uint64_t peak = UINT64_MAX, bound = 0;
    world_random(&w, &rng, 6, 6);
    for (uint64_t ticks = 1; ticks < 100000; ticks += ticks / 3 + 1) {
      const ash_order_answer a = solve(
          ctx, &w,
          (ash_order_options){.ticks = ticks, .off = ASH_ORDER_FREE_MOVES});
      CHECK(a.peak <= peak && a.bound >= bound);
      peak = a.peak;
      bound = a.bound;
    }
    CHECK_EQ(peak, bound);
  }
  ash_ctx_free(ctx);
}

static void little_memory_for_states_keeps_the_bound_true(void) {
  ash_rng rng = {3};
  ash_ctx *ctx = new_ctx();
  for (int i = 0; i < 60; i++) {
    order_world w;
    world_random(&w, &rng, 5, 4);
    const uint64_t want = world_smallest_peak(&w);
    const ash_order_answer a = solve(
        ctx, &w, (ash_order_options){.bytes = 1, .off = ASH_ORDER_FREE_MOVES});
    CHECK(a.bound <= want && want <= a.peak);
  }
  ash_ctx_free(ctx);
}

/* Never another peak, and less load on the way over all. */
static void smoothing_lowers_the_load_on_the_way(void) {
  ash_rng rng = {5};
  ash_ctx *ctx = new_ctx();
  uint64_t before = 0, after = 0;
  for (int i = 0; i < 100; i++) {
    order_world w;
    ash_order_load rough, smooth;
    world_random(&w, &rng, 5, 5);
    const ash_order_answer a =
        solve(ctx, &w, (ash_order_options){.off = ASH_ORDER_SMOOTH});
    const ash_order_answer b = solve(ctx, &w, (ash_order_options){0});
    CHECK(!ash_order_count(ctx, &rough, &w.p, a.runs, a.run_count));
    CHECK(!ash_order_count(ctx, &smooth, &w.p, b.runs, b.run_count));
    CHECK_EQ(smooth.peak, rough.peak);
    before += rough.sum;
    after += smooth.sum;
  }
  CHECK(after < before);
  ash_ctx_free(ctx);
}

/* Two rows of 4 become two of 3, which are kept. */
static void two_rows(order_world *w, bool is_fed) {
  world_clear(w);
  const uint32_t x = world_input(w, 2, 4, is_fed);
  (void)world_op(w, 2, 3);
  world_read(w, x, (world_window){1, 1, 0});
  world_end(w);
}

/* Fewer runs over all, and never a load above the cap, which may be higher than
 * the peak. */
static void joining_makes_fewer_runs(void) {
  ash_rng rng = {17};
  ash_ctx *ctx = new_ctx();
  uint32_t before = 0, after = 0, with_room = 0;
  for (int i = 0; i < 300; i++) {
    order_world w;
    ash_order_load load;
    world_random(&w, &rng, 5, 5);
    const ash_order_answer found = solve(ctx, &w, (ash_order_options){0});
    for (uint64_t room = 0; room <= 12; room += 12) {
      const ash_order_caps caps = {found.peak + room, found.peak + room, 0};
      ash_order_answer joined = found;
      CHECK_EQ(ash_order_join(ctx, &joined, &w.p, &caps, 4), ASH_OK);
      check_runs(&w, &joined);
      CHECK(!ash_order_count(ctx, &load, &w.p, joined.runs, joined.run_count));
      CHECK(load.peak <= caps.all);
      CHECK_EQ(load.peak, joined.peak);
      *(room ? &with_room : &after) += joined.run_count;
    }
    before += found.run_count;
  }
  CHECK(after < before && with_room < after);
  ash_ctx_free(ctx);
}

/* What an order loads beside work memory has a cap of its own. */
static void joining_keeps_both_caps(void) {
  ash_ctx *ctx = new_ctx();
  ash_order_load load;
  order_world w;
  two_rows(&w, true);
  const ash_order_run turns[] = {{0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
  const ash_order_caps room = {100, 11, 0}, tight = {100, 10, 0};
  const ash_order_caps free = {100, 11, 1};
  ash_order_answer a = {.runs = turns, .run_count = 4};
  CHECK_EQ(ash_order_join(ctx, &a, &w.p, &tight, 2), ASH_OK);
  CHECK_EQ(a.run_count, 4);
  CHECK_EQ(ash_order_join(ctx, &a, &w.p, &free, 2), ASH_OK);
  CHECK_EQ(a.run_count, 4);
  CHECK_EQ(ash_order_join(ctx, &a, &w.p, &room, 2), ASH_OK);
  CHECK_EQ(a.run_count, 2); /* both rows arrive, both are made */
  CHECK(!ash_order_count(ctx, &load, &w.p, a.runs, a.run_count));
  CHECK_EQ(load.peak, 11);
  ash_ctx_free(ctx);
}

/* Two chains from an input, of which the first one makes its rows long before
 * anything needs them: while they wait, rows of the other have no room to be
 * made together. */
static void joining_puts_off_what_waits(void) {
  enum { ROWS = 3, BYTES = 10 };
  const world_window same = {1, 1, 0};
  ash_ctx *ctx = new_ctx();
  ash_order_load load;
  order_world w;
  world_clear(&w);
  const uint32_t in = world_input(&w, ROWS, 1, false);
  for (uint32_t chain = 0; chain < 2; chain++) {
    const uint32_t wide = world_op(&w, ROWS, BYTES);
    world_read(&w, in, same);
    (void)world_op(&w, ROWS, 1);
    world_read(&w, wide, same);
  }
  world_end(&w);
  const ash_order_run runs[] = {{0, 0, 3}, {2, 0, 1}, {3, 0, 1}, {2, 1, 1},
                                {3, 1, 1}, {2, 2, 1}, {3, 2, 1}, {1, 0, 3}};
  ash_order_answer a = {.runs = runs, .run_count = ASH_COUNT_OF(runs)};
  CHECK(!ash_order_count(ctx, &load, &w.p, a.runs, a.run_count));
  const ash_order_caps caps = {load.peak, load.peak, 0};
  CHECK_EQ(ash_order_join(ctx, &a, &w.p, &caps, ROWS), ASH_OK);
  CHECK(!ash_order_count(ctx, &load, &w.p, a.runs, a.run_count));
  CHECK(load.peak <= caps.all);
  CHECK_EQ(a.run_count, 4);
  ash_ctx_free(ctx);
}

/* ---- the counter ------------------------------------------------------------
 */

static void the_counter_counts_by_hand(void) {
  ash_ctx *ctx = new_ctx();
  ash_order_load load;
  order_world w;
  two_rows(&w, false);
  const ash_order_run all[] = {{0, 0, 2}};
  CHECK(!ash_order_count(ctx, &load, &w.p, all, 1));
  CHECK_EQ(load.peak, 11);             /* 8 + 3, then 4 + 3 + 3 */
  CHECK_EQ(load.sum, 8 + 11 + 10 + 6); /* before, two steps, after */
  two_rows(&w, true);
  const ash_order_run turns[] = {{0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
  CHECK(!ash_order_count(ctx, &load, &w.p, turns, 4));
  CHECK_EQ(load.peak, 10);
  CHECK_EQ(load.sum, 0 + 4 + 7 + 7 + 10 + 6);
  ash_ctx_free(ctx);
}

static void the_counter_refuses_what_is_not_an_order(void) {
  ash_ctx *ctx = new_ctx();
  ash_order_load load;
  order_world w;
  two_rows(&w, true);
  const ash_order_run early[] = {{0, 0, 1}, {1, 0, 2}, {0, 1, 1}};
  const ash_order_run skips[] = {{0, 0, 1}, {1, 1, 1}};
  const ash_order_run twice[] = {{0, 0, 2}, {0, 0, 2}, {1, 0, 2}};
  const ash_order_run other[] = {{2, 0, 1}};
  const ash_order_run ends[] = {{0, 0, 2}, {1, 0, 1}};
  const ash_order_run beyond[] = {{0, 0, 3}};
  CHECK(strstr(ash_order_count(ctx, &load, &w.p, early, 3), "before"));
  CHECK(strstr(ash_order_count(ctx, &load, &w.p, skips, 2), "next"));
  CHECK(strstr(ash_order_count(ctx, &load, &w.p, twice, 3), "next"));
  CHECK(strstr(ash_order_count(ctx, &load, &w.p, other, 1), "next"));
  CHECK(strstr(ash_order_count(ctx, &load, &w.p, ends, 2), "missing"));
  CHECK(strstr(ash_order_count(ctx, &load, &w.p, beyond, 1), "next"));
  ash_ctx_free(ctx);
}

static void memory_that_runs_out_is_reported(void) {
  ash_rng rng = {11};
  order_world w;
  world_random(&w, &rng, 5, 4);
  for (size_t fail_at = 1;; fail_at++) {
    faulty f = {.fail_at = fail_at};
    const ash_allocator mem = faulty_allocator(&f);
    ash_ctx *ctx;
    ash_order_answer a;
    if (ash_ctx_new(&ctx, &mem) != ASH_OK)
      continue;
    const ash_status status = ash_order_best(ctx, &a, &w.p, NULL);
    ash_ctx_free(ctx);
    CHECK_EQ(f.live_bytes, 0);
    if (status == ASH_OK && f.calls < fail_at)
      return;
    CHECK(status == ASH_OK || status == ASH_NOMEM);
  }
}

#define TESTS(X)                                                               \
  X(the_counter_counts_by_hand)                                                \
  X(the_counter_refuses_what_is_not_an_order)                                  \
  X(all_small_chains_are_optimal)                                              \
  X(all_small_graphs_are_optimal)                                              \
  X(random_graphs_are_optimal)                                                 \
  X(whole_operators_are_ordered_too)                                           \
  X(the_same_problem_has_the_same_answer)                                      \
  X(more_ticks_are_never_worse)                                                \
  X(little_memory_for_states_keeps_the_bound_true)                             \
  X(smoothing_lowers_the_load_on_the_way)                                      \
  X(joining_makes_fewer_runs)                                                  \
  X(joining_keeps_both_caps)                                                   \
  X(joining_puts_off_what_waits)                                               \
  X(memory_that_runs_out_is_reported)
TEST_MAIN(TESTS)
