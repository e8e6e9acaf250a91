/* test_interpreter.c - the reference interpreter: each layer on a case small
 * enough to compute by hand, fixed-point arithmetic at its edges, and whole
 * models against digests of what LiteRT's reference kernels answered. */
#include "base/file.h"
#include "base/rng.h"
#include "base/sha256.h"
#include "check.h"
#include "net.h"
#include "read/read.h"
#include "ref/ref_fixed.h"
#include "run_net.h"

#include <math.h>

/* ---- fixed point -------------------------------------------------------- */

static void factors_are_normalised(void) {
  ash_ref_factor f = ash_ref_factor_of(0.5);
  CHECK(f.multiplier == 1 << 30 && f.shift == 0);
  f = ash_ref_factor_of(3.0);
  CHECK(f.multiplier == 3 << 29 && f.shift == 2);
  f = ash_ref_factor_of(1.0 - ldexp(1.0, -40)); /* rounds up to 1 */
  CHECK(f.multiplier == 1 << 30 && f.shift == 1);
  f = ash_ref_factor_of(ldexp(1.0, -40));
  CHECK(f.multiplier == 0 && f.shift == 0);
}

static void rescaling_rounds_twice(void) {
  const ash_ref_factor half = ash_ref_factor_of(0.5);
  CHECK_EQ(ash_ref_rescale(1, half), 1); /* product: ties go up */
  CHECK_EQ(ash_ref_rescale(-1, half), 0);
  CHECK_EQ(ash_ref_rescale(-3, half), -1);
  const ash_ref_factor quarter = ash_ref_factor_of(0.25);
  CHECK_EQ(ash_ref_rescale(1, quarter), 1); /* 0.25 -> 0.5 -> 1 */
  CHECK_EQ(ash_ref_rescale(-1, quarter), 0);
  CHECK_EQ(ash_ref_rescale(-2, quarter), -1); /* shift: ties away from 0 */
  CHECK_EQ(ash_ref_rescale(5, ash_ref_factor_of(8.0)), 40);
  CHECK_EQ(ash_ref_rescale(1 << 30, ash_ref_factor_of(8.0)), 0); /* wraps */
}

static void shifts_and_products_keep_to_their_edges(void) {
  CHECK_EQ(ash_ref_high_mul(INT32_MIN, INT32_MIN), INT32_MAX);
  CHECK_EQ(ash_ref_high_mul(INT32_MIN, INT32_MAX), -INT32_MAX);
  CHECK_EQ(ash_ref_round_shift(INT32_MIN, 31), -1);
  CHECK_EQ(ash_ref_round_shift(INT32_MAX, 31), 1);
  CHECK_EQ(ash_ref_round_shift(-3, 1), -2);
  CHECK_EQ(ash_ref_round_shift(-7, 0), -7);
  CHECK_EQ(ash_ref_shift_left(INT32_MIN, 1), INT32_MIN);
  CHECK_EQ(ash_ref_wrap((int64_t)INT32_MAX + 1), INT32_MIN);
  CHECK_EQ(ash_ref_wrap(-((int64_t)1 << 31) - 1), INT32_MAX);
}

static void fixed_point_functions_are_close_to_real_ones(void) {
  for (int32_t k = 0; k < 32 * 16; k++) {
    const double x = -k / 16.0;
    const double y = ash_ref_exp((int32_t)(x * (1 << 26))) / 2147483648.0;
    CHECK(fabs(y - exp(x)) < 1e-6);
  }
  for (int32_t k = 0; k < 1000; k++) {
    const double x = k / 1000.0;
    const double y =
        ash_ref_reciprocal((int32_t)(x * 2147483648.0)) / 2147483648.0;
    CHECK(fabs(y - 1 / (1 + x)) < 1e-8);
  }
}

/* ---- sums of products --------------------------------------------------- */

