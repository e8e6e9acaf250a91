/* test_rows.c - right plans with rows, made the naive way, and spoilt in many
 * ways: the checker refuses each and says what is wrong. */
#include "ashlar/report.h"
#include "loaded.h"
#include "pass/pass.h"
#include "plan/file/residency.h"
#include "plan_net.h"
#include "row_plan.h"

/* x -> pool -> A -> relu -> B -> pool -> C -> as one row V -> relu -> OUT */
enum { X, A, B, C, V, OUT, TENSORS };

typedef struct world {
  net n;
  uint32_t tensor[TENSORS], op[TENSORS]; /* that makes it */
  row_plan p;
} world;

static uint32_t image(net *n, int32_t rows, int32_t columns) {
  const ash_tensor t = {.name = "t",
                        .kind = ASH_TENSOR_ACTIVATION,
                        .type = ASH_INT8,
                        .shape = NET_DIMS(1, rows, columns, 4)};
  return net_tensor(n, t, 1, 0);
}

static void pool(net *n, uint32_t x, uint32_t y, int filter, int stride,
                 int pad) {
  const uint32_t op = net_op(n, ASH_OP_max_pool_2d, NET_IDS(x), y);
  net_int(n, op, "filter_h", filter);
  net_int(n, op, "filter_w", filter);
  net_int(n, op, "stride_h", stride);
  net_int(n, op, "stride_w", stride);
  net_int(n, op, "pad_top", pad);
  net_int(n, op, "pad_bottom", pad);
  net_int(n, op, "pad_left", pad);
  net_int(n, op, "pad_right", pad);
}

/* Up to tensor `last`, which is the output. */
static world world_of(int last, row_plan_ask ask) {
  world w = {.n = net_new()};
  uint32_t *t = w.tensor;
  t[X] = net_input(&w.n, ASH_INT8, NET_DIMS(1, 8, 6, 4), 1, 0);
  t[A] = image(&w.n, 8, 6);
  pool(&w.n, t[X], t[A], 3, 1, 1);
  t[B] = image(&w.n, 8, 6);
  net_op(&w.n, ASH_FN_ROW(relu), NET_IDS(t[A]), t[B]);
  if (last > B) {
    t[C] = image(&w.n, 4, 3);
    pool(&w.n, t[B], t[C], 2, 2, 0);
    t[V] = net_result(&w.n, ASH_INT8, NET_DIMS(1, 48), 1, 0);
    net_op(&w.n, ASH_OP_reshape, NET_IDS(t[C]), t[V]);
    w.n.g->tensors.items[t[V]].is_output = false;
    t[OUT] = net_result(&w.n, ASH_INT8, NET_DIMS(1, 48), 1, 0);
    net_op(&w.n, ASH_FN_ROW(relu), NET_IDS(t[V]), t[OUT]);
  }
  row_end(&w.n, t[last]);
  for (uint32_t op = 0; op < w.n.g->op_count; op++)
    w.op[op + 1] = op;
  w.p = row_plan_of(w.n.ctx, w.n.g, small_device(&w.n), &ask);
  return w;
}

static world plain(void) {
  return world_of(OUT, (row_plan_ask){0});
}

static ash_slot *slot(world *w, int which, uint32_t row) {
  return row_plan_slot(&w->p, w->tensor[which], row);
}

static uint32_t index_of(const world *w, const ash_slot *s) {
  return (uint32_t)(s - w->p.slots);
}

static uint32_t step(const world *w, int which, uint32_t row) {
  return row_plan_step(&w->p, w->op[which], row);
}

static void accepted(world *w) {
  const ash_status status = row_plan_check(&w->p);
  if (status != ASH_OK)
    print_newest(w->n.ctx);
  CHECK_EQ(status, ASH_OK);
  net_free(&w->n);
}

static void refused(world *w, uint32_t id) {
  CHECK_EQ(row_plan_check(&w->p), ASH_INTERNAL);
  if (last_diag(&w->n)->id != id)
    print_newest(w->n.ctx);
  CHECK_EQ(last_diag(&w->n)->id, id);
  net_free(&w->n);
}

static void swap(world *w, uint32_t a, uint32_t b) {
  const ash_step s = w->p.steps[a];
  w->p.steps[a] = w->p.steps[b];
  w->p.steps[b] = s;
}

static void drop_step(world *w, uint32_t at) {
  w->p.plan.steps.count--;
  memmove(&w->p.steps[at], &w->p.steps[at + 1],
          (w->p.plan.steps.count - at) * sizeof(ash_step));
  for (uint32_t i = 0; i < w->p.plan.slot_count; i++) {
    ash_lifetime *l = &w->p.slots[i].life;
    if (l->end_step > w->p.plan.steps.count)
      l->end_step = w->p.plan.steps.count;
    if (l->first_step == l->end_step)
      l->first_step--;
  }
}

/* `s` claims to share the storage of `of`, and lies there. */
static void claim(world *w, ash_slot *s, ash_slot *of) {
  s->alias_of = index_of(w, of);
  s->alias_kind = ASH_ALIAS_IN_PLACE;
  s->binding.offset = of->binding.offset;
  if (s->life.first_step < of->life.first_step)
    of->life.first_step = s->life.first_step;
  if (s->life.end_step > of->life.end_step)
    of->life.end_step = s->life.end_step;
}

/* ---- right plans --------------------------------------------------------- */

static void right_plans_pass(void) {
  for (int bits = 0; bits < 8; bits++) {
    world w = world_of(bits & 4 ? B : OUT,
                       (row_plan_ask){.fed = bits & 1, .reuse = bits & 2});
    accepted(&w);
  }
}

static void work_memory_may_be_used_between_the_runs(void) {
  world w = world_of(OUT, (row_plan_ask){.work = 24});
  ash_slot *work = &w.p.slots[w.p.plan.slot_count - 1];
  CHECK_EQ(work->kind, ASH_SLOT_WORK);
  CHECK_EQ(work->op, w.op[A]);
  CHECK(work->life.end_step > slot(&w, OUT, 0)->life.first_step);
  work->binding.offset = slot(&w, OUT, 0)->binding.offset;
  accepted(&w);
}

static void an_element_wise_result_may_take_a_dying_row(void) {
  world w = plain();
  for (uint32_t r = 0; r < 8; r++)
    claim(&w, slot(&w, B, r), slot(&w, A, r));
  accepted(&w);
}

static void a_row_may_be_moved(void) {
  world w = plain();
  row_plan_move(&w.p, w.tensor[B], 0, step(&w, B, 1));
  accepted(&w);
}

/* Both rows slide up by half a row: the second one's place is free once the
 * first has gone. */
static void rows_may_be_moved_over_places_just_left(void) {
  world w = world_of(OUT, (row_plan_ask){0});
  const uint32_t at = step(&w, C, 0);
  ash_slot *to = row_plan_move(&w.p, w.tensor[B], 0, at);
  ash_slot *next = row_plan_move(&w.p, w.tensor[B], 1, at);
  to->binding.offset += 16;
  next->binding.offset = slot(&w, B, 1)->binding.offset - 8;
  CHECK(next->binding.offset < slot(&w, B, 0)->binding.offset + next->size);
  accepted(&w);
}

/* Row 1 of A lies over row 0 of X, which dies with it, and begins `by` bytes
 * before it. */
static world lying_over(uint64_t by) {
  world w = world_of(B, (row_plan_ask){.fed = true});
  ash_slot *x = slot(&w, X, 0), *a = slot(&w, A, 1);
  x->binding.offset = w.p.arenas[0].size + 32;
  w.p.arenas[0].size += 64;
  a->binding.offset = x->binding.offset - by;
  a->follows = index_of(&w, x);
  return w;
}

static void a_row_may_lie_over_one_that_dies_with_it(void) {
  for (uint64_t by = 8; by < 24; by++) {
    world w = lying_over(by);
    accepted(&w);
  }
}

/* So may the last one, behind which none reads on. */
static void the_last_row_may_lie_over_one_that_dies_with_it(void) {
  world w = world_of(B, (row_plan_ask){.fed = true});
  ash_slot *x = slot(&w, X, 7), *a = slot(&w, A, 7);
  x->binding.offset = w.p.arenas[0].size + 32;
  w.p.arenas[0].size += 64;
  a->binding.offset = x->binding.offset - 8;
  a->follows = index_of(&w, x);
  accepted(&w);
}

