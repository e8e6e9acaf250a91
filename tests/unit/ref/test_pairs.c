/* test_pairs.c - operators on pairs of elements in the reference interpreter:
 * arithmetic, comparisons, logic. */
#include "check.h"
#include "net.h"
#include "op/shape/shape.h"
#include "run_net.h"

#include <math.h>

static net pair_net(ash_op_kind kind, ash_type type, ash_type out, float a,
                    float b, float y) {
  net n = net_new();
  const uint32_t p = net_input(&n, type, NET_DIMS(4), a, 0);
  const uint32_t q = net_input(&n, type, NET_DIMS(4), b, 0);
  const uint32_t r = net_result(&n, out, NET_DIMS(4), y, 0);
  (void)net_op(&n, kind, NET_IDS(p, q), r);
  return n;
}

static net int8_net(ash_op_kind kind, float a, float b, float y) {
  return pair_net(kind, ASH_INT8, ASH_INT8, a, b, y);
}

static net plain_net(ash_op_kind kind, ash_type type) {
  return pair_net(kind, type, type, 0, 0, 0);
}

static void gives_ints(net *n, const void *a, const void *b,
                       const int32_t *want) {
  int32_t got[4];
  net_run(n, a, b, got);
  for (int i = 0; i < 4; i++)
    CHECK_EQ(got[i], want[i]);
  net_free(n);
}

static void subtraction_rescales(void) {
  net n = int8_net(ASH_FN_ROW(sub), 1, 0.5f, 0.5f);
  gives_bytes(&n, NET_BYTES(10, -10, 100, 0), NET_BYTES(4, 4, -100, 0), 4,
              NET_BYTES(16, -24, 127, 0));
  n = plain_net(ASH_FN_ROW(sub), ASH_FLOAT32);
  net_string(&n, 0, "act", "relu");
  gives_floats(&n, NET_FLOATS(1, 2, 3, 4), NET_FLOATS(0.5f, 3, -1, 4), 4,
               NET_FLOATS(0.5f, 0, 4, 0));
}

static void division_rounds_and_survives_zero(void) {
  net n = int8_net(ASH_FN_ROW(div), 1, 1, 0.125f);
  gives_bytes(&n, NET_BYTES(100, -100, 7, 5), NET_BYTES(63, 63, -63, 0), 4,
              NET_BYTES(13, -13, -1, 0)); /* 12.7, -12.7, -0.9 */
  n = plain_net(ASH_FN_ROW(div), ASH_INT32);
  gives_ints(&n, NET_INTS(7, -7, INT32_MIN, 5), NET_INTS(2, 2, -1, 0),
             (const int32_t[]){3, -3, INT32_MIN, 0});
}

static void extremes_are_taken_as_they_are(void) {
  net n = int8_net(ASH_FN_ROW(minimum), 0.3f, 0.3f, 0.3f);
  gives_bytes(&n, NET_BYTES(1, -2, 3, 4), NET_BYTES(2, -3, 3, -128), 4,
              NET_BYTES(1, -3, 3, -128));
  n = plain_net(ASH_FN_ROW(maximum), ASH_FLOAT32);
  gives_floats(&n, NET_FLOATS(1, -2, 3, 4), NET_FLOATS(2, -3, 3, -1), 4,
               NET_FLOATS(2, -2, 3, 4));
}

static void squared_differences_rescale(void) {
  net n = int8_net(ASH_FN_ROW(squared_difference), 1, 1, 4);
  gives_bytes(&n, NET_BYTES(10, -6, 0, 100), NET_BYTES(4, 4, 0, -100), 4,
              NET_BYTES(9, 25, 0, 127));
}

static void floor_division_goes_down(void) {
  net n = plain_net(ASH_FN_ROW(floor_div), ASH_INT32);
  gives_ints(&n, NET_INTS(7, -7, 7, -8), NET_INTS(2, 2, -2, 2),
             (const int32_t[]){3, -4, -4, -4});
  n = plain_net(ASH_FN_ROW(mod), ASH_INT32);
  gives_ints(&n, NET_INTS(7, -7, 7, -8), NET_INTS(2, 2, -2, 2),
             (const int32_t[]){1, 1, -1, 0});
  n = plain_net(ASH_FN_ROW(mod), ASH_FLOAT32);
  gives_floats(&n, NET_FLOATS(7.5f, -7.5f, 7.5f, -8), NET_FLOATS(2, 2, -2, 2),
               4, NET_FLOATS(1.5f, 0.5f, -0.5f, 0));
}