static void convolution_skips_padding(void) {
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_INT8, NET_DIMS(1, 2, 2, 1), 0.5f, 1);
  const uint32_t w = net_constant(&n, ASH_INT8, NET_DIMS(2, 2, 2, 1),
                                  NET_BYTES(1, 2, 3, 4, -1, 0, 0, 1), 0, 0);
  const uint32_t b =
      net_constant(&n, ASH_INT32, NET_DIMS(2), NET_INTS(10, -4), 0, 0);
  const uint32_t y = net_result(&n, ASH_INT8, NET_DIMS(1, 2, 2, 2), 1, -3);
  const uint32_t op = net_op(&n, ASH_OP_conv_2d, NET_IDS(x, w, b), y);
  net_channels(&n, w, 0, (const float[]){2, 4}, 2); /* factors 1 and 2 */
  net_int(&n, op, "pad_bottom", 1);
  net_int(&n, op, "pad_right", 1);
  net_string(&n, op, "act", "relu");
  /* centred input: 1 2 / 3 4 */
  gives_bytes(&n, NET_BYTES(2, 3, 4, 5), NULL, 8,
              NET_BYTES(10 + 1 + 4 + 9 + 16 - 3, 2 * (-4 - 1 + 4) < 0 ? -3 : 0,
                        10 + 2 + 12 - 3, -3, 10 + 3 + 8 - 3, -3, 10 + 4 - 3,
                        -3));
}

static void old_convolutions_are_unsigned(void) {
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_UINT8, NET_DIMS(1, 1, 2, 1), 1, 128);
  const uint32_t w =
      net_constant(&n, ASH_UINT8, NET_DIMS(1, 1, 2, 1), NET_BYTES(5, 1), 1, 3);
  const uint32_t y = net_result(&n, ASH_UINT8, NET_DIMS(1, 1, 1, 1), 1, 100);
  (void)net_op(&n, ASH_OP_conv_2d, NET_IDS(x, w), y);
  /* (130 - 128) * (5 - 3) + (118 - 128) * (1 - 3) + 100 */
  gives_bytes(&n, NET_BYTES((int8_t)130, 118), NULL, 1, NET_BYTES(124));
}

static void float_convolution_has_groups_and_strides(void) {
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_FLOAT32, NET_DIMS(1, 1, 3, 4), 0, 0);
  const uint32_t w = net_constant(&n, ASH_FLOAT32, NET_DIMS(2, 1, 1, 2),
                                  NET_FLOATS(1, 10, 100, 1000), 0, 0);
  const uint32_t y = net_result(&n, ASH_FLOAT32, NET_DIMS(1, 1, 2, 2), 0, 0);
  const uint32_t op = net_op(&n, ASH_OP_conv_2d, NET_IDS(x, w), y);
  net_int(&n, op, "stride_w", 2);
  gives_floats(&n, NET_FLOATS(1, 2, 3, 4, 9, 9, 9, 9, 5, 6, 7, 8), NULL, 4,
               NET_FLOATS(21, 4300, 65, 8700));
}

static void depthwise_makes_channels_from_one(void) {
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_INT8, NET_DIMS(1, 1, 2, 2), 1, 0);
  const uint32_t w = net_constant(&n, ASH_INT8, NET_DIMS(1, 1, 2, 4),
                                  NET_BYTES(1, 2, 3, 4, 5, 6, 7, 8), 1, 0);
  const uint32_t y = net_result(&n, ASH_INT8, NET_DIMS(1, 1, 1, 4), 1, 0);
  const uint32_t op = net_op(&n, ASH_OP_depthwise_conv_2d, NET_IDS(x, w), y);
  net_int(&n, op, "multiplier", 2);
  /* pixels (1, 10) and (2, -3) */
  gives_bytes(&n, NET_BYTES(1, 10, 2, -3), NULL, 4,
              NET_BYTES(1 + 10, 2 + 12, 30 - 21, 40 - 24));
}

static void dense_layers_round_ties_away_from_zero(void) {
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_INT8, NET_DIMS(2, 2), 0.5f, 0);
  const uint32_t w =
      net_constant(&n, ASH_INT8, NET_DIMS(2, 2), NET_BYTES(1, 0, 3, -1), 1, 0);
  const uint32_t y = net_result(&n, ASH_INT8, NET_DIMS(2, 2), 1, 0);
  (void)net_op(&n, ASH_OP_fully_connected, NET_IDS(x, w, ASH_NO_ID), y);
  gives_bytes(&n, NET_BYTES(-1, 0, 3, 2), NULL, 4, NET_BYTES(-1, -2, 2, 4));
}

