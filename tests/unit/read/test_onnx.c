/* test_onnx.c - ONNX models -> graph: constants computed, shapes inferred, open
 * dimensions asked for, transpositions cancelled, hostile bytes refused. */
#include "base/rng.h"
#include "check.h"
#include "onnx_make.h"
#include "onnx_read.h"
#include "op/verify.h"
#include "pass/pass.h"
#include "read/onnx/onnx.h"
#include "ref/ref.h"

#define FLOATS(...) ((const float[]){__VA_ARGS__})

static wire sum_model(int64_t first) {
  wire g = {.count = 0};
  onnx_node(&g, "Add", ONNX_NAMES("x", "c"), "y", NULL, 0, NULL);
  onnx_constant(&g, "c", 1, 1, ONNX_INTS(2), FLOATS(10, 20), 8);
  onnx_value(&g, 11, "x", 1, 2, ONNX_INTS(first, 2));
  onnx_value(&g, 12, "y", 1, 0, NULL);
  return g;
}

static void computes_what_the_model_says(void) {
  const wire g = sum_model(2);
  float y[4];
  onnx_loaded l;
  onnx_load(&l, &g, NULL);
  CHECK_EQ(l.status, ASH_OK);
  const void *in[] = {FLOATS(1, 2, 3, 4)};
  void *out[] = {y};
  CHECK_EQ(ash_ref_run(l.ctx, l.g, in, out), ASH_OK);
  CHECK(y[0] == 11 && y[1] == 22 && y[2] == 13 && y[3] == 24);
  CHECK_STR(l.g->tensors.items[l.g->outputs[0]].name, "y");
  onnx_drop(&l);
}

static void an_open_batch_is_one_and_said(void) {
  const wire g = sum_model(-1);
  onnx_loaded l;
  onnx_load(&l, &g, NULL);
  CHECK_EQ(l.status, ASH_OK);
  CHECK_EQ(l.g->tensors.items[l.g->outputs[0]].shape.dim[0], 1);
  onnx_says(&l, "shape [n,2] is not fixed; compiled for [1,2]");
  onnx_drop(&l);
}

static void open_inputs_are_named_with_what_is_known(void) {
  wire g = {.count = 0};
  onnx_node(&g, "Add", ONNX_NAMES("x", "z"), "y", NULL, 0, NULL);
  onnx_value(&g, 11, "x", 1, 3, ONNX_INTS(-1, 2, -1));
  onnx_value(&g, 11, "z", 1, 1, ONNX_INTS(-1));
  onnx_value(&g, 12, "y", 1, 0, NULL);
  onnx_loaded l;
  size_t count;
  onnx_load(&l, &g, NULL);
  const ash_diag *d = ash_ctx_diags(l.ctx, &count);
  CHECK_EQ(l.status, ASH_UNSUPPORTED);
  CHECK_EQ(count, 2);
  CHECK_STR(d[0].hint, "fix it with --input-shape x=1,2,n");
  CHECK_STR(d[1].hint, "fix it with --input-shape z=n");
  onnx_drop(&l);
}

static void options_for_inputs_that_are_not_there_are_refused(void) {
  const wire g = sum_model(2);
  const char *wrong[] = {"xs=3,2"};
  const ash_load_options shape = {.input_shapes = wrong,
                                  .input_shape_count = 1};
  const ash_load_options value = {.constants = wrong, .constant_count = 1};
  onnx_loaded l;
  onnx_load(&l, &g, &shape);
  CHECK_EQ(l.status, ASH_MISUSE);
  onnx_says(&l, "no input 'xs'");
  onnx_drop(&l);
  onnx_load(&l, &g, &value);
  CHECK_EQ(l.status, ASH_MISUSE);
  onnx_says(&l, "no input 'xs'");
  onnx_drop(&l);
}