static void a_drained_output_need_not_be_kept(void) {
  static const bool drained[] = {true};
  world w = world_of(B, (row_plan_ask){0});
  for (uint32_t r = 0; r < 8; r++)
    slot(&w, B, r)->life.end_step = slot(&w, B, r)->life.first_step + 1;
  w.p.plan.is_drained = drained;
  w.p.plan.order.peak = 0; /* that of an order that keeps it is higher */
  accepted(&w);
}

/* ---- rows as a table ----------------------------------------------------- */

static void rows_that_are_not_in_order(void) {
  world w = plain();
  slot(&w, B, 2)->row = 3;
  refused(&w, ASH_D_plan_rows);
}

static void a_row_without_a_slot(void) {
  world w = world_of(B, (row_plan_ask){0});
  const uint32_t at = index_of(&w, slot(&w, B, 7));
  w.p.plan.slot_count--;
  memmove(&w.p.slots[at], &w.p.slots[at + 1],
          (w.p.plan.slot_count - at) * sizeof(ash_slot));
  refused(&w, ASH_D_plan_rows);
}

static void a_tensor_in_rows_and_whole(void) {
  world w = plain();
  slot(&w, B, 2)->has_row = false;
  refused(&w, ASH_D_plan_duplicate);
}

static void a_run_into_a_whole_tensor(void) {
  world w = world_of(B, (row_plan_ask){0});
  ash_slot *s = slot(&w, B, 0);
  const uint32_t at = index_of(&w, s);
  s->has_row = false;
  s->size *= 8;
  w.p.plan.slot_count -= 7;
  memmove(s + 1, s + 8, (w.p.plan.slot_count - at - 1) * sizeof(ash_slot));
  refused(&w, ASH_D_plan_rows);
}

static void a_slot_longer_than_a_row(void) {
  world w = plain();
  slot(&w, B, 7)->size -= 4;
  refused(&w, ASH_D_plan_row_size);
}

static void all_slots_shorter_than_a_row(void) {
  world w = plain();
  for (uint32_t r = 0; r < 8; r++)
    slot(&w, B, r)->size -= 4;
  refused(&w, ASH_D_plan_row_size);
}

static void a_row_in_another_memory(void) {
  world w = plain();
  for (uint32_t i = w.p.plan.arena_count++; i > 0; i--)
    w.p.arenas[i] = w.p.arenas[i - 1];
  w.p.arenas[1].memory = w.p.arenas[1].source_memory = "SLOW";
  ash_binding *b = &slot(&w, B, 3)->binding;
  b->memory = b->source_memory = "SLOW";
  refused(&w, ASH_D_plan_row_memory);
}

static void a_row_between_two_units(void) {
  world w = plain();
  w.p.arenas[0].size = 100000;
  slot(&w, B, 3)->binding.offset = 90001;
  refused(&w, ASH_D_plan_row_unit);
}

static void rows_that_share_bytes(void) {
  world w = plain();
  slot(&w, B, 1)->binding.offset = slot(&w, B, 0)->binding.offset;
  refused(&w, ASH_D_plan_overlap);
}

static void a_life_that_misses_a_use(void) {
  world w = plain();
  slot(&w, B, 0)->life.end_step--;
  refused(&w, ASH_D_plan_lifetime);
}

/* ---- one piece ----------------------------------------------------------- */

static void an_input_in_two_pieces(void) {
  world w = plain();
  slot(&w, X, 7)->binding.offset = w.p.arenas[0].size;
  w.p.arenas[0].size += 64;
  refused(&w, ASH_D_plan_row_pieces);
}

static void an_output_in_two_pieces(void) {
  world w = world_of(B, (row_plan_ask){0});
  slot(&w, B, 3)->binding.offset = w.p.arenas[0].size;
  w.p.arenas[0].size += 64;
  refused(&w, ASH_D_plan_row_pieces);
}

static void a_view_of_two_pieces(void) {
  world w = plain();
  slot(&w, C, 3)->binding.offset = w.p.arenas[0].size;
  w.p.arenas[0].size += 64;
  refused(&w, ASH_D_plan_row_view);
}

static void a_view_beside_its_bytes(void) {
  world w = plain();
  slot(&w, V, 0)->binding.offset += 12;
  refused(&w, ASH_D_plan_row_view);
}

/* ---- runs ---------------------------------------------------------------- */

static void a_row_read_before_it_is_made(void) {
  world w = plain();
  swap(&w, step(&w, A, 0), step(&w, B, 0));
  refused(&w, ASH_D_plan_row_unmade);
}

/* The window reaches one row further down than what is there. */
static void a_window_of_which_a_row_is_missing(void) {
  world w = plain();
  const uint32_t a = step(&w, B, 1), b = step(&w, C, 0);
  swap(&w, a, b);
  refused(&w, ASH_D_plan_row_unmade);
}

static void a_row_overwritten_while_it_is_needed(void) {
  world w = plain();
  claim(&w, slot(&w, A, 1), slot(&w, B, 0));
  refused(&w, ASH_D_plan_row_overwritten);
}

static void a_window_that_writes_over_what_it_reads(void) {
  world w = plain();
  claim(&w, slot(&w, A, 2), slot(&w, X, 2));
  refused(&w, ASH_D_plan_self_overlap);
}

static void a_row_that_overtakes_what_is_read(void) {
  for (uint64_t by = 0; by < 8; by++) {
    world w = lying_over(by);
    refused(&w, ASH_D_plan_self_overlap);
  }
}

static void a_row_over_another_without_a_word(void) {
  world w = lying_over(8);
  slot(&w, A, 1)->follows = ASH_NO_ID;
  refused(&w, ASH_D_plan_overlap);
}

static void a_row_that_lies_over_one_needed_later(void) {
  world w = lying_over(8);
  slot(&w, A, 0)->binding.offset = slot(&w, A, 1)->binding.offset;
  slot(&w, A, 0)->follows = slot(&w, A, 1)->follows;
  slot(&w, A, 1)->follows = ASH_NO_ID;
  refused(&w, ASH_D_plan_overlap);
}

/* Even if it says that the row dies earlier. */
static void a_row_over_one_whose_life_is_cut(void) {
  world w = lying_over(8);
  slot(&w, X, 0)->life.end_step = slot(&w, A, 0)->life.first_step + 1;
  slot(&w, A, 0)->binding.offset = slot(&w, A, 1)->binding.offset;
  slot(&w, A, 0)->follows = slot(&w, A, 1)->follows;
  slot(&w, A, 1)->binding.offset = w.p.arenas[0].size;
  slot(&w, A, 1)->follows = ASH_NO_ID;
  w.p.arenas[0].size += 32;
  refused(&w, ASH_D_plan_self_overlap);
}

static void two_rows_over_one(void) {
  world w = lying_over(8);
  slot(&w, B, 0)->follows = slot(&w, A, 1)->follows;
  refused(&w, ASH_D_plan_overlap);
}

static void a_row_over_one_by_a_kernel_for_vectors(void) {
  world w = lying_over(8);
  for (size_t i = 0; ash_kernel_at(i); i++)
    if (strcmp(ash_kernel_at(i)->name, "max_pool_2d_s8_mve") == 0)
      w.p.choices[w.op[A]].kernel = ash_kernel_at(i);
  refused(&w, ASH_D_plan_self_overlap);
}

static void a_run_that_is_missing(void) {
  world w = world_of(B, (row_plan_ask){0});
  drop_step(&w, step(&w, B, 7));
  refused(&w, ASH_D_plan_row_missing);
}

static void an_operator_that_never_runs(void) {
  world w = plain();
  drop_step(&w, step(&w, OUT, 0));
  refused(&w, ASH_D_plan_step_missing);
}

static void a_run_twice(void) {
  world w = plain();
  w.p.steps[step(&w, A, 1)].first_row = 0;
  refused(&w, ASH_D_plan_row_run);
}

static void runs_in_the_wrong_order(void) {
  world w = plain();
  swap(&w, step(&w, A, 3), step(&w, A, 4));
  refused(&w, ASH_D_plan_row_run);
}

static void a_run_beyond_the_last_row(void) {
  world w = plain();
  w.p.steps[step(&w, A, 7)].row_count = 2;
  refused(&w, ASH_D_plan_row_run);
}

static void a_run_of_what_has_no_rows(void) {
  world w = plain();
  w.p.steps[step(&w, OUT, 0)].row_count = 1;
  refused(&w, ASH_D_plan_row_rule);
}