static void dense_weights_may_have_a_zero_point(void) {
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_INT8, NET_DIMS(1, 2), 1, 1);
  const uint32_t w =
      net_constant(&n, ASH_INT8, NET_DIMS(1, 2), NET_BYTES(4, 5), 1, 2);
  const uint32_t b =
      net_constant(&n, ASH_INT32, NET_DIMS(1), NET_INTS(7), 0, 0);
  const uint32_t y = net_result(&n, ASH_INT8, NET_DIMS(1, 1), 1, 0);
  (void)net_op(&n, ASH_OP_fully_connected, NET_IDS(x, w, b), y);
  gives_bytes(&n, NET_BYTES(3, 4), NULL, 1, NET_BYTES(2 * 2 + 3 * 3 + 7));
}

/* ---- pairs -------------------------------------------------------------- */

static void addition_rescales_and_broadcasts(void) {
  net n = net_new();
  const uint32_t a = net_input(&n, ASH_INT8, NET_DIMS(2, 2), 1, 0);
  const uint32_t b = net_input(&n, ASH_INT8, NET_DIMS(2, 1), 0.5f, 10);
  const uint32_t y = net_result(&n, ASH_INT8, NET_DIMS(2, 2), 0.5f, -1);
  const uint32_t op = net_op(&n, ASH_FN_ROW(add), NET_IDS(a, b), y);
  net_string(&n, op, "act", "relu6");
  /* real: 1 2 / 3 -4 plus 1 / -2; stored as twice that minus 1, 6 is 11 */
  gives_bytes(&n, NET_BYTES(1, 2, 3, -4), NET_BYTES(12, 6), 4,
              NET_BYTES(3, 5, 1, -1));
}

static void multiplication_rescales(void) {
  net n = net_new();
  const uint32_t a = net_input(&n, ASH_INT8, NET_DIMS(3), 0.5f, 0);
  const uint32_t b = net_input(&n, ASH_INT8, NET_SCALAR, 0.5f, -2);
  const uint32_t y = net_result(&n, ASH_INT8, NET_DIMS(3), 1, 5);
  (void)net_op(&n, ASH_FN_ROW(mul), NET_IDS(a, b), y);
  /* products of 6, over 4: 1.5, -15, 190.5 */
  gives_bytes(&n, NET_BYTES(1, -10, 127), NET_BYTES(4), 3,
              NET_BYTES(7, -10, 127));
}

static void products_beyond_reach_end_at_the_limits(void) {
  net n = net_new();
  const uint32_t a = net_input(&n, ASH_INT8, NET_DIMS(4), 0.5f, 3);
  const uint32_t b = net_input(&n, ASH_INT8, NET_SCALAR, 0.5f, 0);
  const uint32_t y = net_result(&n, ASH_INT8, NET_DIMS(4), 1e-34f, -5);
  (void)net_op(&n, ASH_FN_ROW(mul), NET_IDS(a, b), y);
  gives_bytes(&n, NET_BYTES(3, 4, 2, -128), NET_BYTES(1), 4,
              NET_BYTES(-5, 127, -128, -128));
}

static void whole_numbers_are_not_rescaled(void) {
  net n = net_new();
  int32_t got[2];
  const uint32_t a = net_input(&n, ASH_INT32, NET_DIMS(2), 0, 0);
  const uint32_t b =
      net_constant(&n, ASH_INT32, NET_DIMS(2), NET_INTS(1, 100000), 0, 0);
  const uint32_t y = net_result(&n, ASH_INT32, NET_DIMS(2), 0, 0);
  const uint32_t op = net_op(&n, ASH_FN_ROW(add), NET_IDS(a, b), y);
  net_run(&n, NET_INTS(INT32_MAX, 5), NULL, got);
  CHECK_EQ(got[0], INT32_MIN);
  CHECK_EQ(got[1], 100005);
  net_string(&n, op, "fn", "mul");
  net_run(&n, NET_INTS(3, -5), NULL, got);
  CHECK_EQ(got[1], -500000);
  net_free(&n);
}

/* ---- pools and reductions ----------------------------------------------- */