/* Two layers on lines: only the ends are transposed, after passes. */
static void layers_on_lines_meet_channels_last(void) {
  wire g = {.count = 0};
  onnx_constant(&g, "w", 1, 3, ONNX_INTS(2, 2, 1), FLOATS(1, 2, 3, 4), 16);
  onnx_node(&g, "Conv", ONNX_NAMES("x", "w"), "t", NULL, 0, NULL);
  onnx_node(&g, "Conv", ONNX_NAMES("t", "w"), "y", NULL, 0, NULL);
  onnx_value(&g, 11, "x", 1, 3, ONNX_INTS(1, 2, 3));
  onnx_value(&g, 12, "y", 1, 0, NULL);
  onnx_loaded l;
  uint32_t turns = 0;
  onnx_load(&l, &g, NULL);
  CHECK_EQ(l.status, ASH_OK);
  for (size_t i = 0; i < l.g->op_count; i++) {
    const ash_op *o = &l.g->ops.items[i];
    turns += o->kind == ASH_OP_strided && ash_attr_find(o, "perm")->count == 3;
  }
  CHECK_EQ(turns, 4);
  onnx_drop(&l);
}

static void large_constants_are_made_when_reading(void) {
  wire g = {.count = 0};
  const int64_t shape[] = {1 << 12,
                           (1 << 12) + 1}; /* float32: 64 MiB and more */
  onnx_constant(&g, "s", 7, 1, ONNX_INTS(2), shape, sizeof shape);
  onnx_node(&g, "ConstantOfShape", ONNX_NAMES("s"), "w", NULL, 0, NULL);
  onnx_node(&g, "MatMul", ONNX_NAMES("x", "w"), "y", NULL, 0, NULL);
  onnx_value(&g, 11, "x", 1, 2, ONNX_INTS(1, 1 << 12));
  onnx_value(&g, 12, "y", 1, 0, NULL);
  onnx_loaded l;
  onnx_load(&l, &g, NULL);
  CHECK_EQ(l.status, ASH_OK);
  CHECK_EQ(l.g->op_count, 1);
  onnx_drop(&l);
}

static void an_option_fixes_an_open_dimension(void) {
  const wire g = sum_model(-1);
  const char *shapes[] = {"x=3,2"};
  const ash_load_options o = {.input_shapes = shapes, .input_shape_count = 1};
  onnx_loaded l;
  onnx_load(&l, &g, &o);
  CHECK_EQ(l.status, ASH_OK);
  CHECK_EQ(l.g->tensors.items[l.g->outputs[0]].shape.dim[0], 3);
  onnx_drop(&l);
}

/* Shape -> Slice -> Concat -> Reshape, as exporters write it. */
static wire chain_model(void) {
  const int64_t zero[] = {0}, one[] = {1}, rest[] = {-1};
  wire g = {.count = 0};
  onnx_node(&g, "Shape", ONNX_NAMES("x"), "s", NULL, 0, NULL);
  onnx_node(&g, "Slice", ONNX_NAMES("s", "zero", "one"), "n", NULL, 0, NULL);
  wire n = {.count = 0};
  wire_text(&n, 1, "n");
  wire_text(&n, 1, "rest");
  wire_text(&n, 2, "to");
  wire_text(&n, 4, "Concat");
  onnx_int(&n, "axis", 0);
  wire_message(&g, 1, &n);
  onnx_node(&g, "Reshape", ONNX_NAMES("x", "to"), "r", NULL, 0, NULL);
  onnx_node(&g, "Relu", ONNX_NAMES("r"), "y", NULL, 0, NULL);
  onnx_constant(&g, "zero", 7, 1, ONNX_INTS(1), zero, 8);
  onnx_constant(&g, "one", 7, 1, ONNX_INTS(1), one, 8);
  onnx_constant(&g, "rest", 7, 1, ONNX_INTS(1), rest, 8);
  onnx_value(&g, 11, "x", 1, 3, ONNX_INTS(2, 3, 4));
  onnx_value(&g, 12, "y", 1, 0, NULL);
  return g;
}

static void chains_that_compute_shapes_disappear(void) {
  const wire g = chain_model();
  onnx_loaded l;
  onnx_load(&l, &g, NULL);
  CHECK_EQ(l.status, ASH_OK);
  CHECK_EQ(l.g->op_count, 2); /* reshape, relu */
  CHECK_EQ(l.g->tensors.items[l.g->outputs[0]].shape.rank, 2);
  CHECK_EQ(l.g->tensors.items[l.g->outputs[0]].shape.dim[1], 12);
  onnx_drop(&l);
}

