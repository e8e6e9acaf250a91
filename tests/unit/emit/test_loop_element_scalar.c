/* test_loop_element_scalar.c - functions as C expressions: the column STORED of
 * functions.def promises as much as loop_element_scalar.c has. */
#include "emit/loop/loop.h"
#include "kernel/choose.h"
#include "net.h"

static bool has_text(ash_fn fn, ash_type type) {
  static const char *const names[] = {"a", "b", "c"};
  char text[ASH_LOOP_TEXT];
  return ash_loop_scalar(text, sizeof text, fn, type, names) != NULL;
}

static void what_a_function_computes_has_an_expression(void) {
  static const ash_type types[] = {ASH_FLOAT32, ASH_FLOAT64, ASH_INT8,
                                   ASH_INT32,   ASH_UINT64,  ASH_BOOL};
  for (uint32_t fn = 0; fn < ASH_FN_COUNT; fn++)
    for (size_t i = 0; i < ASH_COUNT_OF(types); i++)
      if (ash_fn_computes((ash_fn)fn, types[i]))
        CHECK(has_text((ash_fn)fn, types[i]));
}

/* An exponential of integers without scales has neither kernel nor loop. */
static void integers_without_an_expression_are_refused_before_code(void) {
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_INT32, NET_DIMS(4), 0, 0);
  const uint32_t y = net_result(&n, ASH_INT32, NET_DIMS(4), 0, 0);
  const uint32_t op = net_op(&n, ASH_OP_map, NET_IDS(x), y);
  net_string(&n, op, "fn", "exp");
  const ash_kernel *k = ash_choose(n.g, op, NULL).kernel;
  CHECK_EQ(ash_kernel_check(n.ctx, k, n.g, op), ASH_UNSUPPORTED);
  net_string(&n, op, "fn", "neg");
  k = ash_choose(n.g, op, NULL).kernel;
  CHECK_EQ(ash_kernel_check(n.ctx, k, n.g, op), ASH_OK);
  net_free(&n);
}

#define TESTS(X)                                                               \
  X(what_a_function_computes_has_an_expression)                                \
  X(integers_without_an_expression_are_refused_before_code)
TEST_MAIN(TESTS)
