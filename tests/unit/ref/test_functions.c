/* test_functions.c - functions of one value and of one row in the reference
 * interpreter. */
#include "check.h"
#include "net.h"
#include "op/shape/shape.h"
#include "ref/ref_fixed.h"
#include "run_net.h"

#include <math.h>

static net map_net(ash_op_kind kind, ash_type type, float a, int32_t za,
                   float b, int32_t zb) {
  net n = net_new();
  const uint32_t x = net_input(&n, type, NET_DIMS(1, 4), a, za);
  const uint32_t y = net_result(&n, type, NET_DIMS(1, 4), b, zb);
  (void)net_op(&n, kind, NET_IDS(x), y);
  return n;
}

static net int8_net(ash_op_kind kind, float a, int32_t za, float b,
                    int32_t zb) {
  return map_net(kind, ASH_INT8, a, za, b, zb);
}

static void maps(ash_op_kind kind, const void *x, const void *want) {
  net n = map_net(kind, ASH_FLOAT32, 0, 0, 0, 0);
  gives_floats(&n, x, NULL, 4, want);
}

static void float_functions_are_the_real_ones(void) {
  maps(ASH_FN_ROW(abs), NET_FLOATS(-1, 2, -0.5f, 0), NET_FLOATS(1, 2, 0.5f, 0));
  maps(ASH_FN_ROW(neg), NET_FLOATS(-1, 2, -0.5f, 0),
       NET_FLOATS(1, -2, 0.5f, 0));
  maps(ASH_FN_ROW(sign), NET_FLOATS(-3, 2, 0, 1), NET_FLOATS(-1, 1, 0, 1));
  maps(ASH_FN_ROW(square), NET_FLOATS(-3, 2, 0, 1), NET_FLOATS(9, 4, 0, 1));
  maps(ASH_FN_ROW(sqrt), NET_FLOATS(9, 4, 0, 1), NET_FLOATS(3, 2, 0, 1));
  maps(ASH_FN_ROW(rsqrt), NET_FLOATS(4, 16, 1, 0.25f),
       NET_FLOATS(0.5f, 0.25f, 1, 2));
  maps(ASH_FN_ROW(exp), NET_FLOATS(0, 1, -1, 2),
       NET_FLOATS(1, 2.7182818f, 0.36787944f, 7.3890561f));
  maps(ASH_FN_ROW(log), NET_FLOATS(1, 2.7182818f, 4, 0.5f),
       NET_FLOATS(0, 1, 1.3862944f, -0.6931472f));
  maps(ASH_FN_ROW(sin), NET_FLOATS(0, 1, -1, 3),
       NET_FLOATS(0, 0.841471f, -0.841471f, 0.14112f));
  maps(ASH_FN_ROW(cos), NET_FLOATS(0, 1, -1, 3),
       NET_FLOATS(1, 0.5403023f, 0.5403023f, -0.9899925f));
}

static void rounding_has_three_directions(void) {
  maps(ASH_FN_ROW(floor), NET_FLOATS(1.5f, -1.5f, 2, -0.1f),
       NET_FLOATS(1, -2, 2, -1));
  maps(ASH_FN_ROW(ceil), NET_FLOATS(1.5f, -1.5f, 2, -0.1f),
       NET_FLOATS(2, -1, 2, 0));
  maps(ASH_FN_ROW(round), NET_FLOATS(1.5f, 2.5f, -2.5f, 0.4f),
       NET_FLOATS(2, 2, -2, 0));
}

static void float_activations_are_the_real_ones(void) {
  maps(ASH_FN_ROW(elu), NET_FLOATS(1, -1, 0, -20),
       NET_FLOATS(1, -0.6321206f, 0, -1));
  maps(ASH_FN_ROW(gelu), NET_FLOATS(1, -1, 0, 3),
       NET_FLOATS(0.8413447f, -0.1586553f, 0, 2.9959502f));
  maps(ASH_FN_ROW(hard_swish), NET_FLOATS(-4, -1, 1, 4),
       NET_FLOATS(0, -1 / 3.0f, 2 / 3.0f, 4));
  maps(ASH_FN_ROW(relu_0_to_1), NET_FLOATS(-4, 0.5f, 1, 4),
       NET_FLOATS(0, 0.5f, 1, 1));
  net n = map_net(ASH_FN_ROW(leaky_relu), ASH_FLOAT32, 0, 0, 0, 0);
  net_float(&n, 0, "alpha", 0.25);
  gives_floats(&n, NET_FLOATS(-4, 0, 1, 4), NULL, 4, NET_FLOATS(-1, 0, 1, 4));
}

static void int8_functions_go_through_their_meaning(void) {
  net n = int8_net(ASH_FN_ROW(abs), 1, 2, 0.5f, -100);
  gives_bytes(&n, NET_BYTES(2, 0, 5, 127), NULL, 4,
              NET_BYTES(-100, -96, -94, 127));
  n = int8_net(ASH_FN_ROW(exp), 0.5f, 0, 0.125f, 0); /* 1, 1.65, 0.61, e^-64 */
  gives_bytes(&n, NET_BYTES(0, 1, -1, -128), NULL, 4, NET_BYTES(8, 13, 5, 0));
  n = int8_net(ASH_FN_ROW(log), 1, 0, 0.25f, 3); /* none, 0, 1.39, 4.84 */
  gives_bytes(&n, NET_BYTES(0, 1, 4, 127), NULL, 4, NET_BYTES(-128, 3, 9, 22));
  n = int8_net(ASH_FN_ROW(sqrt), 1, 0, 0.5f,
               0); /* 2.83 / 0.5 = 5.66: cut off */
  gives_bytes(&n, NET_BYTES(4, 8, 0, -5), NULL, 4, NET_BYTES(4, 5, 0, 0));
  n = int8_net(ASH_FN_ROW(rsqrt), 1, 0, 0.0625f, 0);
  gives_bytes(&n, NET_BYTES(1, 4, 100, 0), NULL, 4, NET_BYTES(16, 8, 2, 127));
}