/* Conv, Relu, Conv: 2 x 2 filters on a 1 x 2 x 4 x 4 image. */
static wire conv_model(void) {
  static const float weights[16] = {1, 2, 3, 4, 5, 6, 7, 8,
                                    1, 0, 1, 0, 2, 0, 2, 0};
  wire g = {.count = 0};
  onnx_node(&g, "Conv", ONNX_NAMES("x", "w"), "a", "kernel_shape", 2,
            ONNX_INTS(2, 2));
  onnx_node(&g, "Relu", ONNX_NAMES("a"), "b", NULL, 0, NULL);
  onnx_node(&g, "Conv", ONNX_NAMES("b", "w"), "y", "kernel_shape", 2,
            ONNX_INTS(2, 2));
  onnx_constant(&g, "w", 1, 4, ONNX_INTS(2, 2, 2, 2), weights, sizeof weights);
  onnx_value(&g, 11, "x", 1, 4, ONNX_INTS(1, 2, 4, 4));
  onnx_value(&g, 12, "y", 1, 0, NULL);
  return g;
}

static uint32_t count_kind(const ash_graph *g, ash_op_kind kind) {
  uint32_t n = 0;
  for (size_t i = 0; i < g->op_count; i++)
    n += g->ops.items[i].kind == kind;
  return n;
}

static void between_convolutions_no_transposition_is_left(void) {
  const wire g = conv_model();
  float x[32], before[8], after[8];
  onnx_loaded l;
  for (int i = 0; i < 32; i++)
    x[i] = (float)(i % 7 - 3);
  onnx_load(&l, &g, NULL);
  CHECK_EQ(l.status, ASH_OK);
  CHECK_EQ(count_kind(l.g, ASH_OP_strided), 4);
  const void *in[] = {x};
  void *out[] = {before};
  CHECK_EQ(ash_ref_run(l.ctx, l.g, in, out), ASH_OK);
  CHECK_EQ(ash_pass_layout(l.ctx, l.g), ASH_OK);
  CHECK_EQ(ash_op_verify(l.ctx, l.g), ASH_OK);
  CHECK_EQ(count_kind(l.g, ASH_OP_strided), 2); /* at the ends */
  out[0] = after;
  CHECK_EQ(ash_ref_run(l.ctx, l.g, in, out), ASH_OK);
  CHECK(memcmp(before, after, sizeof before) == 0);
  onnx_drop(&l);
}

static void names_an_operator_that_it_does_not_know(void) {
  wire g = {.count = 0};
  onnx_loaded l;
  onnx_node(&g, "Telepathy", ONNX_NAMES("x"), "y", NULL, 0, NULL);
  onnx_value(&g, 11, "x", 1, 1, ONNX_INTS(4));
  onnx_value(&g, 12, "y", 1, 0, NULL);
  onnx_load(&l, &g, NULL);
  CHECK_EQ(l.status, ASH_UNSUPPORTED);
  onnx_says(&l, "Telepathy");
  onnx_drop(&l);
}

static void damaged_models_are_refused(void) {
  ash_rng rng = {7};
  const wire graphs[] = {sum_model(2), chain_model(), conv_model()};
  for (uint32_t i = 0; i < 3000; i++) {
    wire m = onnx_model(&graphs[i % 3]);
    ash_ctx *ctx;
    ash_graph *g;
    for (uint32_t k = 0; k < 1 + i % 4; k++)
      m.bytes[ash_rng_below(&rng, m.count)] = (uint8_t)ash_rng_below(&rng, 256);
    CHECK_EQ(ash_ctx_new(&ctx, NULL), ASH_OK);
    if (ash_read_onnx(ctx, &g, m.bytes, m.count, NULL, NULL) == ASH_OK)
      ash_graph_free(g);
    ash_ctx_free(ctx);
  }
}

#define TESTS(X)                                                               \
  X(computes_what_the_model_says)                                              \
  X(an_open_batch_is_one_and_said)                                             \
  X(open_inputs_are_named_with_what_is_known)                                  \
  X(options_for_inputs_that_are_not_there_are_refused)                         \
  X(layers_on_lines_meet_channels_last)                                        \
  X(large_constants_are_made_when_reading)                                     \
  X(an_option_fixes_an_open_dimension)                                         \
  X(chains_that_compute_shapes_disappear)                                      \
  X(between_convolutions_no_transposition_is_left)                             \
  X(names_an_operator_that_it_does_not_know)                                   \
  X(damaged_models_are_refused)

TEST_MAIN(TESTS)
