/* test_onnx_answers.c - what ONNX's definitions say of cases that are easy to
 * get wrong, and models that contradict themselves. */
#include "check.h"
#include "onnx_make.h"
#include "onnx_read.h"
#include "ref/ref.h"

#define FLOATS(...) ((const float[]){__VA_ARGS__})

/* A node under way: inputs and output, then attributes. */
static wire node_of(const char *type, const char *const *inputs,
                    const char *output) {
  wire n = {.count = 0};
  for (; *inputs; inputs++)
    wire_text(&n, 1, *inputs);
  wire_text(&n, 2, output);
  wire_text(&n, 4, type);
  return n;
}

static void put_text(wire *node, const char *name, const char *value) {
  wire a = {.count = 0};
  wire_text(&a, 1, name);
  wire_text(&a, 4, value);
  wire_int(&a, 20, 3);
  wire_message(node, 5, &a);
}

static void put_ints(wire *node, const char *name, uint32_t count,
                     const int64_t *values) {
  wire a = {.count = 0};
  wire_text(&a, 1, name);
  for (uint32_t i = 0; i < count; i++)
    wire_int(&a, 8, values[i]);
  wire_int(&a, 20, 7);
  wire_message(node, 5, &a);
}

static void put_float(wire *node, const char *name, float value) {
  wire a = {.count = 0};
  wire_text(&a, 1, name);
  a.bytes[a.count++] = 2 << 3 | 5; /* field 2, as 4 bytes */
  memcpy(a.bytes + a.count, &value, 4);
  a.count += 4;
  wire_int(&a, 20, 1);
  wire_message(node, 5, &a);
}

/* One node from x to y. */
static wire graph_of(const wire *node, int32_t type, uint32_t rank,
                     const int64_t *dims, int32_t out) {
  wire g = {.count = 0};
  wire_message(&g, 1, node);
  onnx_value(&g, 11, "x", type, rank, dims);
  onnx_value(&g, 12, "y", out, 0, NULL);
  return g;
}

static void gives(const wire *g, const void *x, size_t bytes,
                  const void *want) {
  uint8_t y[256];
  onnx_loaded l;
  onnx_load(&l, g, NULL);
  CHECK_EQ(l.status, ASH_OK);
  const void *in[] = {x};
  void *out[] = {y};
  CHECK_EQ(l.g->tensors.items[l.g->outputs[0]].bytes, bytes);
  CHECK_EQ(ash_ref_run(l.ctx, l.g, in, out), ASH_OK);
  CHECK(memcmp(y, want, bytes) == 0);
  onnx_drop(&l);
}

static void refuses(const wire *g, ash_status status, const char *words) {
  onnx_loaded l;
  onnx_load(&l, g, NULL);
  CHECK_EQ(l.status, status);
  onnx_says(&l, words);
  onnx_drop(&l);
}

/* ---- values -------------------------------------------------------------- */

/* 1 2 3 spread by 2 with a filter of 10 1: 10 1 20 2 30 3, one too many. */
static wire transposed(const char *auto_pad) {
  static const float w[] = {10, 1};
  wire n = node_of("ConvTranspose", ONNX_NAMES("x", "w"), "y");
  put_ints(&n, "strides", 1, ONNX_INTS(2));
  put_ints(&n, "output_shape", 1, ONNX_INTS(5));
  put_text(&n, "auto_pad", auto_pad);
  wire g = graph_of(&n, ONNX_FLOAT, 3, ONNX_INTS(1, 1, 3), ONNX_FLOAT);
  onnx_constant(&g, "w", ONNX_FLOAT, 3, ONNX_INTS(1, 1, 2), w, sizeof w);
  return g;
}

static void odd_padding_of_a_given_size_is_larger_at_the_start(void) {
  wire g = transposed("NOTSET");
  gives(&g, FLOATS(1, 2, 3), 20, FLOATS(1, 20, 2, 30, 3));
  g = transposed("SAME_LOWER");
  gives(&g, FLOATS(1, 2, 3), 20, FLOATS(1, 20, 2, 30, 3));
  g = transposed("SAME_UPPER");
  gives(&g, FLOATS(1, 2, 3), 20, FLOATS(10, 1, 20, 2, 30));
}

