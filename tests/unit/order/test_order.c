/* test_order.c - the order of a graph, and schedules from elsewhere. */
#include "order/order.h"
#include "plan_net.h"

/* Two branches that meet: 0 and 1 read the input, 2 reads both. */
static net branches(void) {
  net n = net_new();
  const uint32_t x = row_input(&n, 16);
  const uint32_t a = row_relu(&n, x), b = row_relu(&n, x);
  row_end(&n, row_add(&n, a, b));
  return n;
}

static void the_graphs_own_order_is_a_step_per_operator(void) {
  net n = branches();
  ash_steps steps;
  CHECK_EQ(ash_order_steps(n.ctx, &steps, n.g, NULL), ASH_OK);
  CHECK_EQ(steps.count, 3);
  for (uint32_t i = 0; i < 3; i++) {
    CHECK_EQ(steps.items[i].op_count, 1);
    CHECK_EQ(steps.items[i].ops[0], i);
  }
  ash_steps again;
  CHECK_EQ(ash_order_steps(n.ctx, &again, n.g, &steps), ASH_OK);
  CHECK_EQ(again.count, 3);
  net_free(&n);
}

static ash_status check_as_one_step(net *n, const uint32_t *ops,
                                    uint32_t count) {
  const ash_step one = {.ops = ops, .op_count = count};
  ash_steps out;
  return ash_order_steps(n->ctx, &out, n->g, &(ash_steps){&one, 1});
}

static void any_topological_order_is_accepted(void) {
  net n = branches();
  CHECK_EQ(check_as_one_step(&n, (const uint32_t[]){0, 1, 2}, 3), ASH_OK);
  CHECK_EQ(check_as_one_step(&n, (const uint32_t[]){1, 0, 2}, 3), ASH_OK);
  net_free(&n);
}

static void refuses(net *n, const uint32_t *ops, uint32_t count,
                    const char *why) {
  CHECK_EQ(check_as_one_step(n, ops, count), ASH_MISUSE);
  CHECK_EQ(last_diag(n)->id, ASH_D_tiler_steps);
  CHECK(strstr(last_diag(n)->message, why));
}

static void other_schedules_are_refused(void) {
  net n = branches();
  refuses(&n, (const uint32_t[]){0, 2, 1}, 3, "before what it reads");
  refuses(&n, (const uint32_t[]){0, 0, 2}, 3, "twice");
  refuses(&n, (const uint32_t[]){0, 1, 9}, 3, "not there");
  refuses(&n, (const uint32_t[]){0, 1}, 2, "leaves operators out");
  net_free(&n);
}

/* Assigned after it was read: the other way round is another program. */
static void users_of_a_variable_keep_their_order(void) {
  net n = net_new();
  const uint32_t x = row_input(&n, 16), state = row_variable(&n, 16);
  const uint32_t old = row_read(&n, state); /* 0 */
  const uint32_t y = row_add(&n, x, old);   /* 1 */
  row_assign(&n, state, x);                 /* 2 */
  row_end(&n, y);
  CHECK_EQ(check_as_one_step(&n, (const uint32_t[]){0, 2, 1}, 3), ASH_OK);
  refuses(&n, (const uint32_t[]){2, 0, 1}, 3, "before what it reads");
  net_free(&n);
}

#define TESTS(X)                                                               \
  X(the_graphs_own_order_is_a_step_per_operator)                               \
  X(any_topological_order_is_accepted)                                         \
  X(other_schedules_are_refused)                                               \
  X(users_of_a_variable_keep_their_order)
TEST_MAIN(TESTS)
