/* test_place.c - the packing solver's contract: validation, verdicts, bounds,
 * witnesses, alignment, fixed offsets, gaps, relations, and its checker. */
#include "ashlar/place.h"
#include "base/ctx.h"
#include "check.h"
#include "context.h"

static ash_buffer buffer(int64_t lower, int64_t upper, uint64_t size) {
  return (ash_buffer){.lower = lower,
                      .upper = upper,
                      .size = size,
                      .offset = ASH_FREE_OFFSET,
                      .hint = ASH_FREE_OFFSET};
}

static ash_place_result solve(ash_ctx *ctx, const ash_buffer *buffers,
                              size_t count, uint64_t capacity) {
  const ash_place_problem p = {
      .buffers = buffers, .buffer_count = count, .capacity = capacity};
  ash_place_result r;
  CHECK_EQ(ash_place(ctx, &r, &p, NULL), ASH_OK);
  return r;
}

static void nothing_to_place_is_optimal(void) {
  ash_ctx *ctx = new_ctx();
  const ash_place_result r = solve(ctx, NULL, 0, 0);
  CHECK_EQ(r.verdict, ASH_OPTIMAL);
  CHECK_EQ(r.height, 0);
  ash_ctx_free(ctx);
}

static void buffers_that_never_meet_share_their_bytes(void) {
  ash_ctx *ctx = new_ctx();
  const ash_buffer b[] = {buffer(0, 2, 8), buffer(2, 4, 8), buffer(1, 3, 4)};
  const ash_place_result r = solve(ctx, b, 3, 0);
  CHECK_EQ(r.verdict, ASH_OPTIMAL);
  CHECK_EQ(r.reason, ASH_REASON_BOUND_MET);
  CHECK_EQ(r.height, 12);
  CHECK_EQ(r.lower_bound, 12);
  CHECK_EQ(r.witness_count, 2);
  CHECK_EQ(r.witness_time, 1);
  ash_ctx_free(ctx);
}

static void a_capacity_below_the_load_is_infeasible(void) {
  ash_ctx *ctx = new_ctx();
  const ash_buffer b[] = {buffer(0, 2, 8), buffer(0, 2, 8)};
  const ash_place_result r = solve(ctx, b, 2, 15);
  CHECK_EQ(r.verdict, ASH_INFEASIBLE);
  CHECK_EQ(r.reason, ASH_REASON_OVER_CAPACITY);
  CHECK(r.offsets == NULL);
  ash_ctx_free(ctx);
}

static void empty_buffers_take_no_room(void) {
  ash_ctx *ctx = new_ctx();
  const ash_buffer b[] = {buffer(0, 2, 0), buffer(1, 1, 100), buffer(0, 2, 4)};
  const ash_place_result r = solve(ctx, b, 3, 4);
  CHECK_EQ(r.verdict, ASH_OPTIMAL);
  CHECK_EQ(r.height, 4);
  ash_ctx_free(ctx);
}

static void alignment_raises_the_bound(void) {
  ash_ctx *ctx = new_ctx();
  ash_buffer b[] = {buffer(0, 2, 10), buffer(0, 2, 20)};
  b[0].alignment = b[1].alignment = 16;
  const ash_place_result r = solve(ctx, b, 2, 0);
  CHECK_EQ(r.verdict, ASH_OPTIMAL);
  CHECK_EQ(r.height, 36);
  ash_ctx_free(ctx);
}

static void fixed_offsets_stay(void) {
  ash_ctx *ctx = new_ctx();
  ash_buffer b[] = {buffer(0, 2, 10), buffer(0, 2, 4)};
  b[0].offset = 6;
  const ash_place_result r = solve(ctx, b, 2, 0);
  CHECK_EQ(r.verdict, ASH_OPTIMAL);
  CHECK_EQ(r.height, 16);
  CHECK_EQ(r.offsets[0], 6);
  CHECK_EQ(r.offsets[1], 0);
  ash_ctx_free(ctx);
}

static void fixed_buffers_that_collide_are_infeasible(void) {
  ash_ctx *ctx = new_ctx();
  ash_buffer b[] = {buffer(0, 2, 10), buffer(1, 2, 4)};
  b[0].offset = 6;
  b[1].offset = 12;
  CHECK_EQ(solve(ctx, b, 2, 0).verdict, ASH_INFEASIBLE);
  ash_ctx_free(ctx);
}

static void gaps_leave_room(void) {
  ash_ctx *ctx = new_ctx();
  const ash_gap gap = {.lower = 2, .upper = 6};
  ash_buffer b[] = {buffer(0, 8, 10), buffer(2, 6, 10)};
  b[0].gaps = &gap;
  b[0].gap_count = 1;
  const ash_place_result r = solve(ctx, b, 2, 0);
  CHECK_EQ(r.verdict, ASH_OPTIMAL);
  CHECK_EQ(r.height, 10);
  ash_ctx_free(ctx);
}

