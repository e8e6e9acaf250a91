/* test_kernel.c - scales as integers, and the table of kernels. */
#include "kernel/choose.h"
#include "kernel/quant.h"
#include "net.h"

#include <math.h>

/* ---- multipliers -------------------------------------------------------- */

static void check_scaling(double real, int32_t multiplier, int32_t shift) {
  ash_scaling s;
  CHECK(ash_quant_scaling(&s, real));
  CHECK_EQ(s.multiplier, multiplier);
  CHECK_EQ(s.shift, shift);
}

static void multipliers_have_their_known_values(void) {
  check_scaling(0.0, 0, 0);
  check_scaling(1.0, 1 << 30, 1);
  check_scaling(0.5, 1 << 30, 0);
  check_scaling(0.25, 1 << 30, -1);
  check_scaling(0.1, 1717986918, -3);
  check_scaling(0.1f, 1717986944, -3);
  check_scaling(3.0, 1610612736, 2);
  check_scaling(1.0 - 0x1p-40, 1 << 30, 1); /* rounds up to the next power */
  check_scaling(0x1p-32, 1 << 30, -31);
  check_scaling(0x1p-33, 0, 0); /* too small: flushed */
}

static void ratios_that_cannot_be_shifted_are_refused(void) {
  ash_scaling s;
  ash_long_scaling l;
  CHECK(ash_quant_scaling(&s, 0x1p30));
  CHECK(!ash_quant_scaling(&s, 0x1p31));
  CHECK(ash_quant_long_scaling(&l, 0x1p29));
  CHECK_EQ(l.shift, 1);
  CHECK(!ash_quant_long_scaling(&l, 0x1p30));
}

static void long_multipliers_are_exact(void) {
  const double values[] = {0.1, 1.0 / 3.0, 7e-5, 0x1p-32, 12345.678};
  for (size_t i = 0; i < ASH_COUNT_OF(values); i++) {
    ash_long_scaling l;
    CHECK(ash_quant_long_scaling(&l, values[i]));
    CHECK(ldexp((double)l.multiplier, -22 - l.shift) == values[i]);
    CHECK(l.multiplier >> 52 == 1);
    CHECK(l.shift >= 1 && l.shift <= 62);
  }
}

/* Any product but 0, times 2^14, is beyond the 8 bits of the result. */
static void products_of_bytes_have_a_ratio_however_far(void) {
  float small = 1e-34f, one = 1.0f;
  int32_t zero = 0;
  const ash_quant unit = {.scale = &one, .zero_point = &zero, .count = 1};
  const ash_quant far = {.scale = &small, .zero_point = &zero, .count = 1};
  const ash_tensor a = {.type = ASH_INT8, .quant = unit};
  ash_tensor y = {.type = ASH_INT8, .quant = far};
  ash_scaling s;
  CHECK(ash_quant_mul(&s, &a, &a, &y));
  CHECK_EQ(s.multiplier, 1 << 30);
  CHECK_EQ(s.shift, 15);
  y.type = ASH_INT16;
  CHECK(!ash_quant_mul(&s, &a, &a, &y));
}

/* Every sum that int8 can show becomes the nearest integer of its product; a
 * multiplier with a shift behind it fails at many halves that are none. */
static void results_that_round_once_are_the_nearest(void) {
  const float scale = 1.0f;
  const int32_t zero = 0;
  const ash_tensor t = {.type = ASH_INT8, .quant = {1, 0, &scale, &zero, true}};
  const double ratios[] = {0.90123457, 0.3712345, 0.0123456, 0.0039101};
  for (size_t i = 0; i < ASH_COUNT_OF(ratios); i++) {
    ash_scaling s;
    CHECK(ash_quant_scaling_to(&s, &t, ratios[i]));
    CHECK_EQ(s.shift, 0);
    const int32_t end = (int32_t)(128 / ratios[i]);
    int32_t wrong = 0;
    for (int32_t sum = -end; sum <= end; sum++) {
      const double near = floor(sum * ratios[i] + 0.5);
      wrong += ((int64_t)sum * s.multiplier + (1 << 30)) >> 31 != (int64_t)near;
    }
    CHECK_EQ(wrong, 0);
  }
}

static void ratios_without_room_round_twice(void) {
  const float scale = 1.0f;
  const int32_t zero = 0;
  const ash_tensor t = {.type = ASH_INT8, .quant = {1, 0, &scale, &zero, true}};
  const double ratios[] = {1e-5, 0.9999999999, 1.0, 12.5, 0};
  for (size_t i = 0; i < ASH_COUNT_OF(ratios); i++) {
    ash_scaling s, plain;
    CHECK(ash_quant_scaling_to(&s, &t, ratios[i]));
    CHECK(ash_quant_scaling(&plain, ratios[i]));
    CHECK_EQ(s.multiplier, plain.multiplier);
    CHECK_EQ(s.shift, plain.shift);
  }
}