static net pool_net(ash_op_kind kind) {
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_INT8, NET_DIMS(1, 2, 3, 1), 1, 9);
  const uint32_t y = net_result(&n, ASH_INT8, NET_DIMS(1, 1, 2, 1), 2, 0);
  const uint32_t op = net_op(&n, kind, NET_IDS(x), y);
  net_int(&n, op, "filter_h", 2);
  net_int(&n, op, "filter_w", 2);
  net_int(&n, op, "stride_w", 2);
  net_int(&n, op, "pad_right", 1);
  return n;
}

static void pools_leave_padding_out(void) {
  net n = pool_net(ASH_OP_average_pool_2d);
  /* (-2 - 3 - 4 - 5) / 4 = -3.5; (7 + 8) / 2 = 7.5: away from zero */
  gives_bytes(&n, NET_BYTES(-2, -3, 7, -4, -5, 8), NULL, 2, NET_BYTES(-4, 8));
  n = pool_net(ASH_OP_max_pool_2d);
  gives_bytes(&n, NET_BYTES(-2, -3, -7, -4, -5, -8), NULL, 2,
              NET_BYTES(-2, -7));
}

static net mean_net(ash_type type, float out_scale) {
  net n = net_new();
  const float scale = type == ASH_INT8 ? 1 : 0;
  const uint32_t x = net_input(&n, type, NET_DIMS(2, 2, 2), scale, 0);
  const uint32_t y = net_result(&n, type, NET_DIMS(2), out_scale, 0);
  (void)net_fold(&n, "mean", x, y, (const int64_t[]){0, -1}, 2);
  return n;
}

static void means_rescale_their_sum(void) {
  net n = mean_net(ASH_INT8, 0.5f);
  gives_bytes(&n, NET_BYTES(1, 2, 10, 20, 3, 5, 30, 41), NULL, 2,
              NET_BYTES(6, 51)); /* 2.75 and 25.25, times 2: ties up */
  n = mean_net(ASH_FLOAT32, 0);
  gives_floats(&n, NET_FLOATS(1, 2, 10, 20, 3, 5, 30, 41), NULL, 2,
               NET_FLOATS(2.75f, 25.25f));
}

/* ---- one value at a time ------------------------------------------------ */

static net unary_net(ash_op_kind kind, ash_type from, float a, int32_t za,
                     ash_type to, float b, int32_t zb) {
  net n = net_new();
  const uint32_t x = net_input(&n, from, NET_DIMS(1, 4), a, za);
  const uint32_t y = net_result(&n, to, NET_DIMS(1, 4), b, zb);
  (void)net_op(&n, kind, NET_IDS(x), y);
  return n;
}

static void rectifiers_rescale_and_clamp(void) {
  net n = unary_net(ASH_FN_ROW(relu), ASH_INT8, 1, 2, ASH_INT8, 0.5f, -128);
  gives_bytes(&n, NET_BYTES(-5, 2, 3, 127), NULL, 4,
              NET_BYTES(-128, -128, -126, 122));
  n = unary_net(ASH_FN_ROW(relu6), ASH_INT8, 0.1f, 0, ASH_INT8, 0.1f, 0);
  gives_bytes(&n, NET_BYTES(-5, 59, 60, 61), NULL, 4, NET_BYTES(0, 59, 60, 60));
  n = unary_net(ASH_FN_ROW(relu_n1_to_1), ASH_FLOAT32, 0, 0, ASH_FLOAT32, 0, 0);
  gives_floats(&n, NET_FLOATS(-5, 0.25f, 1, 61), NULL, 4,
               NET_FLOATS(-1, 0.25f, 1, 1));
  n = unary_net(ASH_FN_ROW(relu), ASH_FLOAT32, 0, 0, ASH_FLOAT32, 0, 0);
  float got[4];
  net_run(&n, NET_FLOATS(-1, 2, INFINITY, -INFINITY), NULL, got);
  CHECK(got[0] == 0 && got[1] == 2 && got[2] > 3e38f && got[3] == 0);
  net_free(&n);
}