static void tied_buffers_move_together(void) {
  ash_ctx *ctx = new_ctx();
  const ash_buffer b[] = {buffer(0, 4, 10), buffer(2, 6, 10), buffer(0, 6, 3)};
  const ash_relation rel[] = {{ASH_SAME_OFFSET, 0, 1, 0}};
  const ash_place_problem p = {
      .buffers = b, .buffer_count = 3, .relations = rel, .relation_count = 1};
  ash_place_result r;
  CHECK_EQ(ash_place(ctx, &r, &p, NULL), ASH_OK);
  CHECK_EQ(r.verdict, ASH_OPTIMAL);
  CHECK_EQ(r.height, 13);
  CHECK_EQ(r.offsets[0], r.offsets[1]);
  ash_ctx_free(ctx);
}

static void a_reader_may_run_ahead_of_its_writer(void) {
  ash_ctx *ctx = new_ctx();
  const ash_buffer b[] = {buffer(0, 2, 10), buffer(1, 3, 10)};
  const ash_relation rel[] = {{ASH_MAY_OVERLAP, 0, 1, 2}};
  const ash_place_problem p = {
      .buffers = b, .buffer_count = 2, .relations = rel, .relation_count = 1};
  ash_place_result r;
  CHECK_EQ(ash_place(ctx, &r, &p, NULL), ASH_OK);
  CHECK_EQ(r.lower_bound, 12);
  CHECK(r.offsets != NULL);
  ash_ctx_free(ctx);
}

static ash_status solve_status(ash_ctx *ctx, ash_buffer b) {
  const ash_place_problem p = {.buffers = &b, .buffer_count = 1};
  ash_place_result r;
  return ash_place(ctx, &r, &p, NULL);
}

static void senseless_buffers_are_named(void) {
  ash_ctx *ctx = new_ctx();
  CHECK_EQ(solve_status(ctx, buffer(3, 2, 1)), ASH_MALFORMED);
  CHECK_EQ(solve_status(ctx, buffer(0, 2, UINT64_MAX)), ASH_LIMIT);
  ash_buffer b = buffer(0, 2, 1);
  b.offset = -1;
  CHECK_EQ(solve_status(ctx, b), ASH_MALFORMED);
  const ash_gap outside = {.lower = 1, .upper = 3};
  b = buffer(0, 2, 1);
  b.gaps = &outside;
  b.gap_count = 1;
  CHECK_EQ(solve_status(ctx, b), ASH_MALFORMED);
  size_t count;
  const ash_diag *diags = ash_ctx_diags(ctx, &count);
  CHECK_EQ(count, 4);
  CHECK_EQ(diags[0].loc.tensor, 0);
  ash_ctx_free(ctx);
}

/* The first placement that fits is enough, but there must be one: also of parts
 * that would fit stacked, while nothing of them is placed yet. */
static void a_capacity_above_the_optimum_is_met(void) {
  ash_ctx *ctx = new_ctx();
  ash_buffer b[] = {buffer(1, 3, 6), buffer(1, 2, 4), buffer(1, 2, 3),
                    buffer(0, 1, 3)};
  b[3].alignment = 4;
  const ash_relation inside = {ASH_INSIDE, 0, 2, 0};
  for (uint64_t capacity = 10; capacity <= 13; capacity++) {
    const ash_place_problem p = {.buffers = b,
                                 .buffer_count = 4,
                                 .relations = &inside,
                                 .relation_count = 1,
                                 .capacity = capacity};
    ash_place_result r;
    CHECK_EQ(ash_place(ctx, &r, &p, NULL), ASH_OK);
    CHECK(r.offsets != NULL);
    CHECK(r.height <= capacity);
  }
  ash_ctx_free(ctx);
}

static void the_checker_rejects_what_is_wrong(void) {
  ash_ctx *ctx = new_ctx();
  ash_buffer b[] = {buffer(0, 4, 10), buffer(2, 6, 10)};
  const ash_relation rel = {ASH_INSIDE, 0, 1, 0};
  ash_place_problem p = {.buffers = b, .buffer_count = 2};
  uint64_t height;
  const int64_t apart[] = {0, 10}, together[] = {0, 0}, low[] = {-1, 10},
                shifted[] = {0, 1};
  CHECK_EQ(ash_place_check(ctx, &height, &p, apart), ASH_OK);
  CHECK_EQ(height, 20);
  CHECK_EQ(ash_place_check(ctx, &height, &p, together), ASH_MALFORMED);
  CHECK_EQ(ash_place_check(ctx, &height, &p, low), ASH_MALFORMED);
  p.relations = &rel;
  p.relation_count = 1;
  CHECK_EQ(ash_place_check(ctx, &height, &p, together), ASH_OK);
  CHECK_EQ(ash_place_check(ctx, &height, &p, shifted), ASH_MALFORMED);
  p.capacity = 9;
  CHECK_EQ(ash_place_check(ctx, &height, &p, together), ASH_MALFORMED);
  ash_ctx_free(ctx);
}

