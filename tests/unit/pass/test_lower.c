/* test_lower.c - lowering: exponentials, multipliers, tables, and refusals. */
#include "net.h"
#include "pass/lower/fixed_exp.h"
#include "pass/pass.h"

#include <math.h>

/* ---- exponentials ------------------------------------------------------- */

static void the_exponential_is_right_to_the_last_bits(void) {
  for (double x = -80.0; x < 80.0; x += 0.0371) {
    const double want = exp(x);
    CHECK(fabs(ash_exact_exp(x) - want) <= 4e-16 * want);
  }
  CHECK(ash_exact_exp(0.0) == 1.0);
  CHECK(isinf(ash_exact_exp(1000.0)) && ash_exact_exp(-1000.0) == 0.0);
}

static void the_fixed_point_exponential_is_close(void) {
  CHECK_EQ(ash_fixed_exp(0), INT32_MAX);
  for (int32_t x = -1; x > -(31 << 26); x -= 99991) {
    const double want = exp(ldexp((double)x, -26));
    CHECK(fabs(ldexp((double)ash_fixed_exp(x), -31) - want) < 3e-7);
  }
}

/* ---- graphs ------------------------------------------------------------- */

/* conv 1x1, three inputs, two outputs. */
typedef struct conv_net {
  net n;
  uint32_t x, w, y, op;
} conv_net;

static conv_net new_conv(void) {
  conv_net c = {.n = net_new()};
  c.x = net_input(&c.n, ASH_INT8, NET_DIMS(1, 2, 2, 3), 0.5f, -3);
  c.w = net_constant(&c.n, ASH_INT8, NET_DIMS(2, 1, 1, 3),
                     NET_BYTES(1, 2, 3, 4, 5, 6), 0.25f, 0);
  c.y = net_result(&c.n, ASH_INT8, NET_DIMS(1, 2, 2, 2), 1.0f, 7);
  c.op = net_op(&c.n, ASH_OP_conv_2d, NET_IDS(c.x, c.w), c.y);
  return c;
}

static const ash_tensor *input_of(const net *n, uint32_t op, uint32_t k) {
  return ash_op_in(n->g, &n->g->ops.items[op], k);
}

static void convolution_gets_one_multiplier_for_one_scale(void) {
  conv_net c = new_conv();
  CHECK_EQ(ash_pass_run(c.n.ctx, c.n.g), ASH_OK);
  CHECK_EQ(c.n.g->ops.items[c.op].input_count, 5);
  CHECK(input_of(&c.n, c.op, 2) == NULL); /* no bias */
  const ash_tensor *m = input_of(&c.n, c.op, 3);
  const ash_tensor *s = input_of(&c.n, c.op, 4);
  CHECK_STR(m->id, "conv_2d_0_multiplier");
  CHECK_STR(s->id, "conv_2d_0_shift");
  CHECK_EQ(m->kind, ASH_TENSOR_CONSTANT);
  CHECK_EQ(m->bytes, 4);
  CHECK_EQ(s->bytes, 1);
  CHECK_EQ(ash_tensor_int(m, 0), 1 << 30); /* 0.5 * 0.25 / 1 */
  CHECK_EQ(ash_tensor_int(s, 0), -2);
  net_free(&c.n);
}

static void lowering_twice_changes_nothing(void) {
  conv_net c = new_conv();
  CHECK_EQ(ash_pass_run(c.n.ctx, c.n.g), ASH_OK);
  const size_t tensors = c.n.g->tensor_count;
  CHECK_EQ(ash_pass_run(c.n.ctx, c.n.g), ASH_OK);
  CHECK_EQ(c.n.g->tensor_count, tensors);
  CHECK_EQ(c.n.g->ops.items[c.op].input_count, 5);
  net_free(&c.n);
}

static void convolution_gets_a_multiplier_a_channel(void) {
  conv_net c = new_conv();
  const float scales[] = {0.25f, 0.1f};
  net_channels(&c.n, c.w, 0, scales, 2);
  CHECK_EQ(ash_pass_run(c.n.ctx, c.n.g), ASH_OK);
  const ash_tensor *m = input_of(&c.n, c.op, 3);
  CHECK_EQ(m->shape.dim[0], 2);
  CHECK_EQ(ash_tensor_int(m, 1), 1717986944);
  CHECK_EQ(ash_tensor_int(input_of(&c.n, c.op, 4), 1), -4);
  net_free(&c.n);
}