static void quantising_rounds_ties_away_from_zero(void) {
  net n = unary_net(ASH_OP_quantize, ASH_FLOAT32, 0, 0, ASH_INT8, 2, 10);
  gives_bytes(&n, NET_FLOATS(1, -1, 1e30f, -1e30f), NULL, 4,
              NET_BYTES(11, 9, 127, -128));
  n = unary_net(ASH_OP_quantize, ASH_UINT8, 1, 128, ASH_INT8, 1, 0);
  gives_bytes(&n, NET_BYTES(0, 127, -128, -1), NULL, 4,
              NET_BYTES(-128, -1, 0, 127));
  n = unary_net(ASH_OP_dequantize, ASH_INT8, 0.25f, 1, ASH_FLOAT32, 0, 0);
  gives_floats(&n, NET_BYTES(1, 2, -3, 127), NULL, 4,
               NET_FLOATS(0, 0.25f, -1, 31.5f));
}

static void sigmoids_are_tables_in_float(void) {
  net n = unary_net(ASH_FN_ROW(logistic), ASH_INT8, 0.0625f, 0, ASH_INT8,
                    1 / 256.0f, -128);
  /* 1/2; 1/(1+exp(-1)) = 0.7311 -> 187.2; -8: 0.09; 7.94: saturates */
  gives_bytes(&n, NET_BYTES(0, 16, -128, 127), NULL, 4,
              NET_BYTES(0, 187 - 128, -128, 127));
  n = unary_net(ASH_FN_ROW(tanh), ASH_INT8, 0.0625f, 0, ASH_INT8, 1 / 128.0f,
                0);
  gives_bytes(&n, NET_BYTES(0, 8, -8, 127), NULL, 4,
              NET_BYTES(0, 59, -59, 127));
  n = unary_net(ASH_FN_ROW(logistic), ASH_FLOAT32, 0, 0, ASH_FLOAT32, 0, 0);
  gives_floats(&n, NET_FLOATS(0, 20, -20, 1), NULL, 4,
               NET_FLOATS(0.5f, 1, 2.0611537e-9f, 0.7310586f));
}

static void softmax_sums_to_one(void) {
  net n = unary_net(ASH_OP_softmax, ASH_INT8, 1, 5, ASH_INT8, 1 / 256.0f, -128);
  /* exp: 1, 0.3679, 0.1353, 0; over 1.5032, times 256: 170.3 62.7 23.05 0 */
  gives_bytes(&n, NET_BYTES(5, 4, 3, -100), NULL, 4,
              NET_BYTES(170 - 128, 63 - 128, 23 - 128, -128));
  n = unary_net(ASH_OP_softmax, ASH_FLOAT32, 0, 0, ASH_FLOAT32, 0, 0);
  net_float(&n, 0, "beta", 2.0);
  gives_floats(&n, NET_FLOATS(1, 0.5f, 0, -90), NULL, 4,
               NET_FLOATS(0.6652409f, 0.2447285f, 0.0900306f, 0));
}

/* ---- moves -------------------------------------------------------------- */

static void padding_means_zero_unless_told(void) {
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_INT8, NET_DIMS(1, 2), 1, -7);
  const uint32_t y = net_result(&n, ASH_INT8, NET_DIMS(2, 3), 1, -7);
  const uint32_t op = net_op(&n, ASH_OP_pad, NET_IDS(x), y);
  net_ints(&n, op, "before", (const int64_t[]){0, 1}, 2);
  net_ints(&n, op, "after", (const int64_t[]){1, 0}, 2);
  int8_t got[6];
  static const int8_t plain[6] = {-7, 1, 2, -7, -7, -7};
  net_run(&n, NET_BYTES(1, 2), NULL, got);
  CHECK(memcmp(got, plain, 6) == 0);
  const uint32_t v =
      net_constant(&n, ASH_INT8, NET_SCALAR, NET_BYTES(9), 1, -7);
  CHECK_EQ(ash_graph_append_input(n.g, op, v), ASH_OK);
  gives_bytes(&n, NET_BYTES(1, 2), NULL, 6, NET_BYTES(9, 1, 2, 9, 9, 9));
}