static void a_vector_of_zeros_stays_one_when_normalised(void) {
  const wire n = node_of("LpNormalization", ONNX_NAMES("x"), "y");
  const wire g = graph_of(&n, ONNX_FLOAT, 2, ONNX_INTS(2, 2), ONNX_FLOAT);
  gives(&g, FLOATS(0, 0, 3, 4), 16, FLOATS(0, 0, 0.6f, 0.8f));
}

/* 1/16 below and above 1024: the mean of squares less the square of the mean
 * has lost the variance of 1/256. With an epsilon of 3/256 the root is 1/8. */
static void small_variances_keep_their_digits(void) {
  static const float one = 1, zero = 0;
  wire n = node_of("GroupNormalization", ONNX_NAMES("x", "one", "zero"), "y");
  onnx_int(&n, "num_groups", 1);
  put_float(&n, "epsilon", 3.0f / 256);
  wire g = graph_of(&n, ONNX_FLOAT, 3, ONNX_INTS(1, 1, 2), ONNX_FLOAT);
  onnx_constant(&g, "one", ONNX_FLOAT, 1, ONNX_INTS(1), &one, sizeof one);
  onnx_constant(&g, "zero", ONNX_FLOAT, 1, ONNX_INTS(1), &zero, sizeof zero);
  gives(&g, FLOATS(1023.9375f, 1024.0625f), 8, FLOATS(-0.5f, 0.5f));
}

/* The last window has one element of three: 2, not 2 times the root of 3. */
static void cut_windows_sum_what_they_have(void) {
  wire n = node_of("LpPool", ONNX_NAMES("x"), "y");
  put_ints(&n, "kernel_shape", 1, ONNX_INTS(3));
  put_ints(&n, "strides", 1, ONNX_INTS(3));
  onnx_int(&n, "ceil_mode", 1);
  const wire g = graph_of(&n, ONNX_FLOAT, 3, ONNX_INTS(1, 1, 4), ONNX_FLOAT);
  gives(&g, FLOATS(0, 3, 4, 2), 8, FLOATS(5, 2));
}

/* 0 32 give 128 + 256 with a maximum of 32; with 96 a quarter of that, and 64
 * 96 add 128 + 256: 480. 127 * 256 / 480 is 67, of which the four have shares
 * of 1/8, 1/4, 1/2 and 1. */
static void partial_maxima_shrink_the_sum_so_far(void) {
  wire n = node_of("ITAPartialMax", ONNX_NAMES("x"), "y");
  wire_text(&n, 7, "PACTOps");
  onnx_int(&n, "n_levels", 256);
  onnx_int(&n, "group_width", 2);
  const wire g = graph_of(&n, ONNX_FLOAT, 2, ONNX_INTS(1, 4), ONNX_FLOAT);
  gives(&g, FLOATS(0, 32, 64, 96), 16, FLOATS(8, 16, 33, 67));
}

/* An attribute that should be a list is a number: not all axes, as without. */
static void one_number_is_a_list_of_one(void) {
  wire n = node_of("ReduceMax", ONNX_NAMES("x"), "y");
  onnx_int(&n, "axes", 1);
  onnx_int(&n, "keepdims", 0);
  const wire g = graph_of(&n, ONNX_FLOAT, 2, ONNX_INTS(2, 2), ONNX_FLOAT);
  gives(&g, FLOATS(1, 3, 2, 0), 8, FLOATS(3, 2));
}

/* Both axes in floats, cut off once: the mean of 1 2 2 3 is 2. Cut off after
 * each axis, 1.5 and 2.5 would become 1 and 2, and their mean 1. */
