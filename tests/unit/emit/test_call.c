/* test_call.c - the text of kernel calls. Whether it computes the right thing
 * is tested end to end; here, its form and the joining of dimensions. */
#include "emit/call/call.h"
#include "net.h"
#include "pass/pass.h"

static const char *const names[] = {"a", "b", "c", "d", "e"};
static const char *const results[] = {"y"};

/* Lowers the graph and writes the call of its operator; to be dropped. */
static ash_text text_of(net *n, uint32_t op) {
  ash_text t;
  const ash_kernel *k;
  CHECK_EQ(ash_pass_lower(n->ctx, n->g), ASH_OK);
  k = ash_kernel_find(n->g, op, NULL, false);
  CHECK_EQ(ash_kernel_check(n->ctx, k, n->g, op), ASH_OK);
  ash_text_init(&t, &n->ctx->mem);
  const ash_call call = {.graph = n->g,
                         .op = op,
                         .kernel = k,
                         .inputs = names,
                         .outputs = results,
                         .text = &t};
  CHECK_EQ(ash_emit_call(n->ctx, &call), ASH_OK);
  ash_text_put(&t, "", 1); /* NUL */
  return t;
}

static void check_holds(const ash_text *t, const char *piece) {
  if (!strstr(t->bytes, piece)) {
    fprintf(stderr, "no '%s' in\n%s\n", piece, t->bytes);
    CHECK(strstr(t->bytes, piece) != NULL);
  }
}

static void a_call_is_a_constant_struct_and_one_statement(void) {
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_INT8, NET_DIMS(2, 3), 0.5f, 0);
  const uint32_t y = net_result(&n, ASH_INT8, NET_DIMS(2, 3), 0.5f, 0);
  const uint32_t op = net_op(&n, ASH_FN_ROW(relu6), NET_IDS(x), y);
  ash_text t = text_of(&n, op);
  CHECK_STR(t.bytes, "static const ash_rt_count_params p = {\n"
                     "  .count = 6,\n"
                     "};\n"
                     "ash_rt_lut_s8(&p,\n"
                     "    (const int8_t *)(a),\n"
                     "    (const int8_t *)(b),\n"
                     "    (int8_t *)(y));\n");
  ash_text_drop(&t);
  net_free(&n);
}

/* What is not quantised is a loop; `act` bounds it. */
static void functions_of_floats_are_loops(void) {
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_FLOAT32, NET_DIMS(2, 3), 0, 0);
  const uint32_t z = net_input(&n, ASH_FLOAT32, NET_DIMS(3), 0, 0);
  const uint32_t y = net_result(&n, ASH_FLOAT32, NET_DIMS(2, 3), 0, 0);
  const uint32_t op = net_op(&n, ASH_FN_ROW(sub), NET_IDS(x, z), y);
  net_string(&n, op, "act", "relu6");
  ash_text t = text_of(&n, op);
  check_holds(&t, "const float r = a - b;\n");
  check_holds(&t, "y[i0 * 3 + i1] = r < (float)(0.0) ? (float)(0.0) : "
                  "r > (float)(6.0) ? (float)(6.0) : r;\n");
  ash_text_drop(&t);
  net_free(&n);
}

static void an_absent_bias_is_zero(void) {
  for (int integer = 0; integer < 2; integer++) {
    net n = net_new();
    const ash_type type = integer ? ASH_INT8 : ASH_FLOAT32;
    const float scale = integer ? 0.5f : 0;
    const uint32_t x = net_input(&n, type, NET_DIMS(1, 2), scale, 0);
    const uint32_t w =
        net_constant(&n, type, NET_DIMS(1, 2), NET_FLOATS(1, 2), scale, 0);
    const uint32_t y = net_result(&n, type, NET_DIMS(1, 1), scale, 0);
    const uint32_t op = net_op(&n, ASH_OP_fully_connected, NET_IDS(x, w), y);
    ash_text t = text_of(&n, op);
    check_holds(&t, integer ? "(b),\n    0,\n    (const int64_t *)(d)"
                            : "(b),\n    0,\n    (float *)(y)");
    ash_text_drop(&t);
    net_free(&n);
  }
}

static void check_shape(ash_shape a, ash_shape b, ash_shape out,
                        const char *want) {
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_FLOAT32, a, 0, 0);
  const uint32_t z = net_input(&n, ASH_FLOAT32, b, 0, 0);
  const uint32_t y = net_result(&n, ASH_FLOAT32, out, 0, 0);
  ash_text t = text_of(&n, net_op(&n, ASH_FN_ROW(add), NET_IDS(x, z), y));
  check_holds(&t, want);
  ash_text_drop(&t);
  net_free(&n);
}