static void mean_divides_inside_its_multiplier(void) {
  const float scale = 0.5f;
  const int32_t zero = 0;
  const ash_tensor t = {.type = ASH_INT8,
                        .quant = {1, 0, &scale, &zero, false}};
  ash_scaling s;
  CHECK(ash_quant_mean(&s, &t, &t, 3));
  CHECK_EQ(s.multiplier, (int32_t)((INT64_C(1) << 31) / 3));
  CHECK_EQ(s.shift, 0);
}

static void bounds_of_activations_are_quantised_in_float(void) {
  const float scale = 0.1f;
  const int32_t zero = -100;
  const ash_tensor t = {.type = ASH_INT8,
                        .quant = {1, 0, &scale, &zero, false}};
  ash_int_range r = ash_quant_range(&t, "relu6");
  CHECK_EQ(r.low, -100);
  CHECK_EQ(r.high, -40);
  r = ash_quant_range(&t, "relu");
  CHECK_EQ(r.high, 127);
  r = ash_quant_range(&t, "relu_n1_to_1");
  CHECK_EQ(r.low, -110);
  CHECK_EQ(r.high, -90);
  r = ash_quant_range(&t, "none");
  CHECK_EQ(r.low, -128);
}

/* ---- the table ---------------------------------------------------------- */

static void every_kernel_is_complete(void) {
  const ash_kernel *k;
  for (size_t i = 0; (k = ash_kernel_at(i)) != NULL; i++) {
    CHECK(k->name && k->op < ASH_OP_COUNT);
    CHECK(k->file ? strncmp(k->file, "ash_rt_", 7) == 0
                  : strcmp(k->name, "loop") == 0 || k->op == ASH_OP_custom);
  }
  for (ash_op_kind op = 0; op < ASH_OP_COUNT; op++) {
    bool found = false;
    for (size_t i = 0; (k = ash_kernel_at(i)) != NULL; i++)
      found |= k->op == op;
    CHECK(found);
  }
}

static void only_equal_shapes_run_in_place(void) {
  net n = net_new();
  const uint32_t a = net_input(&n, ASH_INT8, NET_DIMS(2, 3), 0.5f, 0);
  const uint32_t b = net_input(&n, ASH_INT8, NET_DIMS(3), 0.5f, 0);
  const uint32_t y = net_result(&n, ASH_INT8, NET_DIMS(2, 3), 0.5f, 0);
  const uint32_t op = net_op(&n, ASH_FN_ROW(add), NET_IDS(a, b), y);
  const ash_kernel *k;
  k = ash_kernel_find(n.g, op, NULL, false);
  CHECK_EQ(ash_kernel_check(n.ctx, k, n.g, op), ASH_OK);
  CHECK_STR(k->name, "add_s8");
  CHECK(ash_kernel_in_place(k, n.g, op, 0));
  CHECK(!ash_kernel_in_place(k, n.g, op, 1));
  CHECK_EQ(ash_choose(n.g, op, NULL).scratch, 0);
  net_free(&n);
}

/* Operators share a specialised kernel if they have its row. */
static void a_kernel_that_layers_copy_has_one_row(void) {
  const ash_kernel *k, *other;
  for (size_t i = 0; (k = ash_kernel_at(i)) != NULL; i++)
    for (size_t j = 0; j < i && (other = ash_kernel_at(j)) != NULL; j++)
      CHECK(k->special == ASH_SPECIAL_NEVER ||
            strcmp(k->name, other->name) != 0);
}

static void refuses_scales_that_no_parameters_hold(void) {
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_INT8, NET_DIMS(4), 1e6f, 0);
  const uint32_t y = net_result(&n, ASH_INT16, NET_DIMS(4), 1e-6f, 0);
  const uint32_t op = net_op(&n, ASH_OP_quantize, NET_IDS(x), y);
  const ash_kernel *k = ash_kernel_find(n.g, op, NULL, false);
  CHECK_EQ(ash_kernel_check(n.ctx, k, n.g, op), ASH_OK);
  CHECK_EQ(ash_kernel_check_params(n.ctx, k, n.g, op), ASH_UNSUPPORTED);
  size_t count;
  CHECK_EQ(ash_ctx_diags(n.ctx, &count)[0].id, ASH_D_quant_ratio);
  net_free(&n);
}

/* Does a window over such an image run line by line? */
static bool pools_lines(ash_shape shape) {
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_INT8, shape, 1, 0);
  const uint32_t y = net_result(&n, ASH_INT8, shape, 1, 0);
  const uint32_t op = net_op(&n, ASH_OP_max_pool_2d, NET_IDS(x), y);
  const ash_kernel *kernel = ash_choose(n.g, op, NULL).kernel;
  CHECK(kernel && kernel->lines);
  const bool runs = ash_kernel_runs_rows(kernel, n.g, op, false);
  net_free(&n);
  return runs;
}

/* Rows of an image are its lines; columns and images are not. */
static void windows_run_by_lines_of_one_image_only(void) {
  CHECK(pools_lines(NET_DIMS(1, 8, 8, 2)));
  CHECK(pools_lines(NET_DIMS(1, 8, 1, 2)));
  CHECK(!pools_lines(NET_DIMS(1, 1, 8, 2)));
  CHECK(!pools_lines(NET_DIMS(2, 8, 8, 2)));
}

