/* test_onnx_answers.c - what ONNX's definitions say of cases that are easy to
 * get wrong. */
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

#define TESTS(X)                                                               \
  X(odd_padding_of_a_given_size_is_larger_at_the_start)                        \
  X(a_vector_of_zeros_stays_one_when_normalised)                               \
  X(integers_are_resized_in_floats)
TEST_MAIN(TESTS)