static void powers_multiply(void) {
  net n = plain_net(ASH_FN_ROW(pow), ASH_INT32);
  gives_ints(&n, NET_INTS(3, -2, 7, 2), NET_INTS(4, 3, 0, -1),
             (const int32_t[]){81, -8, 1, 0});
  n = plain_net(ASH_FN_ROW(pow), ASH_FLOAT32);
  gives_floats(&n, NET_FLOATS(4, 2, 1, 0), NET_FLOATS(0.5f, -1, 9, 0), 4,
               NET_FLOATS(2, 0.5f, 1, 1));
}

static void slopes_apply_below_zero(void) {
  net n = int8_net(ASH_FN_ROW(prelu), 1, 0.25f, 0.5f);
  gives_bytes(&n, NET_BYTES(10, -10, -10, 0), NET_BYTES(2, 2, -2, 9), 4,
              NET_BYTES(20, -10, 10, 0));
}

static void comparisons_see_the_real_value(void) {
  net n = pair_net(ASH_FN_ROW(less), ASH_INT8, ASH_BOOL, 0.5f, 0.25f, 0);
  gives_bytes(&n, NET_BYTES(10, 10, 10, -1), NET_BYTES(19, 20, 21, 0), 4,
              NET_BYTES(0, 0, 1, 1));
  n = pair_net(ASH_FN_ROW(greater_equal), ASH_INT8, ASH_BOOL, 0.5f, 0.25f, 0);
  gives_bytes(&n, NET_BYTES(10, 10, 10, -1), NET_BYTES(19, 20, 21, 0), 4,
              NET_BYTES(1, 1, 0, 0));
  n = pair_net(ASH_FN_ROW(not_equal), ASH_FLOAT32, ASH_BOOL, 0, 0, 0);
  gives_bytes(&n, NET_FLOATS(1, 0, NAN, 2), NET_FLOATS(1, -0.0f, NAN, 3), 4,
              NET_BYTES(0, 0, 1, 1));
  n = pair_net(ASH_FN_ROW(less_equal), ASH_INT32, ASH_BOOL, 0, 0, 0);
  gives_bytes(&n, NET_INTS(1, 2, INT32_MIN, 5), NET_INTS(2, 2, INT32_MAX, 4), 4,
              NET_BYTES(1, 1, 1, 0));
}

static void logic_is_logic(void) {
  net n = plain_net(ASH_FN_ROW(logical_and), ASH_BOOL);
  gives_bytes(&n, NET_BYTES(0, 0, 1, 1), NET_BYTES(0, 1, 0, 1), 4,
              NET_BYTES(0, 0, 0, 1));
  n = plain_net(ASH_FN_ROW(logical_or), ASH_BOOL);
  gives_bytes(&n, NET_BYTES(0, 0, 1, 1), NET_BYTES(0, 1, 0, 1), 4,
              NET_BYTES(0, 1, 1, 1));
}

static void pairs_refuse_what_has_no_meaning(void) {
  ash_shape shape;
  net n = int8_net(ASH_FN_ROW(sub), 1, 1, 1e-7f);
  CHECK_EQ(ash_infer_shape(n.ctx, n.g, 0, &shape), ASH_UNSUPPORTED);
  net_free(&n);
  n = int8_net(ASH_FN_ROW(maximum), 1, 2, 1);
  CHECK_EQ(ash_infer_shape(n.ctx, n.g, 0, &shape), ASH_UNSUPPORTED);
  net_free(&n);
  n = plain_net(ASH_FN_ROW(logical_and), ASH_INT8);
  CHECK_EQ(ash_infer_shape(n.ctx, n.g, 0, &shape), ASH_UNSUPPORTED);
  net_free(&n);
  n = plain_net(ASH_FN_ROW(prelu), ASH_FLOAT32);
  n.g->tensors.items[1].shape = NET_DIMS(2, 4);
  CHECK_EQ(ash_infer_shape(n.ctx, n.g, 0, &shape), ASH_MALFORMED);
  net_free(&n);
}

#define TESTS(X)                                                               \
  X(subtraction_rescales)                                                      \
  X(division_rounds_and_survives_zero)                                         \
  X(extremes_are_taken_as_they_are)                                            \
  X(squared_differences_rescale)                                               \
  X(floor_division_goes_down)                                                  \
  X(powers_multiply)                                                           \
  X(slopes_apply_below_zero)                                                   \
  X(comparisons_see_the_real_value)                                            \
  X(logic_is_logic)                                                            \
  X(pairs_refuse_what_has_no_meaning)
TEST_MAIN(TESTS)