static void integers_are_resized_in_floats(void) {
  static const float roi[] = {0};
  static const int64_t sizes[] = {1, 1, 1, 1};
  wire n = node_of("Resize", ONNX_NAMES("x", "none", "none", "sizes"), "y");
  put_text(&n, "mode", "linear");
  wire g = graph_of(&n, ONNX_UINT8, 4, ONNX_INTS(1, 1, 2, 2), ONNX_UINT8);
  onnx_constant(&g, "none", ONNX_FLOAT, 1, ONNX_INTS(0), roi, 0);
  onnx_constant(&g, "sizes", ONNX_INT64, 1, ONNX_INTS(4), sizes, sizeof sizes);
  const uint8_t x[] = {1, 2, 2, 3}, y[] = {2};
  gives(&g, x, 1, y);
}

/* ---- contradictions ------------------------------------------------------ */

static void operators_of_other_domains_are_not_the_standard_ones(void) {
  wire n = node_of("Relu", ONNX_NAMES("x"), "y");
  wire_text(&n, 7, "com.example");
  wire g = graph_of(&n, ONNX_FLOAT, 1, ONNX_INTS(4), ONNX_FLOAT);
  refuses(&g, ASH_UNSUPPORTED, "com.example.Relu");
  n = node_of("Relu", ONNX_NAMES("x"), "y");
  wire_text(&n, 7, "com.microsoft");
  g = graph_of(&n, ONNX_FLOAT, 1, ONNX_INTS(4), ONNX_FLOAT);
  refuses(&g, ASH_UNSUPPORTED, "com.microsoft.Relu");
  n = node_of("Relu", ONNX_NAMES("x"), "y");
  wire_text(&n, 7, "ai.onnx");
  g = graph_of(&n, ONNX_FLOAT, 1, ONNX_INTS(2), ONNX_FLOAT);
  gives(&g, FLOATS(-1, 1), 8, FLOATS(0, 1));
}

static void a_name_is_written_once(void) {
  wire n = node_of("Relu", ONNX_NAMES("x"), "y");
  wire g = graph_of(&n, ONNX_FLOAT, 1, ONNX_INTS(4), ONNX_FLOAT);
  onnx_node(&g, "Neg", ONNX_NAMES("x"), "y", NULL, 0, NULL);
  refuses(&g, ASH_MALFORMED, "'y' is written twice");
  g = graph_of(&n, ONNX_FLOAT, 1, ONNX_INTS(4), ONNX_FLOAT);
  onnx_constant(&g, "y", ONNX_FLOAT, 1, ONNX_INTS(1), FLOATS(1), 4);
  refuses(&g, ASH_MALFORMED, "'y' is written twice");
}

static wire pool_with(const char *name, uint32_t count, const int64_t *values) {
  wire n = node_of("MaxPool", ONNX_NAMES("x"), "y");
  put_ints(&n, "kernel_shape", 2, ONNX_INTS(2, 2));
  put_ints(&n, name, count, values);
  return graph_of(&n, ONNX_FLOAT, 4, ONNX_INTS(1, 1, 4, 4), ONNX_FLOAT);
}

static void lists_of_windows_have_a_number_per_axis(void) {
  wire g = pool_with("pads", 3, ONNX_INTS(0, 0, 1));
  refuses(&g, ASH_MALFORMED, "pads has 3 numbers, expected 4");
  g = pool_with("strides", 1, ONNX_INTS(2));
  refuses(&g, ASH_MALFORMED, "strides has 1 numbers, expected 2");
}

static wire conv_with(const char *name, int64_t value, bool list) {
  static const float w[4] = {1, 2, 3, 4};
  wire n = node_of("Conv", ONNX_NAMES("x", "w"), "y");
  if (list)
    put_ints(&n, name, 2, ONNX_INTS(value, value));
  else
    onnx_int(&n, name, value);
  wire g = graph_of(&n, ONNX_FLOAT, 4, ONNX_INTS(1, 1, 4, 4), ONNX_FLOAT);
  onnx_constant(&g, "w", ONNX_FLOAT, 4, ONNX_INTS(1, 1, 2, 2), w, sizeof w);
  return g;
}