static void an_operator_that_runs_whole_after_runs(void) {
  world w = plain();
  w.p.steps[step(&w, A, 3)].row_count = 0;
  w.p.steps[step(&w, A, 3)].first_row = 0;
  refused(&w, ASH_D_plan_step_twice);
}

static void work_memory_over_a_live_row(void) {
  world w = world_of(OUT, (row_plan_ask){.work = 24});
  ash_slot *work = &w.p.slots[w.p.plan.slot_count - 1];
  CHECK_EQ(work->kind, ASH_SLOT_WORK);
  work->binding.offset = slot(&w, X, 7)->binding.offset;
  refused(&w, ASH_D_plan_row_work);
}

static void work_memory_that_is_too_small(void) {
  world w = world_of(OUT, (row_plan_ask){.work = 24});
  w.p.slots[w.p.plan.slot_count - 1].size = 20;
  refused(&w, ASH_D_plan_work);
}

static void an_output_that_is_given_up(void) {
  world w = world_of(B, (row_plan_ask){0});
  slot(&w, B, 2)->life.end_step--;
  refused(&w, ASH_D_plan_row_output);
}

static void a_tensor_left_out(void) {
  world w = plain();
  const uint32_t at = index_of(&w, slot(&w, OUT, 0));
  w.p.plan.slot_count--;
  memmove(&w.p.slots[at], &w.p.slots[at + 1],
          (w.p.plan.slot_count - at) * sizeof(ash_slot));
  for (uint32_t i = 0; i < w.p.plan.slot_count; i++)
    if (w.p.slots[i].alias_of != ASH_NO_ID && w.p.slots[i].alias_of > at)
      w.p.slots[i].alias_of--;
  refused(&w, ASH_D_plan_missing);
}

/* ---- feeding ------------------------------------------------------------- */

static uint32_t feed_of(const world *w, uint32_t row) {
  for (uint32_t s = 0; s < w->p.plan.steps.count; s++)
    if (w->p.steps[s].op_count == 0 && w->p.steps[s].first_row == row)
      return s;
  CHECK(false);
  return 0;
}

static void a_row_that_arrives_too_late(void) {
  world w = world_of(OUT, (row_plan_ask){.fed = true});
  swap(&w, feed_of(&w, 1), step(&w, A, 0));
  refused(&w, ASH_D_plan_row_late);
}

static void a_row_that_arrives_out_of_turn(void) {
  world w = world_of(OUT, (row_plan_ask){.fed = true});
  w.p.steps[feed_of(&w, 1)].first_row = 2;
  refused(&w, ASH_D_plan_row_feed);
}

static void rows_of_something_else_arrive(void) {
  world w = world_of(OUT, (row_plan_ask){.fed = true});
  w.p.steps[feed_of(&w, 1)].input = w.tensor[A];
  refused(&w, ASH_D_plan_row_feed);
}

/* ---- moves --------------------------------------------------------------- */

static void a_row_moved_from_another(void) {
  world w = plain();
  ash_slot *to = row_plan_move(&w.p, w.tensor[B], 0, step(&w, B, 1));
  to->moved_from = index_of(&w, slot(&w, B, 1));
  refused(&w, ASH_D_plan_row_move);
}

static void a_row_that_is_nowhere_between_two_places(void) {
  world w = plain();
  ash_slot *to = row_plan_move(&w.p, w.tensor[B], 0, step(&w, B, 1));
  to->life.first_step++;
  refused(&w, ASH_D_plan_row_move);
}

static void a_move_that_comes_too_late(void) {
  world w = plain();
  const uint32_t at = step(&w, C, 0);
  row_plan_move(&w.p, w.tensor[B], 0, at);
  slot(&w, B, 1)->life.end_step = at;
  claim(&w, slot(&w, B, 1), slot(&w, B, 0));
  refused(&w, ASH_D_plan_row_move_lost);
}

static void a_move_over_a_live_row(void) {
  world w = plain();
  ash_slot *to = row_plan_move(&w.p, w.tensor[B], 0, step(&w, C, 0));
  to->binding.offset = slot(&w, B, 1)->binding.offset;
  refused(&w, ASH_D_plan_row_moved_over);
}

static void a_move_to_where_a_row_is_made(void) {
  world w = plain();
  ash_slot *to = row_plan_move(&w.p, w.tensor[B], 0, step(&w, B, 1));
  to->binding.offset = slot(&w, B, 1)->binding.offset;
  refused(&w, ASH_D_plan_row_moved_over);
}

/* As above, in the wrong order: the first copy spoils the source of the
 * second. */
static void moves_in_the_wrong_order(void) {
  world w = plain();
  const uint32_t at = step(&w, C, 0);
  ash_slot *next = row_plan_move(&w.p, w.tensor[B], 1, at);
  row_plan_move(&w.p, w.tensor[B], 0, at);
  next->binding.offset = slot(&w, B, 0)->binding.offset;
  refused(&w, ASH_D_plan_row_moved_over);
}

/* The first place is said to be the one that is read at the end. */
static void a_moved_row_that_is_read_where_it_was(void) {
  world w = plain();
  ash_slot *to = row_plan_move(&w.p, w.tensor[B], 0, step(&w, C, 0));
  slot(&w, B, 0)->life.end_step = to->life.end_step;
  refused(&w, ASH_D_plan_row_move);
}

/* What is made before the move takes the place that it copies from. */
static void a_move_whose_source_was_overwritten(void) {
  world w = plain();
  row_plan_move(&w.p, w.tensor[B], 0, step(&w, C, 0));
  slot(&w, B, 1)->binding.offset = slot(&w, B, 0)->binding.offset;
  refused(&w, ASH_D_plan_overlap);
}

/* The third place of a row is copied from the first. */
static void a_chain_of_places_that_is_broken(void) {
  world w = plain();
  ash_slot *first = slot(&w, B, 0);
  ash_slot *next = row_plan_move(&w.p, w.tensor[B], 0, step(&w, B, 1));
  ash_slot *last = row_plan_move(&w.p, w.tensor[B], 0, step(&w, C, 0));
  last->life.end_step = next->life.end_step;
  next->life.end_step = last->life.first_step;
  first->life.end_step = next->life.first_step;
  last->moved_from = index_of(&w, first);
  refused(&w, ASH_D_plan_row_move);
}

static void a_row_may_be_moved_twice(void) {
  world w = plain();
  ash_slot *first = slot(&w, B, 0);
  ash_slot *next = row_plan_move(&w.p, w.tensor[B], 0, step(&w, B, 1));
  ash_slot *last = row_plan_move(&w.p, w.tensor[B], 0, step(&w, C, 0));
  last->life.end_step = next->life.end_step;
  next->life.end_step = last->life.first_step;
  first->life.end_step = next->life.first_step;
  last->moved_from = index_of(&w, next);
  accepted(&w);
}

/* The caller finds the output in one piece. */
static void a_move_of_a_row_in_one_piece(void) {
  world w = world_of(B, (row_plan_ask){0});
  row_plan_move(&w.p, w.tensor[B], 0, step(&w, B, 1));
  refused(&w, ASH_D_plan_row_pieces);
}

/* .. and fills the input there. */
static void a_move_of_a_row_of_the_caller(void) {
  world w = plain();
  row_plan_move(&w.p, w.tensor[X], 3, step(&w, A, 1));
  refused(&w, ASH_D_plan_row_pieces);
}

static void two_moves_from_one_place(void) {
  world w = plain();
  row_plan_move(&w.p, w.tensor[B], 0, step(&w, B, 1));
  ash_slot *again = row_plan_move(&w.p, w.tensor[B], 0, step(&w, B, 1));
  again->life.end_step = step(&w, C, 0) + 1;
  refused(&w, ASH_D_plan_row_move);
}

/* ---- what has no rows in a plan with rows -------------------------------- */

static void a_row_that_the_tensor_does_not_have(void) {
  world w = plain();
  ash_slot *s = &w.p.slots[w.p.plan.slot_count++];
  *s = *slot(&w, B, 7);
  s->row = 8;
  s->binding.offset = w.p.arenas[0].size;
  w.p.arenas[0].size += 64;
  refused(&w, ASH_D_plan_rows);
}

static void a_whole_tensor_that_is_too_small(void) {
  world w = plain();
  slot(&w, OUT, 0)->size -= 8;
  refused(&w, ASH_D_plan_undersized);
}