static void int8_activations_rescale(void) {
  net n = int8_net(ASH_FN_ROW(leaky_relu), 1, 0, 0.5f, 0);
  net_float(&n, 0, "alpha", 0.25);
  gives_bytes(&n, NET_BYTES(-8, 0, 8, 127), NULL, 4, NET_BYTES(-4, 0, 16, 127));
  n = int8_net(ASH_FN_ROW(leaky_relu), 1, 0, 1, 0);
  net_float(&n, 0, "alpha", -0.5);
  gives_bytes(&n, NET_BYTES(-8, 0, 8, 127), NULL, 4, NET_BYTES(4, 0, 8, 127));
  n = int8_net(ASH_FN_ROW(relu_0_to_1), 0.25f, 0, 0.25f, -10);
  gives_bytes(&n, NET_BYTES(-8, 0, 3, 8), NULL, 4, NET_BYTES(-10, -10, -7, -6));
  n = int8_net(ASH_FN_ROW(hard_swish), 0.0625f, 0, 0.0625f, 0);
  gives_bytes(&n, NET_BYTES(-64, -16, 16, 64), NULL, 4,
              NET_BYTES(0, -5, 11, 64));
  n = int8_net(ASH_FN_ROW(elu), 0.125f, 0, 0.125f, 0);
  gives_bytes(&n, NET_BYTES(-128, -8, 0, 9), NULL, 4, NET_BYTES(-8, -5, 0, 9));
}

static void rows_are_normalised(void) {
  net n = map_net(ASH_OP_l2_normalization, ASH_FLOAT32, 0, 0, 0, 0);
  gives_floats(&n, NET_FLOATS(3, 0, 4, 0), NULL, 4,
               NET_FLOATS(0.6f, 0, 0.8f, 0));
  n = int8_net(ASH_OP_l2_normalization, 1, 5, 1 / 128.0f, 0);
  gives_bytes(&n, NET_BYTES(8, 5, 9, 5), NULL, 4, NET_BYTES(77, 0, 102, 0));
  n = map_net(ASH_OP_log_softmax, ASH_FLOAT32, 0, 0, 0, 0);
  gives_floats(&n, NET_FLOATS(1, 1, 1, 1), NULL, 4,
               NET_FLOATS(-1.3862944f, -1.3862944f, -1.3862944f, -1.3862944f));
  n = int8_net(ASH_OP_log_softmax, 1, 0, 1 / 16.0f, 127);
  /* log of 4: 22.2 steps of 1/16 */
  gives_bytes(&n, NET_BYTES(9, 9, 9, 9), NULL, 4,
              NET_BYTES(105, 105, 105, 105));
}

static void fixed_point_roots_and_logarithms_are_close(void) {
  for (int32_t x = 2; x < 2000000000; x = x + x / 3 + 1) {
    const ash_ref_factor f = ash_ref_inverse_sqrt(x);
    const double y = ldexp((double)f.multiplier, f.shift - 31);
    CHECK(fabs(y * sqrt((double)x) - 1) < 1e-5);
  }
  for (int32_t k = 0; k < 4000; k++) {
    const double x = 1.0 + k / 2.0;
    const int32_t y = ash_ref_log((int32_t)(x * (1 << 19)));
    CHECK(fabs(y / (double)(1 << 26) - log(x)) < 1e-5);
  }
}

static void fixed_outputs_are_demanded(void) {
  ash_shape shape;
  net n = int8_net(ASH_OP_log_softmax, 1, 0, 1 / 16.0f, 0);
  CHECK_EQ(ash_infer_shape(n.ctx, n.g, 0, &shape), ASH_UNSUPPORTED);
  net_free(&n);
  n = int8_net(ASH_OP_l2_normalization, 1, 0, 1 / 64.0f, 0);
  CHECK_EQ(ash_infer_shape(n.ctx, n.g, 0, &shape), ASH_UNSUPPORTED);
  net_free(&n);
  n = int8_net(ASH_FN_ROW(hard_swish), 1, 0, 0.001f, 0);
  CHECK_EQ(ash_infer_shape(n.ctx, n.g, 0, &shape), ASH_UNSUPPORTED);
  net_free(&n);
  n = int8_net(ASH_FN_ROW(sin), 1, 0, 1, 0);
  CHECK_EQ(ash_infer_shape(n.ctx, n.g, 0, &shape), ASH_UNSUPPORTED);
  net_free(&n);
}

#define TESTS(X)                                                               \
  X(float_functions_are_the_real_ones)                                         \
  X(rounding_has_three_directions)                                             \
  X(float_activations_are_the_real_ones)                                       \
  X(int8_functions_go_through_their_meaning)                                   \
  X(int8_activations_rescale)                                                  \
  X(rows_are_normalised)                                                       \
  X(fixed_point_roots_and_logarithms_are_close)                                \
  X(fixed_outputs_are_demanded)
TEST_MAIN(TESTS)