static void groups_and_filters_agree_with_the_weights(void) {
  wire g = conv_with("group", 0, false);
  refuses(&g, ASH_MALFORMED, "group is not positive");
  g = conv_with("group", -1, false);
  refuses(&g, ASH_MALFORMED, "group is not positive");
  g = conv_with("kernel_shape", 3, true);
  refuses(&g, ASH_MALFORMED, "not the shape of the weights");
}

static void outputs_are_what_the_model_declares(void) {
  wire n = node_of("Relu", ONNX_NAMES("x"), "y");
  wire g = graph_of(&n, ONNX_FLOAT, 1, ONNX_INTS(4), ONNX_INT8);
  refuses(&g, ASH_MALFORMED, "declared as int8, the model makes float32");
  g = (wire){.count = 0};
  wire_message(&g, 1, &n);
  onnx_value(&g, 11, "x", ONNX_FLOAT, 1, ONNX_INTS(4));
  onnx_value(&g, 12, "y", ONNX_FLOAT, 1, ONNX_INTS(5));
  refuses(&g, ASH_MALFORMED, "declared with 5 elements");
}

static void reflections_stay_inside_the_input(void) {
  static const int64_t pads[] = {3, 0};
  wire n = node_of("Pad", ONNX_NAMES("x", "pads"), "y");
  put_text(&n, "mode", "reflect");
  wire g = graph_of(&n, ONNX_FLOAT, 1, ONNX_INTS(3), ONNX_FLOAT);
  onnx_constant(&g, "pads", ONNX_INT64, 1, ONNX_INTS(2), pads, sizeof pads);
  refuses(&g, ASH_MALFORMED, "reflection");
  g = graph_of(&n, ONNX_FLOAT, 1, ONNX_INTS(4), ONNX_FLOAT);
  onnx_constant(&g, "pads", ONNX_INT64, 1, ONNX_INTS(2), pads, sizeof pads);
  gives(&g, FLOATS(1, 2, 3, 4), 28, FLOATS(4, 3, 2, 1, 2, 3, 4));
}

static void sums_that_would_wrap_are_refused(void) {
  static const uint8_t w[4] = {200, 200, 200, 200};
  const wire n = node_of("MatMul", ONNX_NAMES("x", "w"), "y");
  wire g = graph_of(&n, ONNX_UINT8, 2, ONNX_INTS(1, 2), ONNX_UINT8);
  onnx_constant(&g, "w", ONNX_UINT8, 2, ONNX_INTS(2, 2), w, sizeof w);
  refuses(&g, ASH_MALFORMED, "no sums of uint8");
  const wire sum = node_of("ReduceSum", ONNX_NAMES("x"), "y");
  g = graph_of(&sum, ONNX_INT8, 2, ONNX_INTS(1, 2), ONNX_INT8);
  refuses(&g, ASH_MALFORMED, "no sums of int8");
}

#define TESTS(X)                                                               \
  X(odd_padding_of_a_given_size_is_larger_at_the_start)                        \
  X(a_vector_of_zeros_stays_one_when_normalised)                               \
  X(small_variances_keep_their_digits)                                         \
  X(cut_windows_sum_what_they_have)                                            \
  X(partial_maxima_shrink_the_sum_so_far)                                      \
  X(one_number_is_a_list_of_one)                                               \
  X(integers_are_resized_in_floats)                                            \
  X(operators_of_other_domains_are_not_the_standard_ones)                      \
  X(a_name_is_written_once)                                                    \
  X(lists_of_windows_have_a_number_per_axis)                                   \
  X(groups_and_filters_agree_with_the_weights)                                 \
  X(outputs_are_what_the_model_declares)                                       \
  X(reflections_stay_inside_the_input)                                         \
  X(sums_that_would_wrap_are_refused)
TEST_MAIN(TESTS)