static void concatenation_interleaves(void) {
  net n = net_new();
  const uint32_t a = net_input(&n, ASH_INT8, NET_DIMS(2, 1), 1, 0);
  const uint32_t b = net_input(&n, ASH_INT8, NET_DIMS(2, 2), 1, 0);
  const uint32_t y = net_result(&n, ASH_INT8, NET_DIMS(2, 3), 1, 0);
  const uint32_t op = net_op(&n, ASH_OP_concatenation, NET_IDS(a, b), y);
  net_int(&n, op, "axis", -1);
  gives_bytes(&n, NET_BYTES(1, 2), NET_BYTES(3, 4, 5, 6), 6,
              NET_BYTES(1, 3, 4, 2, 5, 6));
}

static void concatenation_rescales_where_it_must(void) {
  for (int narrow = 0; narrow < 2; narrow++) {
    const ash_type type = narrow ? ASH_UINT8 : ASH_INT8;
    net n = net_new();
    const uint32_t a = net_input(&n, type, NET_DIMS(2), 1, 0);
    const uint32_t b = net_input(&n, type, NET_DIMS(1), 0.5f, 4);
    const uint32_t y = net_result(&n, type, NET_DIMS(3), 1, 0);
    const uint32_t op = net_op(&n, ASH_OP_concatenation, NET_IDS(a, b), y);
    net_int(&n, op, "axis", 0);
    gives_bytes(&n, NET_BYTES(1, 2), NET_BYTES(20), 3, NET_BYTES(1, 2, 8));
  }
}

static void reshape_copies(void) {
  net n = net_new();
  const uint32_t a = net_input(&n, ASH_INT8, NET_DIMS(2, 2), 0, 0);
  const uint32_t y = net_result(&n, ASH_INT8, NET_DIMS(4), 0, 0);
  (void)net_op(&n, ASH_OP_reshape, NET_IDS(a), y);
  gives_bytes(&n, NET_BYTES(1, 2, 3, 4), NULL, 4, NET_BYTES(1, 2, 3, 4));
}

/* ---- the interpreter itself --------------------------------------------- */

static void count_ops(void *user, const ash_graph *g, uint32_t op,
                      const void *const *outputs) {
  int *sum = user;
  CHECK(op < g->op_count);
  *sum += ((const int8_t *)outputs[0])[0];
}

static void watchers_see_every_operator(void) {
  net n = net_new();
  int sum = 0;
  int8_t out;
  const uint32_t x = net_input(&n, ASH_INT8, NET_DIMS(1), 1, 0);
  const uint32_t a = net_result(&n, ASH_INT8, NET_DIMS(1), 1, 1);
  const uint32_t y = net_result(&n, ASH_INT8, NET_DIMS(1), 1, 2);
  (void)net_op(&n, ASH_FN_ROW(relu), NET_IDS(x), a);
  (void)net_op(&n, ASH_FN_ROW(relu), NET_IDS(a), y);
  const void *inputs[] = {NET_BYTES(10)};
  void *outputs[] = {&out};
  const ash_ref_watch watch = {count_ops, &sum};
  CHECK_EQ(ash_ref_run_watched(n.ctx, n.g, inputs, outputs, &watch), ASH_OK);
  CHECK_EQ(sum, 11 + 12);
  CHECK_EQ(out, 12);
  net_free(&n);
}

static void malformed_graphs_are_refused(void) {
  net n = net_new();
  int8_t out[4];
  const uint32_t x = net_input(&n, ASH_INT8, NET_DIMS(2), 1, 0);
  const uint32_t y = net_result(&n, ASH_INT8, NET_DIMS(3), 1, 1);
  (void)net_op(&n, ASH_FN_ROW(relu), NET_IDS(x), y);
  const void *inputs[] = {NET_BYTES(10, 20)};
  void *outputs[] = {out};
  CHECK_EQ(ash_ref_run(n.ctx, n.g, inputs, outputs), ASH_MALFORMED);
  net_free(&n);
}

static void every_operator_has_a_kernel(void) {
  for (ash_op_kind kind = 0; kind < ASH_OP_COUNT; kind++)
    if (!ash_ref_knows(kind) && kind != ASH_OP_custom) { /* the user's */
      fprintf(stderr, "%s\n", ash_op_kind_text(kind));
      CHECK(false);
    }
}

/* ---- whole models ------------------------------------------------------- */

enum { CASES = 4, BYTES_MAX = 1 << 20 };

/* Two random inputs, two of extreme values; the digest is over all outputs.
 * LiteRT's reference kernels gave the expected ones for the same inputs. */