static void a_row_of_floats_between_two_elements(void) {
  for (uint64_t by = 0; by < 8; by += 2) {
    world w = {.n = net_new()};
    ash_tensor t = {.name = "t",
                    .kind = ASH_TENSOR_ACTIVATION,
                    .type = ASH_FLOAT32,
                    .shape = NET_DIMS(1, 8, 6, 2)};
    w.tensor[X] = net_input(&w.n, ASH_FLOAT32, t.shape, 0, 0);
    w.tensor[A] = net_tensor(&w.n, t, 0, 0);
    w.tensor[B] = net_tensor(&w.n, t, 0, 0);
    net_op(&w.n, ASH_FN_ROW(relu), NET_IDS(w.tensor[X]), w.tensor[A]);
    net_op(&w.n, ASH_FN_ROW(exp), NET_IDS(w.tensor[A]), w.tensor[B]);
    row_end(&w.n, w.tensor[B]);
    w.p = row_plan_of(w.n.ctx, w.n.g, small_device(&w.n), &(row_plan_ask){0});
    for (uint32_t r = 0; r < 8; r++)
      slot(&w, A, r)->alignment = 1;
    slot(&w, A, 3)->binding.offset = w.p.arenas[0].size + by;
    w.p.arenas[0].size += 128;
    if (by % 4 == 0)
      accepted(&w);
    else
      refused(&w, ASH_D_plan_element_misaligned);
  }
}

/* The arenas after the first one move up. */
static ash_arena *add_arena(world *w, ash_role role, const char *memory) {
  for (uint32_t i = w->p.plan.arena_count++; i > 0; i--)
    w->p.arenas[i] = w->p.arenas[i - 1];
  w->p.arenas[1].role = role;
  w->p.arenas[1].memory = w->p.arenas[1].source_memory = memory;
  return &w->p.arenas[1];
}

static void rows_that_outlive_the_run(void) {
  world w = plain();
  add_arena(&w, ASH_PERSISTENT, w.p.arenas[0].memory);
  for (uint32_t r = 0; r < 8; r++)
    slot(&w, B, r)->binding.role = ASH_PERSISTENT;
  refused(&w, ASH_D_plan_role);
}

static void a_view_in_another_memory(void) {
  world w = plain();
  add_arena(&w, ASH_SCRATCH, "SLOW");
  ash_binding *b = &slot(&w, V, 0)->binding;
  b->memory = b->source_memory = "SLOW";
  refused(&w, ASH_D_plan_row_view);
}

static void an_operator_that_does_not_exist(void) {
  static const uint32_t none[] = {4711};
  world w = plain();
  w.p.steps[step(&w, OUT, 0)].ops = none;
  refused(&w, ASH_D_plan_step_twice);
}

static void a_life_beyond_the_last_step(void) {
  world w = plain();
  slot(&w, OUT, 0)->life.end_step = w.p.plan.steps.count + 1;
  refused(&w, ASH_D_plan_lifetime);
}

/* A makes all its rows in one step, and B follows in rows. */
static world at_once(void) {
  world w = world_of(B, (row_plan_ask){0});
  for (uint32_t r = 7; r > 0; r--)
    drop_step(&w, step(&w, A, r));
  w.p.steps[step(&w, A, 0)].row_count = 0;
  for (uint32_t i = 0; i < w.p.plan.slot_count; i++)
    w.p.slots[i].life = (ash_lifetime){0, w.p.plan.steps.count};
  w.p.plan.order.peak = 0; /* that of another order */
  return w;
}

static void rows_may_be_made_at_once(void) {
  world w = at_once();
  accepted(&w);
}

static void rows_that_are_made_at_once_in_two_pieces(void) {
  world w = at_once();
  slot(&w, A, 3)->binding.offset = w.p.arenas[0].size;
  w.p.arenas[0].size += 64;
  refused(&w, ASH_D_plan_row_pieces);
}

/* ---- work memory --------------------------------------------------------- */

static ash_slot *work_of(world *w) {
  ash_slot *work = &w->p.slots[w->p.plan.slot_count - 1];
  CHECK_EQ(work->kind, ASH_SLOT_WORK);
  return work;
}

/* It says that it shares the bytes of a row, as nothing may. */
static void work_memory_in_a_row_of_its_operator(void) {
  static const int rows[] = {X, A};
  for (int i = 0; i < 2; i++) {
    world w = world_of(OUT, (row_plan_ask){.work = 24});
    ash_slot *work = work_of(&w), *row = slot(&w, rows[i], 0);
    work->alias_of = index_of(&w, row);
    work->binding = row->binding;
    refused(&w, ASH_D_plan_row_work);
  }
}

static void work_memory_that_lives_too_short(void) {
  for (int i = 0; i < 2; i++) {
    world w = world_of(OUT, (row_plan_ask){.work = 24});
    if (i)
      work_of(&w)->life.first_step = step(&w, A, 0) + 1;
    else
      work_of(&w)->life.end_step = step(&w, A, 7);
    refused(&w, ASH_D_plan_lifetime);
  }
}

static void work_memory_of_nobody(void) {
  world w = world_of(OUT, (row_plan_ask){.work = 24});
  work_of(&w)->op = ASH_NO_ID;
  refused(&w, ASH_D_plan_work);
}

static void work_memory_twice(void) {
  world w = world_of(OUT, (row_plan_ask){.work = 24});
  ash_slot *more = &w.p.slots[w.p.plan.slot_count++];
  *more = more[-1];
  more->id = "more";
  more->binding.offset = w.p.arenas[0].size;
  w.p.arenas[0].size += 64;
  refused(&w, ASH_D_plan_duplicate);
}

/* ---- variables ----------------------------------------------------------- */

/* Beside x -> pool -> relu: a variable gets z, after it was read. */
typedef struct memory_world {
  world w;
  uint32_t variable, read, late;
} memory_world;

static memory_world with_variable(void) {
  memory_world m = {.w = {.n = net_new()}};
  net *n = &m.w.n;
  uint32_t *t = m.w.tensor;
  t[X] = net_input(n, ASH_INT8, NET_DIMS(1, 8, 6, 4), 1, 0);
  const uint32_t z = row_input(n, 64);
  m.variable = row_variable(n, 64);
  t[A] = image(n, 8, 6);
  pool(n, t[X], t[A], 3, 1, 1);
  t[B] = image(n, 8, 6);
  net_op(n, ASH_FN_ROW(relu), NET_IDS(t[A]), t[B]);
  m.read = row_read(n, m.variable);
  const uint32_t sum = row_add(n, m.read, z);
  row_assign(n, m.variable, z);
  m.late = row_relu(n, sum);
  const uint32_t ends[] = {t[B], row_add(n, m.late, sum)};
  CHECK_EQ(ash_graph_set_outputs(n->g, ends, 2), ASH_OK);
  n->g->tensors.items[ends[0]].is_output = true;
  n->g->tensors.items[ends[1]].is_output = true;
  m.w.p = row_plan_of(n->ctx, n->g, small_device(n), &(row_plan_ask){0});
  return m;
}

/* `tensor` lies on the variable and says so. */
static void lay_on_variable(memory_world *m, uint32_t tensor) {
  ash_slot *s = row_plan_slot(&m->w.p, tensor, 0);
  const ash_slot *of = row_plan_slot(&m->w.p, m->variable, 0);
  s->alias_of = index_of(&m->w, of);
  s->alias_kind = ASH_ALIAS_VIEW;
  s->binding = of->binding;
  s->life = of->life;
  m->w.p.plan.order.peak = 0; /* that of longer lives */
}

static void variables_are_kept_beside_rows(void) {
  memory_world m = with_variable();
  accepted(&m.w);
  m = with_variable();
  lay_on_variable(&m, m.read);
  accepted(&m.w);
}

static void a_variable_that_is_lost_beside_rows(void) {
  memory_world m = with_variable();
  lay_on_variable(&m, m.late);
  refused(&m.w, ASH_D_plan_state_lost);
}

static void a_variable_without_a_place_beside_rows(void) {
  memory_world m = with_variable();
  const uint32_t at = index_of(&m.w, row_plan_slot(&m.w.p, m.variable, 0));
  m.w.p.plan.slot_count--;
  memmove(&m.w.p.slots[at], &m.w.p.slots[at + 1],
          (m.w.p.plan.slot_count - at) * sizeof(ash_slot));
  refused(&m.w, ASH_D_plan_missing);
}

/* ---- several inputs ------------------------------------------------------ */