static void dimensions_walked_alike_are_joined(void) {
  check_shape(NET_DIMS(2, 3, 4), NET_DIMS(2, 3, 4), NET_DIMS(2, 3, 4),
              ".rank = 1,\n    .dim = {24},\n    .step_a = {1},\n"
              "    .step_b = {1},\n");
  check_shape(NET_DIMS(2, 3, 4), NET_DIMS(4), NET_DIMS(2, 3, 4),
              ".rank = 2,\n    .dim = {6, 4},\n    .step_a = {4, 1},\n"
              "    .step_b = {0, 1},\n");
  check_shape(NET_DIMS(2, 3, 4), NET_SCALAR, NET_DIMS(2, 3, 4),
              ".rank = 1,\n    .dim = {24},\n    .step_a = {1},\n"
              "    .step_b = {0},\n");
  check_shape(NET_DIMS(2, 1, 4), NET_DIMS(1, 3, 1), NET_DIMS(2, 3, 4),
              ".rank = 3,\n    .dim = {2, 3, 4},\n    .step_a = {4, 0, 1},\n"
              "    .step_b = {0, 1, 0},\n");
  check_shape(NET_DIMS(1, 1), NET_DIMS(1), NET_DIMS(1, 1),
              ".rank = 1,\n    .dim = {1},\n");
}

static void mean_over_height_and_width_has_two_loops(void) {
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_INT8, NET_DIMS(1, 4, 5, 6), 0.5f, 3);
  const uint32_t y = net_result(&n, ASH_INT8, NET_DIMS(1, 6), 0.5f, 3);
  const uint32_t op = net_fold(&n, "mean", x, y, (const int64_t[]){1, -2}, 2);
  net_int(&n, op, "keep_dims", 0);
  ash_text t = text_of(&n, op);
  check_holds(&t, ".keep_dim = {1, 1, 1, 6},\n    .keep_step = {0, 0, 0, 1},");
  check_holds(&t, ".fold_dim = {1, 1, 1, 20},\n    .fold_step = {0, 0, 0, 6},");
  check_holds(&t, ".sum_offset = -60,");
  check_holds(&t, "ash_rt_mean_s8(&p,\n    (const int8_t *)(a),\n    (int8_t");
  ash_text_drop(&t);
  net_free(&n);
}

static void padding_joins_inner_dimensions(void) {
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_INT8, NET_DIMS(1, 4, 5, 6), 0.5f, 3);
  const uint32_t y = net_result(&n, ASH_INT8, NET_DIMS(1, 7, 12, 6), 0.5f, 3);
  const uint32_t op = net_op(&n, ASH_OP_pad, NET_IDS(x), y);
  net_ints(&n, op, "before", (const int64_t[]){0, 1, 3, 0}, 4);
  net_ints(&n, op, "after", (const int64_t[]){0, 2, 4, 0}, 4);
  ash_text t = text_of(&n, op);
  check_holds(&t, "const int8_t value = 3;");
  check_holds(&t, "ASH_RT_FILL(y, value, 90);"); /* a row of 72, 3 pixels */
  check_holds(&t, "ASH_RT_COPY(y, x, 30);");
  check_holds(&t, "ASH_RT_FILL(y, value, 42);"); /* between two rows */
  check_holds(&t, "ASH_RT_FILL(y, value, 168);");
  ash_text_drop(&t);
  net_free(&n);
}

static void concatenation_is_a_copy_per_input(void) {
  net n = net_new();
  const uint32_t a = net_input(&n, ASH_INT8, NET_DIMS(2, 3), 0.5f, 3);
  const uint32_t b = net_input(&n, ASH_INT8, NET_DIMS(2, 1), 0.5f, 3);
  const uint32_t y = net_result(&n, ASH_INT8, NET_DIMS(2, 4), 0.5f, 3);
  const uint32_t op = net_op(&n, ASH_OP_concatenation, NET_IDS(a, b), y);
  net_int(&n, op, "axis", -1);
  ash_text t = text_of(&n, op);
  check_holds(&t, "ASH_RT_COPY(y + 0 + i0 * 4, x + 0 + i0 * 3, 3);");
  check_holds(&t, "y[3 + i0 * 4] = x[0 + i0];");
  ash_text_drop(&t);
  net_free(&n);
}

static void concatenation_of_other_scales_rescales(void) {
  net n = net_new();
  const uint32_t a = net_input(&n, ASH_INT8, NET_DIMS(2, 3), 0.25f, 3);
  const uint32_t b = net_input(&n, ASH_INT8, NET_DIMS(2, 1), 0.5f, 3);
  const uint32_t y = net_result(&n, ASH_INT8, NET_DIMS(2, 4), 0.5f, 3);
  const uint32_t op = net_op(&n, ASH_OP_concatenation, NET_IDS(a, b), y);
  net_int(&n, op, "axis", 1);
  ash_text t = text_of(&n, op);
  check_holds(&t, "ash_rt_concatenation_s8_params");
  check_holds(&t, ".multiplier = 1073741824,\n    .shift = 0,");
  check_holds(&t, ".multiplier = 1073741824,\n    .shift = 1,");
  ash_text_drop(&t);
  net_free(&n);
}

#define TESTS(X)                                                               \
  X(a_call_is_a_constant_struct_and_one_statement)                             \
  X(functions_of_floats_are_loops)                                             \
  X(an_absent_bias_is_zero)                                                    \
  X(dimensions_walked_alike_are_joined)                                        \
  X(mean_over_height_and_width_has_two_loops)                                  \
  X(padding_joins_inner_dimensions)                                            \
  X(concatenation_is_a_copy_per_input)                                         \
  X(concatenation_of_other_scales_rescales)
TEST_MAIN(TESTS)