static void digest_of(const char *path, char *hex) {
  static uint8_t in[BYTES_MAX], out[BYTES_MAX];
  ash_ctx *ctx;
  ash_graph *g;
  ash_file file;
  ash_sha256 h;
  ash_rng rng = {1};
  CHECK_EQ(ash_ctx_new(&ctx, NULL), ASH_OK);
  if (ash_file_read(ctx, &file, path) != ASH_OK) {
    ash_file_drop(&file);
    ash_ctx_free(ctx);
    SKIP("the models of MLPerf Tiny are not at ../shared/data");
  }
  CHECK_EQ(ash_read_model(ctx, &g, file.bytes, file.count, path), ASH_OK);
  const uint64_t in_bytes = g->tensors.items[g->inputs[0]].bytes;
  const uint64_t out_bytes = g->tensors.items[g->outputs[0]].bytes;
  CHECK(g->input_count == 1 && g->output_count == 1);
  CHECK(in_bytes <= BYTES_MAX && out_bytes <= BYTES_MAX);
  ash_sha256_init(&h);
  for (int i = 0; i < CASES; i++) {
    for (uint64_t k = 0; k < in_bytes; k++) {
      const uint64_t word = ash_rng_next(&rng);
      in[k] = (uint8_t)(i < 2 ? word & 255 : word & 1 ? 0x7f : 0x80);
    }
    const void *inputs[] = {in};
    void *outputs[] = {out};
    CHECK_EQ(ash_ref_run(ctx, g, inputs, outputs), ASH_OK);
    ash_sha256_add(&h, out, (size_t)out_bytes);
  }
  ash_sha256_hex(&h, hex, 16);
  ash_graph_free(g);
  ash_file_drop(&file);
  ash_ctx_free(ctx);
}

static void mlperf_tiny_models_give_litert_bytes(void) {
  static const struct {
    const char *name, *digest;
  } models[] = {{"ad01_int8", "62e2d25817bb74e7"},
                {"ic_resnet8_int8", "39c09aa923e5733a"},
                {"kws_ref_model_int8", "f914aaec2ab85dd0"},
                {"vww_96_int8", "0a5b5a82c785ce72"}};
  for (size_t i = 0; i < ASH_COUNT_OF(models); i++) {
    char path[1000], hex[17];
    (void)snprintf(path, sizeof path, "%s/../shared/data/models/tiny/%s.tflite",
                   TEST_SOURCE_DIR, models[i].name);
    digest_of(path, hex);
    CHECK_STR(hex, models[i].digest);
  }
}

#define TESTS(X)                                                               \
  X(factors_are_normalised)                                                    \
  X(rescaling_rounds_twice)                                                    \
  X(shifts_and_products_keep_to_their_edges)                                   \
  X(fixed_point_functions_are_close_to_real_ones)                              \
  X(convolution_skips_padding)                                                 \
  X(old_convolutions_are_unsigned)                                             \
  X(float_convolution_has_groups_and_strides)                                  \
  X(depthwise_makes_channels_from_one)                                         \
  X(dense_layers_round_ties_away_from_zero)                                    \
  X(dense_weights_may_have_a_zero_point)                                       \
  X(addition_rescales_and_broadcasts)                                          \
  X(multiplication_rescales)                                                   \
  X(products_beyond_reach_end_at_the_limits)                                   \
  X(whole_numbers_are_not_rescaled)                                            \
  X(pools_leave_padding_out)                                                   \
  X(means_rescale_their_sum)                                                   \
  X(rectifiers_rescale_and_clamp)                                              \
  X(quantising_rounds_ties_away_from_zero)                                     \
  X(sigmoids_are_tables_in_float)                                              \
  X(softmax_sums_to_one)                                                       \
  X(padding_means_zero_unless_told)                                            \
  X(concatenation_rescales_where_it_must)                                      \
  X(concatenation_interleaves)                                                 \
  X(reshape_copies)                                                            \
  X(watchers_see_every_operator)                                               \
  X(malformed_graphs_are_refused)                                              \
  X(every_operator_has_a_kernel)                                               \
  X(mlperf_tiny_models_give_litert_bytes)
TEST_MAIN(TESTS)