static void two_inputs_on_the_same_rows(void) {
  world w = {.n = net_new()};
  uint32_t *t = w.tensor;
  t[X] = net_input(&w.n, ASH_INT8, NET_DIMS(1, 8, 6, 4), 1, 0);
  t[A] = net_input(&w.n, ASH_INT8, NET_DIMS(1, 8, 6, 4), 1, 0);
  t[B] = image(&w.n, 8, 6);
  net_op(&w.n, ASH_FN_ROW(minimum), NET_IDS(t[X], t[A]), t[B]);
  row_end(&w.n, t[B]);
  w.p = row_plan_of(w.n.ctx, w.n.g, small_device(&w.n), &(row_plan_ask){0});
  for (uint32_t r = 0; r < 8; r++) {
    slot(&w, A, r)->life = slot(&w, X, r)->life;
    claim(&w, slot(&w, A, r), slot(&w, X, r));
  }
  refused(&w, ASH_D_plan_overlap);
}

/* ---- parts of a whole ---------------------------------------------------- */

enum { P = A, Q = B, JOIN = C };

/* x -> pool -> .. in rows, and p, q -> join as a whole, in which p and q are
 * made. */
static world joined(uint64_t p_at, uint64_t q_at) {
  world w = {.n = net_new()};
  net *n = &w.n;
  uint32_t *t = w.tensor;
  t[X] = net_input(n, ASH_INT8, NET_DIMS(1, 8, 6, 4), 1, 0);
  const uint32_t z = row_input(n, 64), y = image(n, 8, 6), end = image(n, 8, 6);
  pool(n, t[X], y, 3, 1, 1);
  net_op(n, ASH_FN_ROW(relu), NET_IDS(y), end);
  t[P] = row_relu(n, z);
  t[Q] = row_add(n, z, z);
  t[JOIN] = row_concat(n, t[P], t[Q]);
  const uint32_t ends[] = {end, t[JOIN]};
  CHECK_EQ(ash_graph_set_outputs(n->g, ends, 2), ASH_OK);
  n->g->tensors.items[end].is_output = true;
  n->g->tensors.items[t[JOIN]].is_output = true;
  w.p = row_plan_of(n->ctx, n->g, small_device(n), &(row_plan_ask){0});
  claim(&w, slot(&w, P, 0), slot(&w, JOIN, 0));
  claim(&w, slot(&w, Q, 0), slot(&w, JOIN, 0));
  slot(&w, P, 0)->binding.offset += p_at;
  slot(&w, Q, 0)->binding.offset += q_at;
  w.p.plan.order.peak = 0; /* that of longer lives */
  return w;
}

static void parts_may_be_made_where_they_belong(void) {
  world w = joined(0, 64);
  accepted(&w);
}

static void parts_that_are_made_where_others_belong(void) {
  world w = joined(64, 0);
  refused(&w, ASH_D_plan_self_overlap);
}

static void parts_on_each_other(void) {
  world w = joined(0, 0);
  refused(&w, ASH_D_plan_row_overwritten);
}

/* ---- moves of what is not there ------------------------------------------ */

static void moves_from_slots_that_are_no_rows(void) {
  for (int i = 0; i < 4; i++) {
    world w = plain();
    ash_slot *to = row_plan_move(&w.p, w.tensor[B], 0, step(&w, B, 1));
    if (i == 0)
      to->moved_from = 4711;
    else if (i == 1)
      to->moved_from = index_of(&w, slot(&w, OUT, 0));
    else if (i == 2)
      to->moved_from = index_of(&w, to);
    else
      to->moved_from = index_of(&w, slot(&w, A, 0));
    refused(&w, ASH_D_plan_row_move);
  }
}

/* B's row lies in A's place, which is given up when A's row is moved. */
static void two_moves_from_the_same_bytes(void) {
  world w = plain();
  const uint32_t at = step(&w, C, 0);
  claim(&w, slot(&w, B, 0), slot(&w, A, 0));
  (void)row_plan_move(&w.p, w.tensor[A], 0, at);
  ash_slot *to = row_plan_move(&w.p, w.tensor[B], 0, at);
  to->alias_of = ASH_NO_ID;
  refused(&w, ASH_D_plan_row_move_lost);
}

static void a_move_from_bytes_that_live_on(void) {
  world w = plain();
  claim(&w, slot(&w, B, 0), slot(&w, A, 0));
  ash_slot *to = row_plan_move(&w.p, w.tensor[B], 0, step(&w, B, 1));
  to->alias_of = ASH_NO_ID;
  refused(&w, ASH_D_plan_row_move);
}

/* The row that A's second one lies over has gone elsewhere, or lives on, or is
 * no row. */
static void a_row_over_one_that_does_not_die_with_it(void) {
  world w = lying_over(8);
  (void)row_plan_move(&w.p, w.tensor[X], 0, step(&w, A, 0));
  refused(&w, ASH_D_plan_overlap);
  w = lying_over(8);
  slot(&w, A, 1)->follows = index_of(&w, slot(&w, X, 5));
  refused(&w, ASH_D_plan_overlap);
  w = plain();
  slot(&w, A, 1)->follows = index_of(&w, slot(&w, OUT, 0));
  refused(&w, ASH_D_plan_overlap);
}

static void rows_that_arrive_in_no_row(void) {
  world w = world_of(OUT, (row_plan_ask){.fed = true});
  w.p.steps[feed_of(&w, 1)].row_count = 0;
  refused(&w, ASH_D_plan_row_feed);
  w = world_of(OUT, (row_plan_ask){.fed = true});
  w.p.steps[feed_of(&w, 7)].row_count = 2;
  refused(&w, ASH_D_plan_row_feed);
  w = world_of(OUT, (row_plan_ask){.fed = true});
  w.p.steps[feed_of(&w, 1)].input = 4711;
  refused(&w, ASH_D_plan_row_feed);
}

/* ---- many rows at once --------------------------------------------------- */

/* x -> a window of 19 rows -> relu, whose rows one step makes. */
static world tall(void) {
  world w = {.n = net_new()};
  net *n = &w.n;
  uint32_t *t = w.tensor;
  t[X] = net_input(n, ASH_INT8, NET_DIMS(1, 40, 2, 4), 1, 0);
  t[A] = image(n, 22, 2);
  const uint32_t op = net_op(n, ASH_OP_max_pool_2d, NET_IDS(t[X]), t[A]);
  net_int(n, op, "filter_h", 19);
  net_int(n, op, "filter_w", 1);
  t[B] = image(n, 22, 2);
  net_op(n, ASH_FN_ROW(relu), NET_IDS(t[A]), t[B]);
  row_end(n, t[B]);
  w.op[A] = 0;
  w.op[B] = 1;
  w.p = row_plan_of(n->ctx, n->g, small_device(n), &(row_plan_ask){0});
  for (uint32_t r = 0; r < 21; r++)
    drop_step(&w, step(&w, B, r));
  const uint32_t last = step(&w, B, 21);
  w.p.steps[last].first_row = 0;
  w.p.steps[last].row_count = 22;
  for (uint32_t i = 0; i < w.p.plan.slot_count; i++)
    w.p.slots[i].life = (ash_lifetime){0, w.p.plan.steps.count};
  w.p.plan.order.peak = 0; /* that of another order */
  return w;
}

static void windows_and_runs_may_be_tall(void) {
  world w = tall();
  accepted(&w);
  w = tall();
  w.p.steps[step(&w, B, 0)].row_count = 21;
  refused(&w, ASH_D_plan_row_missing);
}

/* Every second row of A is read, by all rows of B in one step; the others die
 * when they are made. */
static void rows_that_a_window_leaves_out_may_die(void) {
  for (uint32_t dies = 1; dies < 3; dies++) {
    world w = {.n = net_new()};
    net *n = &w.n;
    uint32_t *t = w.tensor;
    t[X] = net_input(n, ASH_INT8, NET_DIMS(1, 8, 6, 4), 1, 0);
    t[A] = image(n, 8, 6);
    net_op(n, ASH_FN_ROW(relu), NET_IDS(t[X]), t[A]);
    t[B] = image(n, 4, 3);
    pool(n, t[A], t[B], 1, 2, 0);
    row_end(n, t[B]);
    w.op[A] = 0;
    w.op[B] = 1;
    w.p = row_plan_of(n->ctx, n->g, small_device(n), &(row_plan_ask){0});
    for (uint32_t r = 0; r < 3; r++) {
      const uint32_t from = step(&w, B, r);
      memmove(&w.p.steps[from], &w.p.steps[from + 1],
              (--w.p.plan.steps.count - from) * sizeof(ash_step));
    }
    const uint32_t last = step(&w, B, 3);
    w.p.steps[last].first_row = 0;
    w.p.steps[last].row_count = 4;
    for (uint32_t i = 0; i < w.p.plan.slot_count; i++)
      w.p.slots[i].life = (ash_lifetime){0, w.p.plan.steps.count};
    for (uint32_t r = dies; r < 8; r += 2)
      slot(&w, A, r)->life.end_step = step(&w, A, r) + 1;
    w.p.plan.order.peak = 0; /* that of another order */
    if (dies == 1)
      accepted(&w);
    else
      refused(&w, ASH_D_plan_lifetime);
  }
}