static void fully_connected_gets_a_long_multiplier(void) {
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_INT8, NET_DIMS(1, 2), 0.1f, 0);
  const uint32_t w =
      net_constant(&n, ASH_INT8, NET_DIMS(1, 2), NET_BYTES(1, 2), 0.2f, 0);
  const uint32_t y = net_result(&n, ASH_INT8, NET_DIMS(1, 1), 0.3f, 0);
  const uint32_t op = net_op(&n, ASH_OP_fully_connected, NET_IDS(x, w), y);
  CHECK_EQ(ash_pass_run(n.ctx, n.g), ASH_OK);
  const ash_tensor *m = input_of(&n, op, 3);
  CHECK_EQ(m->type, ASH_INT64);
  const double real = (double)0.1f * (double)0.2f / (double)0.3f;
  CHECK(ldexp((double)ash_tensor_int(m, 0),
              -22 - (int)ash_tensor_int(input_of(&n, op, 4), 0)) == real);
  net_free(&n);
}

/* Lowers one unary operator and returns its table in `table`. */
static void table_of(ash_op_kind kind, float in_scale, int32_t in_zero,
                     float out_scale, int32_t out_zero, int8_t table[256]) {
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_INT8, NET_DIMS(4), in_scale, in_zero);
  const uint32_t y = net_result(&n, ASH_INT8, NET_DIMS(4), out_scale, out_zero);
  const uint32_t op = net_op(&n, kind, NET_IDS(x), y);
  CHECK_EQ(ash_pass_run(n.ctx, n.g), ASH_OK);
  CHECK_EQ(input_of(&n, op, 1)->bytes, 256);
  memcpy(table, input_of(&n, op, 1)->data, 256);
  net_free(&n);
}

static void tables_hold_the_functions(void) {
  int8_t t[256];
  table_of(ASH_FN_ROW(logistic), 0.0625f, 0, 1.0f / 256, -128, t);
  CHECK_EQ(t[128], 0);
  CHECK_EQ(t[0], -128); /* 1 / (1 + exp(8)) * 256 = 0.09 */
  CHECK_EQ(t[255], 127);
  CHECK_EQ(t[144], 59); /* logistic(1) */
  table_of(ASH_FN_ROW(tanh), 0.0625f, 0, 1.0f / 128, 0, t);
  CHECK_EQ(t[128], 0);
  CHECK_EQ(t[144], 97);
  CHECK_EQ(t[112], -97);
  table_of(ASH_FN_ROW(relu6), 0.1f, -28, 0.05f, -128, t);
  CHECK_EQ(t[0], -128);
  CHECK_EQ(t[100], -128); /* real 0 */
  CHECK_EQ(t[101], -126);
  CHECK_EQ(t[255], -8); /* real 6 */
}

static void functions_without_arithmetic_of_their_own_get_tables(void) {
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_INT8, NET_DIMS(4), 0.5f, 0);
  const uint32_t y = net_result(&n, ASH_INT8, NET_DIMS(4), 0.5f, -10);
  const uint32_t op = net_op(&n, ASH_FN_ROW(abs), NET_IDS(x), y);
  CHECK_EQ(ash_pass_run(n.ctx, n.g), ASH_OK);
  const ash_tensor *lut = input_of(&n, op, 1);
  CHECK_STR(lut->id, "abs_0_lut");
  CHECK_EQ(ash_tensor_int(lut, 0), 118); /* |-128| - 10 */
  CHECK_EQ(ash_tensor_int(lut, 125), -7);
  CHECK_EQ(ash_tensor_int(lut, 128), -10);
  CHECK_EQ(ash_tensor_int(lut, 131), -7);
  net_free(&n);
}