/* Why portable C, or "-". */
static const char *why_portable(const net *n, uint32_t op, uint32_t features) {
  const ash_target target = {.features = features};
  const char *why = ash_choose(n->g, op, &target).portable;
  return why ? why : "-";
}

static void check_layer(ash_op_kind kind, ash_shape in, ash_shape filter,
                        int32_t channels, uint32_t features, const char *why) {
  static const int8_t weights[1000] = {0};
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_INT8, in, 0.5f, 0);
  const uint32_t w = net_constant(&n, ASH_INT8, filter, weights, 0.5f, 0);
  const uint32_t y =
      net_result(&n, ASH_INT8, NET_DIMS(1, 8, 8, channels), 0.5f, 0);
  const uint32_t op = net_op(&n, kind, NET_IDS(x, w), y);
  CHECK_STR(why_portable(&n, op, features), why);
  CHECK_STR(why_portable(&n, op, 0), "-");
  CHECK_STR(why_portable(&n, op, ASH_FEATURE_SCALAR), "-");
  net_free(&n);
}

static void check_pair(ash_type type, ash_shape second, const char *why) {
  const float scale = type == ASH_FLOAT32 ? 0.0f : 0.5f;
  net n = net_new();
  const uint32_t a = net_input(&n, type, NET_DIMS(2, 3), scale, 0);
  const uint32_t b = net_input(&n, type, second, scale, 0);
  const uint32_t y = net_result(&n, type, NET_DIMS(2, 3), scale, 0);
  const uint32_t op = net_op(&n, ASH_FN_ROW(add), NET_IDS(a, b), y);
  CHECK_STR(why_portable(&n, op, ASH_FEATURE_DSP), why);
  net_free(&n);
}

static void portable_kernels_beside_fast_ones_have_a_reason(void) {
  const ash_shape image = NET_DIMS(1, 8, 8, 4);
  const uint32_t dsp = ASH_FEATURE_DSP, rvv = ASH_FEATURE_RVV;
  check_layer(ASH_OP_conv_2d, image, NET_DIMS(6, 1, 1, 2), 6, rvv,
              "it has several groups");
  check_layer(ASH_OP_conv_2d, image, NET_DIMS(6, 1, 1, 2), 6, dsp,
              "its scales or sums are outside the range of packed layers");
  check_layer(ASH_OP_depthwise_conv_2d, image, NET_DIMS(1, 3, 3, 8), 8, dsp,
              "it makes several channels of one");
  check_layer(ASH_OP_depthwise_conv_2d, image, NET_DIMS(1, 7, 7, 4), 4, dsp,
              "its window has more than 25 taps");
  check_layer(ASH_OP_transpose_conv, image, NET_DIMS(6, 1, 1, 4), 6, rvv,
              "there is no faster one for this operator");
  check_pair(ASH_INT8, NET_DIMS(2, 3), "-");
  check_pair(ASH_INT8, NET_DIMS(2, 1),
             "an operand is repeated along the last axis");
  check_pair(ASH_FLOAT32, NET_DIMS(2, 3),
             "there is no faster one for its types");
}

/* Their parts would be as many as the stride has pixels. */
static void transposed_convolutions_with_gaps_are_portable(void) {
  static const int8_t weights[144] = {0};
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_INT8, NET_DIMS(1, 2, 2, 4), 0.5f, 0);
  const uint32_t w =
      net_constant(&n, ASH_INT8, NET_DIMS(4, 3, 3, 4), weights, 0.5f, 0);
  const uint32_t y = net_result(&n, ASH_INT8, NET_DIMS(1, 903, 5, 4), 0.5f, 0);
  const uint32_t op = net_op(&n, ASH_OP_transpose_conv, NET_IDS(x, w), y);
  net_int(&n, op, "stride_h", 900);
  net_int(&n, op, "stride_w", 2);
  CHECK_STR(why_portable(&n, op, ASH_FEATURE_DSP),
            "its stride is larger than its filter");
  net_free(&n);
}

#define TESTS(X)                                                               \
  X(multipliers_have_their_known_values)                                       \
  X(ratios_that_cannot_be_shifted_are_refused)                                 \
  X(products_of_bytes_have_a_ratio_however_far)                                \
  X(results_that_round_once_are_the_nearest)                                   \
  X(ratios_without_room_round_twice)                                           \
  X(long_multipliers_are_exact)                                                \
  X(mean_divides_inside_its_multiplier)                                        \
  X(bounds_of_activations_are_quantised_in_float)                              \
  X(every_kernel_is_complete)                                                  \
  X(windows_run_by_lines_of_one_image_only)                                    \
  X(only_equal_shapes_run_in_place)                                            \
  X(transposed_convolutions_with_gaps_are_portable)                            \
  X(portable_kernels_beside_fast_ones_have_a_reason)                           \
  X(a_kernel_that_layers_copy_has_one_row)                                     \
  X(refuses_scales_that_no_parameters_hold)
TEST_MAIN(TESTS)