static void rows_of_several_operators_in_one_step(void) {
  world w = plain();
  static uint32_t two[2];
  two[0] = w.op[A];
  two[1] = w.op[B];
  w.p.steps[step(&w, A, 0)].ops = two;
  w.p.steps[step(&w, A, 0)].op_count = 2;
  CHECK_EQ(row_plan_check(&w.p), ASH_INTERNAL);
  CHECK_EQ(last_diag(&w.n)->id, ASH_D_plan_row_rule);
  net_free(&w.n);
}

static void rows_arrive_of_what_is_planned_whole(void) {
  world w = world_of(B, (row_plan_ask){.fed = true});
  ash_slot *s = slot(&w, X, 0);
  const uint32_t at = index_of(&w, s);
  s->has_row = false;
  s->size *= 8;
  s->binding.offset = w.p.arenas[0].size;
  w.p.arenas[0].size += s->size;
  s->life = (ash_lifetime){0, w.p.plan.steps.count};
  w.p.plan.slot_count -= 7;
  memmove(s + 1, s + 8, (w.p.plan.slot_count - at - 1) * sizeof(ash_slot));
  refused(&w, ASH_D_plan_row_feed);
}

/* An operator with state beside rows. */
static world with_state(uint32_t *state) {
  static const float zeros[64] = {0};
  world w = {.n = net_new()};
  net *n = &w.n;
  uint32_t *t = w.tensor;
  t[X] = net_input(n, ASH_INT8, NET_DIMS(1, 8, 6, 4), 1, 0);
  const uint32_t z = row_input(n, 20);
  t[A] = image(n, 8, 6);
  pool(n, t[X], t[A], 3, 1, 1);
  t[B] = image(n, 8, 6);
  net_op(n, ASH_FN_ROW(relu), NET_IDS(t[A]), t[B]);
  *state = row_variable(n, 96);
  const uint32_t weights =
      net_constant(n, ASH_FLOAT32, NET_DIMS(6, 5), zeros, 0, 0);
  const uint32_t times =
      net_constant(n, ASH_FLOAT32, NET_DIMS(6, 4), zeros, 0, 0);
  const uint32_t bias = net_constant(n, ASH_FLOAT32, NET_DIMS(3), zeros, 0, 0);
  t[V] = row_tensor(n, 12);
  net_int(
      n, net_op(n, ASH_OP_svdf, NET_IDS(z, weights, times, bias, *state), t[V]),
      "rank", 2);
  const uint32_t ends[] = {t[B], t[V]};
  CHECK_EQ(ash_graph_set_outputs(n->g, ends, 2), ASH_OK);
  n->g->tensors.items[ends[0]].is_output = true;
  n->g->tensors.items[ends[1]].is_output = true;
  w.p = row_plan_of(n->ctx, n->g, small_device(n), &(row_plan_ask){0});
  return w;
}

static void operators_may_keep_state_beside_rows(void) {
  uint32_t state;
  world w = with_state(&state);
  accepted(&w);
}

static void an_operator_without_its_state_beside_rows(void) {
  uint32_t state;
  world w = with_state(&state);
  const uint32_t at = index_of(&w, row_plan_slot(&w.p, state, 0));
  w.p.plan.slot_count--;
  memmove(&w.p.slots[at], &w.p.slots[at + 1],
          (w.p.plan.slot_count - at) * sizeof(ash_slot));
  refused(&w, ASH_D_plan_missing);
}

/* ---- the order ----------------------------------------------------------- */

static void a_peak_that_is_too_low(void) {
  world w = plain();
  w.p.plan.order.peak--;
  w.p.plan.order.lower_bound--;
  refused(&w, ASH_D_plan_order_peak);
}

static void a_peak_with_work_that_is_too_low(void) {
  world w = plain(); /* without work memory */
  w.p.plan.order.peak_with_work = w.p.plan.order.peak - 1;
  refused(&w, ASH_D_plan_order_peak);
}

static void a_bound_with_work_above_the_peak(void) {
  world w = plain();
  w.p.plan.order.peak_with_work = w.p.plan.order.peak;
  w.p.plan.order.bound_with_work = w.p.plan.order.peak + 1;
  refused(&w, ASH_D_plan_order_bound);
}

static void a_bound_above_the_peak(void) {
  world w = plain();
  w.p.plan.order.lower_bound++;
  refused(&w, ASH_D_plan_order_bound);
}

static void an_order_called_optimal_without_proof(void) {
  world w = plain();
  CHECK_EQ(w.p.plan.order.verdict, ASH_OPTIMAL);
  w.p.plan.order.lower_bound--;
  refused(&w, ASH_D_plan_order_bound);
}

static void runs_in_an_order_of_operators(void) {
  world w = plain();
  w.p.plan.order.kind = ASH_ORDER_OPERATORS;
  refused(&w, ASH_D_plan_order_kind);
}

/* ---- as a file ----------------------------------------------------------- */

/* What is alive at a step, without work memory, which has gaps. */
static uint64_t load_at(const world *w, uint32_t step) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < w->p.plan.slot_count; i++) {
    const ash_slot *s = &w->p.slots[i];
    if (s->binding.role == ASH_SCRATCH && s->kind == ASH_SLOT_TENSOR &&
        s->alias_of == ASH_NO_ID && s->life.first_step <= step &&
        step < s->life.end_step)
      sum += s->size;
  }
  return sum;
}

static void a_peak_with_work_counts_it_while_it_is_used(void) {
  for (uint64_t more = 0; more < 2; more++) {
    world w = world_of(OUT, (row_plan_ask){.work = 24});
    uint64_t peak = 0;
    for (uint32_t i = 0; i < w.p.plan.steps.count; i++) {
      const bool works = w.p.steps[i].ops[0] == w.op[A];
      const uint64_t now = load_at(&w, i) + (works ? 24 : 0);
      peak = now > peak ? now : peak;
    }
    w.p.plan.order.peak_with_work = peak + more;
    if (more)
      refused(&w, ASH_D_plan_order_peak);
    else
      accepted(&w);
  }
}

/* A file claims no more than its tensors need. */
static void settle_arena(world *w) {
  ash_arena *a = &w->p.arenas[0];
  a->size = a->lower_bound = 0;
  for (uint32_t i = 0; i < w->p.plan.slot_count; i++) {
    const ash_slot *s = &w->p.slots[i];
    const uint64_t end = s->binding.offset + s->size;
    if (s->binding.role == ASH_SCRATCH && end > a->size)
      a->size = end;
  }
  for (uint32_t i = 0; i < w->p.plan.steps.count; i++)
    if (load_at(w, i) > a->lower_bound)
      a->lower_bound = load_at(w, i);
  a->verdict = a->lower_bound == a->size ? ASH_OPTIMAL : ASH_FEASIBLE;
  w->p.plan.verdict = a->verdict;
}

static const char *text_of(world *w) {
  const char *text;
  size_t count;
  settle_arena(w);
  CHECK_EQ(row_plan_check(&w->p), ASH_OK);
  CHECK_EQ(ash_plan_json(w->n.ctx, &text, &count, &w->p.plan, w->n.g), ASH_OK);
  CHECK_EQ(strlen(text), count);
  return text;
}

static ash_status check_text(world *w, const char *text) {
  ash_ctx_forget(w->n.ctx);
  return ash_check_plan_json(w->n.ctx, text, strlen(text), "plan.json");
}

static void right_plans_are_right_files(void) {
  for (int bits = 0; bits < 8; bits++) {
    world w = world_of(
        bits & 4 ? B : OUT,
        (row_plan_ask){.fed = bits & 1, .reuse = bits & 2, .work = 24});
    row_plan_move(&w.p, w.tensor[A], 0, slot(&w, A, 0)->life.first_step + 1);
    const ash_status status = check_text(&w, text_of(&w));
    if (status != ASH_OK)
      print_newest(w.n.ctx);
    CHECK_EQ(status, ASH_OK);
    net_free(&w.n);
  }
}