static void resizing_gets_the_positions_of_rows_and_columns(void) {
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_INT8, NET_DIMS(1, 2, 3, 1), 0.5f, 0);
  const uint32_t y = net_result(&n, ASH_INT8, NET_DIMS(1, 4, 3, 1), 0.5f, 0);
  const uint32_t op = net_op(&n, ASH_OP_resize_nearest_neighbor, NET_IDS(x), y);
  net_ints(&n, op, "size", (const int64_t[]){4, 3}, 2);
  static const int32_t rows_then_columns[] = {0, 0, 1, 1, 0, 1, 2};
  CHECK_EQ(ash_pass_run(n.ctx, n.g), ASH_OK);
  const ash_tensor *from = input_of(&n, op, 1);
  CHECK_STR(from->id, "resize_nearest_neighbor_0_from");
  CHECK_EQ(ash_shape_elements(&from->shape), 7);
  for (uint32_t i = 0; i < 7; i++)
    CHECK_EQ(ash_tensor_int(from, i), rows_then_columns[i]);
  net_free(&n);
}

static void softmax_gets_its_exponentials(void) {
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_INT8, NET_DIMS(1, 4), 0.125f, 5);
  const uint32_t y = net_result(&n, ASH_INT8, NET_DIMS(1, 4), 1.0f / 256, -128);
  const uint32_t op = net_op(&n, ASH_OP_softmax, NET_IDS(x), y);
  net_float(&n, op, "beta", 1.0);
  CHECK_EQ(ash_pass_run(n.ctx, n.g), ASH_OK);
  const ash_tensor *t = input_of(&n, op, 1);
  CHECK_EQ(t->type, ASH_INT32);
  CHECK_EQ(ash_tensor_int(t, 0), INT32_MAX);
  for (uint64_t d = 1; d < 240; d++) {
    const double want = exp(-0.125 * (double)d) * 0x1p31;
    CHECK(fabs((double)ash_tensor_int(t, d) - want) < 700.0);
  }
  CHECK_EQ(ash_tensor_int(t, 255), 0); /* beyond 31 */
  net_free(&n);
}

/* ---- refusals ----------------------------------------------------------- */

static void check_refused(net *n, ash_status code, ash_diag_id id,
                          const char *tensor) {
  CHECK_EQ(ash_pass_run(n->ctx, n->g), code);
  size_t count;
  const ash_diag *d = ash_ctx_diags(n->ctx, &count);
  CHECK(count > 0);
  CHECK_EQ(d[0].id, id);
  CHECK(d[0].loc.op_kind != NULL);
  if (tensor)
    CHECK_STR(d[0].loc.tensor_name, tensor);
}

static void refuses_a_scale_that_is_not_positive_and_finite(void) {
  const float bad[] = {0.0f, -1.0f, NAN, INFINITY};
  for (size_t i = 0; i < ASH_COUNT_OF(bad); i++) {
    conv_net c = new_conv();
    *(float *)(uintptr_t)c.n.g->tensors.items[c.y].quant.scale = bad[i];
    check_refused(&c.n, ASH_MALFORMED, ASH_D_quant_scale, "y");
    net_free(&c.n);
  }
}

static void refuses_an_integer_tensor_without_scale(void) {
  conv_net c = new_conv();
  c.n.g->tensors.items[c.x].quant.count = 0;
  check_refused(&c.n, ASH_MALFORMED, ASH_D_quant_missing, "x");
  net_free(&c.n);
}

static void refuses_scales_along_another_axis(void) {
  conv_net c = new_conv();
  const float scales[] = {0.25f, 0.1f, 0.1f};
  net_channels(&c.n, c.w, 3, scales, 3);
  check_refused(&c.n, ASH_MALFORMED, ASH_D_quant_channels, "c");
  net_free(&c.n);
}

static void refuses_a_zero_point_outside_the_type(void) {
  conv_net c = new_conv();
  *(int32_t *)(uintptr_t)c.n.g->tensors.items[c.x].quant.zero_point = 128;
  check_refused(&c.n, ASH_MALFORMED, ASH_D_quant_zero_point, "x");
  net_free(&c.n);
}

static void refuses_asymmetric_weights_of_a_convolution(void) {
  conv_net c = new_conv();
  *(int32_t *)(uintptr_t)c.n.g->tensors.items[c.w].quant.zero_point = 1;
  check_refused(&c.n, ASH_UNSUPPORTED, ASH_D_quant_zero_point, "c");
  net_free(&c.n);
}