/* ---- the checker ---------------------------------------------------------
 */

/* What it says of offsets: ASH_OK, or the id of the diagnostic. */
static uint32_t judged(const ash_place_problem *p, const int64_t *offsets) {
  ash_ctx *ctx = new_ctx();
  uint64_t height;
  size_t count;
  const ash_status status = ash_place_check(ctx, &height, p, offsets);
  const ash_diag *diags = ash_ctx_diags(ctx, &count);
  CHECK_EQ(status != ASH_OK, count > 0);
  const uint32_t id = count ? diags[count - 1].id : 0;
  ash_ctx_free(ctx);
  return id;
}

static void offsets_that_no_buffer_may_have(void) {
  ash_buffer b = buffer(0, 4, 10);
  const ash_place_problem p = {.buffers = &b, .buffer_count = 1};
  const int64_t eight = 8, last = INT64_MAX - 10, far = INT64_MAX - 9;
  CHECK_EQ(judged(&p, &eight), 0);
  CHECK_EQ(judged(&p, &last), 0);
  CHECK_EQ(judged(&p, &far), ASH_D_place_misplaced);
  b.alignment = 16;
  CHECK_EQ(judged(&p, &eight), ASH_D_place_misplaced);
  b.alignment = 8;
  CHECK_EQ(judged(&p, &eight), 0);
  b.offset = 16;
  CHECK_EQ(judged(&p, &eight), ASH_D_place_misplaced);
  b.offset = 8;
  CHECK_EQ(judged(&p, &eight), 0);
}

static void more_buffers_than_can_be_counted(void) {
  const ash_buffer b = buffer(0, 4, 10);
  const ash_place_problem p = {.buffers = &b, .buffer_count = UINT32_MAX};
  const int64_t zero = 0;
  CHECK_EQ(judged(&p, &zero), ASH_D_place_limit);
}

/* Two buffers at two offsets under one relation. */
static uint32_t related(ash_relation r, int64_t first, int64_t second) {
  const ash_buffer b[] = {buffer(0, 4, 10), buffer(2, 6, 6)};
  const ash_place_problem p = {
      .buffers = b, .buffer_count = 2, .relations = &r, .relation_count = 1};
  return judged(&p, (const int64_t[]){first, second});
}

static void relations_that_do_not_hold(void) {
  const ash_relation same = {ASH_SAME_OFFSET, 0, 1, 0},
                     tied = {ASH_FIXED_DISTANCE, 0, 1, 3},
                     inside = {ASH_INSIDE, 0, 1, 0};
  CHECK_EQ(related(same, 4, 4), 0);
  CHECK_EQ(related(same, 4, 20), ASH_D_place_misplaced);
  CHECK_EQ(related(tied, 4, 7), 0);
  CHECK_EQ(related(tied, 4, 1), ASH_D_place_misplaced);
  CHECK_EQ(related(inside, 4, 8), 0);
  CHECK_EQ(related(inside, 4, 9), ASH_D_place_misplaced);
  CHECK_EQ(related(inside, 4, 3), ASH_D_place_misplaced);
  CHECK_EQ(related((ash_relation){ASH_INSIDE, 2, 0, 0}, 0, 0),
           ASH_D_place_relation);
  CHECK_EQ(related((ash_relation){ASH_INSIDE, 0, 2, 0}, 0, 0),
           ASH_D_place_relation);
  CHECK_EQ(related((ash_relation){(ash_relation_kind)9, 0, 1, 0}, 0, 20),
           ASH_D_place_misplaced);
}

/* The first of the relation may begin that far behind the second, or further;
 * whoever of the two is born first. */
static void distances_that_are_not_kept(void) {
  for (uint32_t first = 0; first < 2; first++) {
    const ash_relation r = {ASH_MAY_OVERLAP, first, 1 - first, 2};
    CHECK_EQ(related(r, first ? 4 : 6, first ? 6 : 4), 0);
    CHECK_EQ(related(r, first ? 4 : 5, first ? 5 : 4), ASH_D_place_overlap);
  }
}