static void rows_in_place_are_right_in_a_file(void) {
  world w = plain();
  for (uint32_t r = 0; r < 8; r++)
    if (r != 3)
      claim(&w, slot(&w, B, r), slot(&w, A, r));
  CHECK_EQ(check_text(&w, text_of(&w)), ASH_OK);
  net_free(&w.n);
}

static void rows_over_others_are_right_in_a_file(void) {
  world w = lying_over(8);
  CHECK_EQ(check_text(&w, text_of(&w)), ASH_OK);
  net_free(&w.n);
}

/* The first `from` after `after` becomes `to`. */
static void spoil(world w, const char *after, const char *from, const char *to,
                  uint32_t id) {
  const char *text = text_of(&w);
  const char *start = strstr(text, after);
  CHECK(start != NULL);
  const char *at = strstr(start, from);
  CHECK(at != NULL);
  char *copy = calloc(1, strlen(text) + strlen(to) + 1);
  CHECK(copy != NULL);
  memcpy(copy, text, (size_t)(at - text));
  strcat(copy, to);
  strcat(copy, at + strlen(from));
  CHECK_EQ(check_text(&w, copy), ASH_MALFORMED);
  if (last_diag(&w.n)->id != id)
    print_newest(w.n.ctx);
  CHECK_EQ(last_diag(&w.n)->id, id);
  free(copy);
  net_free(&w.n);
}

static void spoilt(const char *after, const char *from, const char *to,
                   uint32_t id) {
  world w = world_of(OUT, (row_plan_ask){.work = 24});
  row_plan_move(&w.p, w.tensor[B], 0, step(&w, B, 1));
  spoil(w, after, from, to, id);
}

/* The file of a plan that the checker refuses. */
static void a_view_of_two_pieces_is_refused_in_a_file(void) {
  world w = plain();
  const char *text;
  size_t count;
  slot(&w, C, 3)->binding.offset = w.p.arenas[0].size;
  w.p.arenas[0].size += 64;
  settle_arena(&w);
  CHECK_EQ(row_plan_check(&w.p), ASH_INTERNAL);
  CHECK_EQ(ash_plan_json(w.n.ctx, &text, &count, &w.p.plan, w.n.g), ASH_OK);
  CHECK_EQ(check_text(&w, text), ASH_MALFORMED);
  CHECK_EQ(last_diag(&w.n)->id, ASH_D_plan_row_pieces);
  net_free(&w.n);
}

static void spoilt_rows_over_others_are_refused(void) {
  spoil(lying_over(8), "\"follows\"", "follows", "leads", ASH_D_plan_overlap);
  spoil(lying_over(8), "\"follows\"", ", 0]", ", 1]", ASH_D_plan_overlap);
  spoil(lying_over(8), "\"follows\"", ", 0]", ", 8]", ASH_D_plan_json);
  spoil(lying_over(8), "\"follows\"", ", 0]", "]", ASH_D_plan_json);
}

static void spoilt_files_are_refused(void) {
  spoilt("\"rows\"", "\"count\": 8", "\"count\": 7", ASH_D_plan_json);
  spoilt("\"rows\"", "[0, 24,", "[0, 48,", ASH_D_plan_overlap);
  spoilt("\"rows\"", "[0, 24,", "[0,", ASH_D_plan_json);
  spoilt("\"rows\"", "168]", "999999]", ASH_D_plan_beyond_arena);
  spoilt("\"runs\"", "[0, 1, 1]", "[0, 2, 1]", ASH_D_plan_row_run);
  spoilt("\"runs\"", "[0, 1, 1]", "[9, 1, 1]", ASH_D_plan_json);
  spoilt("\"runs\"", "[0, 1, 1]", "[0, 1]", ASH_D_plan_json);
  spoilt("\"moves\"", "0, ", "9, ", ASH_D_plan_json);
  spoilt("\"order\"", "\"kind\": \"rows\"", "\"kind\": \"given\"",
         ASH_D_plan_order_kind);
  spoilt("\"order\"", "\"verdict\": \"optimal\"", "\"verdict\": \"infeasible\"",
         ASH_D_plan_order_bound);
  spoilt("\"schema\"", "ashlar-plan-2", "ashlar-plan-3", ASH_D_plan_json);
}

static void a_residency_file_has_rows(void) {
  world w = world_of(OUT, (row_plan_ask){.reuse = true});
  ash_text t;
  ash_text_init(&t, &w.n.ctx->mem);
  row_plan_move(&w.p, w.tensor[B], 0, step(&w, B, 1));
  CHECK_EQ(row_plan_check(&w.p), ASH_OK);
  CHECK_EQ(ash_residency_json(w.n.ctx, &t, &w.p.plan, "net"), ASH_OK);
  ash_text_put(&t, "", 1);
  CHECK(!t.failed && strstr(t.bytes, "\"row_offsets\"") != NULL);
  CHECK_EQ(check_text(&w, t.bytes), ASH_OK);
  char *digit = strstr(t.bytes, "\"row_offsets\"");
  digit = strchr(digit, '[') + 1;
  *digit = *digit == '1' ? '2' : '1';
  CHECK_EQ(check_text(&w, t.bytes), ASH_MALFORMED);
  CHECK_EQ(last_diag(&w.n)->id, ASH_D_plan_hash);
  ash_text_drop(&t);
  net_free(&w.n);
}

static void a_moved_row_is_a_difference(void) {
  world w = plain();
  ash_plan_diff d;
  const ash_plan_text before = {text_of(&w), strlen(text_of(&w)), "before"};
  CHECK_EQ(ash_diff_plans(w.n.ctx, &d, &before, &before), ASH_OK);
  CHECK_EQ(d.tensor_count, 0);
  row_plan_move(&w.p, w.tensor[B], 0, step(&w, B, 1));
  const ash_plan_text after = {text_of(&w), strlen(text_of(&w)), "after"};
  CHECK_EQ(ash_diff_plans(w.n.ctx, &d, &before, &after), ASH_OK);
  CHECK_EQ(d.tensor_count, 1);
  CHECK_EQ(d.tensors[0].kind, ASH_CHANGE_PLACE);
  CHECK_EQ(d.tensors[0].after.rows, 8);
  CHECK_EQ(d.tensors[0].after.row_bytes, 24);
  CHECK_EQ(d.tensors[0].after.most_alive, 2);
  CHECK_EQ(d.tensors[0].after.moves, 1);
  CHECK_EQ(d.tensors[0].before.moves, 0);
  net_free(&w.n);
}

static void rows_are_explained_as_one_thing(void) {
  world w = plain();
  const char *text;
  row_plan_move(&w.p, w.tensor[B], 0, step(&w, B, 1));
  CHECK_EQ(row_plan_check(&w.p), ASH_OK);
  CHECK_EQ(ash_explain_tensor(w.n.ctx, &text, &w.p.plan, w.n.g, w.p.device,
                              NULL, w.n.g->tensors.items[w.tensor[B]].id),
           ASH_OK);
  CHECK(strstr(text, "8 rows of 24 bytes") != NULL);
  CHECK(strstr(text, "at most 2 of them alive, 48 bytes") != NULL);
  CHECK(strstr(text, "1 moves of rows, 24 bytes") != NULL);
  CHECK_EQ(ash_explain_tensor(w.n.ctx, &text, &w.p.plan, w.n.g, w.p.device,
                              NULL, w.n.g->tensors.items[w.tensor[X]].id),
           ASH_OK);
  CHECK(strstr(text, "in one piece at offset") != NULL);
  CHECK(strstr(text, "fed") == NULL);
  net_free(&w.n);
}

/* ---- models -------------------------------------------------------------- */

static void check_model(const char *name, bool fed) {
  char path[512];
  (void)snprintf(path, sizeof path, "%s/models/%s.tflite", shared_data(), name);
  loaded l = loaded_from(path);
  const ash_device *device;
  CHECK_EQ(l.status, ASH_OK);
  CHECK_EQ(ash_pass_run(l.ctx, l.g), ASH_OK);
  CHECK_EQ(ash_device_load(l.ctx, &device, "host"), ASH_OK);
  row_plan p = row_plan_of(l.ctx, l.g, device, &(row_plan_ask){.fed = fed});
  const ash_status status = row_plan_check(&p);
  if (status != ASH_OK)
    print_newest(l.ctx);
  CHECK_EQ(status, ASH_OK);
  loaded_drop(&l);
}