static void refuses_a_bias_of_the_wrong_length(void) {
  conv_net c = new_conv();
  const uint32_t bias =
      net_constant(&c.n, ASH_INT32, NET_DIMS(3), NET_INTS(1, 2, 3), 0, 0);
  CHECK_EQ(ash_graph_append_input(c.n.g, c.op, bias), ASH_OK);
  CHECK(ash_pass_run(c.n.ctx, c.n.g) != ASH_OK);
  net_free(&c.n);
}

static void refuses_scales_that_are_too_far_apart(void) {
  conv_net c = new_conv();
  *(float *)(uintptr_t)c.n.g->tensors.items[c.y].quant.scale = 1e-12f;
  check_refused(&c.n, ASH_UNSUPPORTED, ASH_D_quant_ratio, "y");
  net_free(&c.n);
}

static void refuses_softmax_into_another_range(void) {
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_INT8, NET_DIMS(1, 4), 0.125f, 5);
  const uint32_t y = net_result(&n, ASH_INT8, NET_DIMS(1, 4), 1.0f / 256, 0);
  net_op(&n, ASH_OP_softmax, NET_IDS(x), y);
  check_refused(&n, ASH_UNSUPPORTED, ASH_D_quant_zero_point, "y");
  net_free(&n);
}

static void refuses_types_without_a_kernel_and_says_which(void) {
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_UINT8, NET_DIMS(4), 0.125f, 0);
  const uint32_t y = net_result(&n, ASH_INT32, NET_DIMS(4), 0.125f, 0);
  net_op(&n, ASH_OP_quantize, NET_IDS(x), y);
  check_refused(&n, ASH_UNSUPPORTED, ASH_D_kernel_none, "x");
  size_t count;
  CHECK_STR(ash_ctx_diags(n.ctx, &count)[0].message,
            "no kernel for quantize from uint8 to int32");
  net_free(&n);
}

static void refuses_a_fused_activation_without_kernel(void) {
  conv_net c = new_conv();
  net_string(&c.n, c.op, "act", "tanh");
  check_refused(&c.n, ASH_UNSUPPORTED, ASH_D_kernel_activation, NULL);
  net_free(&c.n);
}

static void warns_when_a_pool_changes_the_scale(void) {
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_INT8, NET_DIMS(1, 2, 2, 1), 0.5f, 0);
  const uint32_t y = net_result(&n, ASH_INT8, NET_DIMS(1, 2, 2, 1), 0.25f, 0);
  net_op(&n, ASH_OP_max_pool_2d, NET_IDS(x), y);
  CHECK_EQ(ash_pass_run(n.ctx, n.g), ASH_OK);
  size_t count;
  const ash_diag *d = ash_ctx_diags(n.ctx, &count);
  CHECK_EQ(count, 1);
  CHECK_EQ(d[0].severity, ASH_WARNING);
  CHECK_EQ(d[0].id, ASH_D_quant_differs);
  net_free(&n);
}

#define TESTS(X)                                                               \
  X(the_exponential_is_right_to_the_last_bits)                                 \
  X(the_fixed_point_exponential_is_close)                                      \
  X(convolution_gets_one_multiplier_for_one_scale)                             \
  X(lowering_twice_changes_nothing)                                            \
  X(convolution_gets_a_multiplier_a_channel)                                   \
  X(fully_connected_gets_a_long_multiplier)                                    \
  X(tables_hold_the_functions)                                                 \
  X(functions_without_arithmetic_of_their_own_get_tables)                      \
  X(resizing_gets_the_positions_of_rows_and_columns)                           \
  X(softmax_gets_its_exponentials)                                             \
  X(refuses_a_scale_that_is_not_positive_and_finite)                           \
  X(refuses_an_integer_tensor_without_scale)                                   \
  X(refuses_scales_along_another_axis)                                         \
  X(refuses_a_zero_point_outside_the_type)                                     \
  X(refuses_asymmetric_weights_of_a_convolution)                               \
  X(refuses_a_bias_of_the_wrong_length)                                        \
  X(refuses_scales_that_are_too_far_apart)                                     \
  X(refuses_softmax_into_another_range)                                        \
  X(refuses_types_without_a_kernel_and_says_which)                             \
  X(refuses_a_fused_activation_without_kernel)                                 \
  X(warns_when_a_pool_changes_the_scale)
TEST_MAIN(TESTS)