/* 0 holds 1, which holds 2; 3 is in 0, too, and in nobody's way but 2's. */
static void what_is_inside_may_overlap_its_hosts_alone(void) {
  const ash_buffer b[] = {buffer(0, 8, 32), buffer(0, 8, 16), buffer(0, 8, 8),
                          buffer(0, 8, 4)};
  const ash_relation rel[] = {
      {ASH_INSIDE, 0, 1, 0}, {ASH_INSIDE, 1, 2, 0}, {ASH_INSIDE, 0, 3, 0}};
  const ash_place_problem p = {
      .buffers = b, .buffer_count = 4, .relations = rel, .relation_count = 3};
  CHECK_EQ(judged(&p, (const int64_t[]){0, 0, 0, 16}), 0);
  CHECK_EQ(judged(&p, (const int64_t[]){0, 0, 0, 12}), ASH_D_place_overlap);
  CHECK_EQ(judged(&p, (const int64_t[]){0, 0, 8, 4}), ASH_D_place_overlap);
}

/* Nothing is added to what a caller says before it is known to be small. */
static void numbers_that_no_sum_may_meet(void) {
  const ash_gap wide = {.lower = 1, .upper = 2, .window_hi = UINT64_MAX},
                turned = {.lower = 1, .upper = 2, .window_lo = 4};
  ash_buffer b[] = {buffer(0, 4, 10), buffer(3, 3, INT64_MAX),
                    buffer(0, 4, 10)};
  const ash_place_problem p = {.buffers = b, .buffer_count = 3};
  const int64_t far[] = {0, INT64_MAX, 5}, apart[] = {0, INT64_MAX, 10};
  CHECK_EQ(judged(&p, far), ASH_D_place_overlap);
  CHECK_EQ(judged(&p, apart), 0);
  const ash_relation distant = {ASH_MAY_OVERLAP, 0, 1, INT64_MAX};
  CHECK_EQ(related(distant, 4, 6), ASH_D_place_overlap);
  b[0].gap_count = 1;
  CHECK_EQ(judged(&p, apart), ASH_D_place_gap);
  b[0].gaps = &wide;
  CHECK_EQ(judged(&p, apart), ASH_D_place_gap);
  b[0].gaps = &turned;
  CHECK_EQ(judged(&p, apart), ASH_D_place_gap);
}

/* Overlaps that begin with the lives, when a gap ends and when one begins. */
static void overlaps_that_begin_at_a_gap(void) {
  const ash_gap empty = {.lower = 2, .upper = 4};
  const ash_gap parts[] = {
      {.lower = 2, .upper = 4, .window_lo = 0, .window_hi = 2},
      {.lower = 4, .upper = 6, .window_lo = 8, .window_hi = 10}};
  ash_buffer b[] = {buffer(0, 8, 10), buffer(2, 4, 10)};
  const ash_place_problem p = {.buffers = b, .buffer_count = 2};
  const int64_t same[] = {0, 0}, above[] = {0, 4};
  b[0].gaps = &empty;
  b[0].gap_count = 1;
  CHECK_EQ(judged(&p, same), 0);
  b[1].upper = 5;
  CHECK_EQ(judged(&p, same), ASH_D_place_overlap);
  b[0].gaps = parts;
  b[0].gap_count = 2;
  b[1].upper = 4;
  CHECK_EQ(judged(&p, above), 0);
  b[1].upper = 5;
  CHECK_EQ(judged(&p, above), ASH_D_place_overlap);
}

#define TESTS(X)                                                               \
  X(nothing_to_place_is_optimal)                                               \
  X(buffers_that_never_meet_share_their_bytes)                                 \
  X(a_capacity_below_the_load_is_infeasible)                                   \
  X(empty_buffers_take_no_room)                                                \
  X(alignment_raises_the_bound)                                                \
  X(fixed_offsets_stay)                                                        \
  X(fixed_buffers_that_collide_are_infeasible)                                 \
  X(gaps_leave_room)                                                           \
  X(tied_buffers_move_together)                                                \
  X(a_reader_may_run_ahead_of_its_writer)                                      \
  X(senseless_buffers_are_named)                                               \
  X(a_capacity_above_the_optimum_is_met)                                       \
  X(the_checker_rejects_what_is_wrong)                                         \
  X(offsets_that_no_buffer_may_have)                                           \
  X(more_buffers_than_can_be_counted)                                          \
  X(relations_that_do_not_hold)                                                \
  X(distances_that_are_not_kept)                                               \
  X(what_is_inside_may_overlap_its_hosts_alone)                                \
  X(numbers_that_no_sum_may_meet)                                              \
  X(overlaps_that_begin_at_a_gap)
TEST_MAIN(TESTS)