static void real_models_pass(void) {
  static const char *const names[] = {"tiny/ic_resnet8_int8",
                                      "tiny/vww_96_int8",
                                      "tiny/kws_ref_model_int8",
                                      "tflite-micro/person_detect",
                                      "test_data/mobilenet_v1_0.25_128_quant",
                                      "tinyengine/mcunet_vww1_int8",
                                      "test_data/tf2_mobilenet_v2_1.0_224_ptq",
                                      "TinyMaix/cifar10_q"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    check_model(names[i], false);
    check_model(names[i], true);
  }
}

/* Plans of the planner itself, and their files. */
static void plan_model(const char *name, const char *target, bool fed) {
  char path[512];
  const ash_device *device;
  const ash_plan *plan;
  const char *text;
  size_t count;
  (void)snprintf(path, sizeof path, "%s/models/%s.tflite", shared_data(), name);
  loaded l = loaded_from(path);
  CHECK_EQ(l.status, ASH_OK);
  CHECK_EQ(ash_pass_run(l.ctx, l.g), ASH_OK);
  CHECK_EQ(ash_device_load(l.ctx, &device, target), ASH_OK);
  const char *input = l.g->tensors.items[l.g->inputs[0]].id;
  const ash_plan_options options = {
      .order = ASH_ORDER_ROWS, .feed = &input, .feed_count = fed};
  CHECK_EQ(ash_plan_model(l.ctx, &plan, l.g, device, &options), ASH_OK);
  CHECK_EQ(ash_plan_json(l.ctx, &text, &count, plan, l.g), ASH_OK);
  const ash_status status = ash_check_plan_json(l.ctx, text, count, "plan");
  if (status != ASH_OK)
    print_newest(l.ctx);
  CHECK_EQ(status, ASH_OK);
  loaded_drop(&l);
}

static void plans_of_models_are_right_files(void) {
  plan_model("tiny/kws_ref_model_int8", "host", false);
  plan_model("tiny/ic_resnet8_int8", "apollo510", true);
  plan_model("tiny/vww_96_int8", "apollo510", true);
}

#define TESTS(T)                                                               \
  T(right_plans_pass)                                                          \
  T(work_memory_may_be_used_between_the_runs)                                  \
  T(an_element_wise_result_may_take_a_dying_row)                               \
  T(a_row_may_be_moved)                                                        \
  T(rows_may_be_moved_over_places_just_left)                                   \
  T(a_row_may_lie_over_one_that_dies_with_it)                                  \
  T(the_last_row_may_lie_over_one_that_dies_with_it)                           \
  T(a_drained_output_need_not_be_kept)                                         \
  T(rows_that_are_not_in_order)                                                \
  T(a_row_without_a_slot)                                                      \
  T(a_tensor_in_rows_and_whole)                                                \
  T(a_run_into_a_whole_tensor)                                                 \
  T(a_slot_longer_than_a_row)                                                  \
  T(all_slots_shorter_than_a_row)                                              \
  T(a_row_in_another_memory)                                                   \
  T(a_row_between_two_units)                                                   \
  T(rows_that_share_bytes)                                                     \
  T(a_life_that_misses_a_use)                                                  \
  T(an_input_in_two_pieces)                                                    \
  T(an_output_in_two_pieces)                                                   \
  T(a_view_of_two_pieces)                                                      \
  T(a_view_beside_its_bytes)                                                   \
  T(a_row_read_before_it_is_made)                                              \
  T(a_window_of_which_a_row_is_missing)                                        \
  T(a_row_overwritten_while_it_is_needed)                                      \
  T(a_window_that_writes_over_what_it_reads)                                   \
  T(a_row_that_overtakes_what_is_read)                                         \
  T(a_row_over_another_without_a_word)                                         \
  T(a_row_that_lies_over_one_needed_later)                                     \
  T(a_row_over_one_whose_life_is_cut)                                          \
  T(two_rows_over_one)                                                         \
  T(a_row_over_one_by_a_kernel_for_vectors)                                    \
  T(a_run_that_is_missing)                                                     \
  T(an_operator_that_never_runs)                                               \
  T(a_run_twice)                                                               \
  T(runs_in_the_wrong_order)                                                   \
  T(a_run_beyond_the_last_row)                                                 \
  T(a_run_of_what_has_no_rows)                                                 \
  T(an_operator_that_runs_whole_after_runs)                                    \
  T(work_memory_over_a_live_row)                                               \
  T(work_memory_that_is_too_small)                                             \
  T(an_output_that_is_given_up)                                                \
  T(a_tensor_left_out)                                                         \
  T(a_row_that_arrives_too_late)                                               \
  T(a_row_that_arrives_out_of_turn)                                            \
  T(rows_of_something_else_arrive)                                             \
  T(a_row_moved_from_another)                                                  \
  T(a_row_that_is_nowhere_between_two_places)                                  \
  T(a_move_that_comes_too_late)                                                \
  T(a_move_over_a_live_row)                                                    \
  T(a_move_to_where_a_row_is_made)                                             \
  T(moves_in_the_wrong_order)                                                  \
  T(a_moved_row_that_is_read_where_it_was)                                     \
  T(a_move_whose_source_was_overwritten)                                       \
  T(a_chain_of_places_that_is_broken)                                          \
  T(a_move_of_a_row_in_one_piece)                                              \
  T(a_move_of_a_row_of_the_caller)                                             \
  T(a_row_may_be_moved_twice)                                                  \
  T(two_moves_from_one_place)                                                  \
  T(a_row_that_the_tensor_does_not_have)                                       \
  T(a_whole_tensor_that_is_too_small)                                          \
  T(a_row_of_floats_between_two_elements)                                      \
  T(rows_that_outlive_the_run)                                                 \
  T(a_view_in_another_memory)                                                  \
  T(an_operator_that_does_not_exist)                                           \
  T(a_life_beyond_the_last_step)                                               \
  T(rows_may_be_made_at_once)                                                  \
  T(rows_that_are_made_at_once_in_two_pieces)                                  \
  T(work_memory_in_a_row_of_its_operator)                                      \
  T(work_memory_that_lives_too_short)                                          \
  T(work_memory_of_nobody)                                                     \
  T(work_memory_twice)                                                         \
  T(variables_are_kept_beside_rows)                                            \
  T(a_variable_that_is_lost_beside_rows)                                       \
  T(a_variable_without_a_place_beside_rows)                                    \
  T(two_inputs_on_the_same_rows)                                               \
  T(parts_may_be_made_where_they_belong)                                       \
  T(parts_that_are_made_where_others_belong)                                   \
  T(parts_on_each_other)                                                       \
  T(moves_from_slots_that_are_no_rows)                                         \
  T(two_moves_from_the_same_bytes)                                             \
  T(a_move_from_bytes_that_live_on)                                            \
  T(a_row_over_one_that_does_not_die_with_it)                                  \
  T(rows_that_arrive_in_no_row)                                                \
  T(windows_and_runs_may_be_tall)                                              \
  T(rows_that_a_window_leaves_out_may_die)                                     \
  T(rows_of_several_operators_in_one_step)                                     \
  T(rows_arrive_of_what_is_planned_whole)                                      \
  T(operators_may_keep_state_beside_rows)                                      \
  T(an_operator_without_its_state_beside_rows)                                 \
  T(a_peak_that_is_too_low)                                                    \
  T(a_peak_with_work_that_is_too_low)                                          \
  T(a_bound_with_work_above_the_peak)                                          \
  T(a_bound_above_the_peak)                                                    \
  T(an_order_called_optimal_without_proof)                                     \
  T(runs_in_an_order_of_operators)                                             \
  T(a_peak_with_work_counts_it_while_it_is_used)                               \
  T(right_plans_are_right_files)                                               \
  T(rows_in_place_are_right_in_a_file)                                         \
  T(rows_over_others_are_right_in_a_file)                                      \
  T(a_view_of_two_pieces_is_refused_in_a_file)                                 \
  T(spoilt_rows_over_others_are_refused)                                       \
  T(spoilt_files_are_refused)                                                  \
  T(a_residency_file_has_rows)                                                 \
  T(a_moved_row_is_a_difference)                                               \
  T(rows_are_explained_as_one_thing)                                           \
  T(plans_of_models_are_right_files)                                           \
  T(real_models_pass)

TEST_MAIN(TESTS)
