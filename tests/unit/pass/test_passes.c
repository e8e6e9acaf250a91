/* test_passes.c - every pass preserves what a model computes: models of the
 * golden tests are run by the interpreter before and after it. */
#include "check.h"

#include "ashlar/compile.h"
#include "base/rng.h"
#include "op/verify.h"
#include "pass/pass.h"
#include "ref/ref.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES = 256, TEXT = 1 << 16 };

typedef struct values {
  _Alignas(16) uint8_t bytes[VALUES * 8];
} values;

/* The model of a golden test: its second part. */
static void read_model(const char *name, char *text) {
  char path[512];
  static char file[TEXT];
  (void)snprintf(path, sizeof path, "%s/tests/golden/%s.txt", TEST_SOURCE_DIR,
                 name);
  FILE *f = fopen(path, "rb");
  CHECK(f != NULL);
  const size_t count = f ? fread(file, 1, sizeof file - 1, f) : 0;
  file[count] = '\0';
  if (f)
    (void)fclose(f);
  const char *from = strstr(file, "---\n");
  const char *to = from ? strstr(from + 4, "---\n") : NULL;
  CHECK(to != NULL);
  const size_t length = to ? (size_t)(to - from - 4) : 0;
  memcpy(text, from + 4, length);
  text[length] = '\0';
}

static void fill(values *v, const ash_tensor *t) {
  ash_rng rng = {7};
  for (uint64_t i = 0; i < ash_shape_elements(&t->shape); i++) {
    const int32_t x = (int32_t)(ash_rng_next(&rng) % 200) - 100;
    if (t->type == ASH_FLOAT32)
      ((float *)(void *)v->bytes)[i] = (float)x / 16.0f;
    else
      v->bytes[i] = (uint8_t)x;
  }
}

static void run(ash_ctx *ctx, const ash_graph *g, values *out) {
  static values in[2];
  const void *inputs[] = {in[0].bytes, in[1].bytes};
  CHECK(g->input_count <= ASH_COUNT_OF(in));
  for (size_t i = 0; i < g->input_count; i++)
    fill(&in[i], &g->tensors.items[g->inputs[i]]);
  void *outputs[] = {out->bytes};
  CHECK_EQ(ash_ref_run(ctx, g, inputs, outputs), ASH_OK);
}

static void check_same(const ash_tensor *t, const values *a, const values *b,
                       int steps) {
  for (uint64_t i = 0; i < ash_shape_elements(&t->shape); i++)
    if (t->type == ASH_FLOAT32) {
      const float x = ((const float *)(const void *)a->bytes)[i];
      const float y = ((const float *)(const void *)b->bytes)[i];
      CHECK(fabsf(x - y) <= 1e-5f * (1.0f + fabsf(x)));
    } else {
      CHECK(abs((int8_t)a->bytes[i] - (int8_t)b->bytes[i]) <= steps);
    }
}

/* Runs one pass alone; says how many operators are left. */
static size_t keeps(const char *golden, const char *pass) {
  static char text[TEXT];
  ash_ctx *ctx;
  ash_graph *g;
  values before, after;
  const ash_target target = {.compute_bytes = 400};
  CHECK_EQ(ash_ctx_new(&ctx, NULL), ASH_OK);
  read_model(golden, text);
  CHECK_EQ(ash_graph_parse(ctx, &g, text, strlen(text), "m"), ASH_OK);
  CHECK_EQ(ash_op_verify(ctx, g), ASH_OK);
  run(ctx, g, &before);
  const ash_pass *p;
  for (size_t i = 0; (p = ash_pass_at(i)) != NULL; i++)
    if (strcmp(p->name, pass) == 0)
      CHECK_EQ(p->run ? p->run(ctx, g) : p->run_for(ctx, g, &target), ASH_OK);
  CHECK_EQ(ash_op_verify(ctx, g), ASH_OK);
  run(ctx, g, &after);
  /* Its scales make halves, which go up in codes and to even in floats. */
  check_same(&g->tensors.items[g->outputs[0]], &before, &after,
             strcmp(golden, "pass_qdq") == 0 ? 1 : 0);
  const size_t left = g->op_count;
  ash_graph_free(g);
  ash_ctx_free(ctx);
  return left;
}

static void dead_code_goes(void) {
  CHECK_EQ(keeps("pass_dead_code", "dead_code"), 1);
}
static void constants_are_computed(void) {
  CHECK_EQ(keeps("pass_constants", "constants"), 1);
}
static void what_is_computed_twice_is_joined(void) {
  CHECK_EQ(keeps("pass_cse", "cse"), 2);
}
static void padding_joins_the_window(void) {
  CHECK_EQ(keeps("pass_padding", "padding"), 1);
}
static void scales_and_offsets_join_the_weights(void) {
  CHECK_EQ(keeps("pass_scales", "scales"), 1);
}
static void rectifiers_join_the_layer(void) {
  CHECK_EQ(keeps("pass_activations", "activations"), 1);
}
static void rectifiers_pass_a_view(void) {
  CHECK_EQ(keeps("pass_activations_view", "activations"), 2);
}
static void weights_of_all_codes_make_layers_of_uint8(void) {
  CHECK_EQ(keeps("pass_qdq_uint8", "qdq"), 3); /* and to uint8 and back */
}
static void transpositions_cancel(void) {
  CHECK_EQ(keeps("pass_layout", "layout"), 2); /* and a view */
}
static void paddings_are_turned_along(void) {
  CHECK_EQ(keeps("pass_layout_pad", "layout"), 2); /* pad and convolution */
}
static void paddings_of_codes_are_codes(void) {
  CHECK_EQ(keeps("pass_qdq_pad", "qdq"), 1);
}
static void codes_replace_floats(void) {
  CHECK_EQ(keeps("pass_qdq", "qdq"), 1);
  CHECK_EQ(keeps("pass_qdq_bias", "qdq"), 1); /* far above the weights */
}
static void integers_are_stored_narrow(void) {
  CHECK_EQ(keeps("pass_narrow", "narrow"), 7);
}
static void scaling_of_sums_joins_the_layer(void) {
  CHECK_EQ(keeps("pass_requant", "requant"), 2);
}
/* With a factor, both masks, views and repeated heads: two slices and two views
 * stay. */
static void products_and_softmax_become_attention(void) {
  CHECK_EQ(keeps("pass_attention", "attention"), 5);
  CHECK_EQ(keeps("pass_attention_int8", "attention"), 1);
  CHECK_EQ(keeps("pass_attention_once", "attention"), 1);
}
static void functions_become_a_chain(void) {
  CHECK_EQ(keeps("pass_fuse", "fuse"), 1);
}
static void functions_and_folds_of_rows_become_one(void) {
  CHECK_EQ(keeps("pass_fuse_rows", "fuse_rows"), 1);
}
static void a_function_of_codes_becomes_a_table(void) {
  CHECK_EQ(keeps("pass_qdq_table", "qdq"), 3); /* and to int8 and back */
}
static void lowering_changes_nothing(void) {
  CHECK_EQ(keeps("pass_padding", "lower"), 2);
}

#define TESTS(X)                                                               \
  X(dead_code_goes)                                                            \
  X(constants_are_computed)                                                    \
  X(what_is_computed_twice_is_joined)                                          \
  X(padding_joins_the_window)                                                  \
  X(scales_and_offsets_join_the_weights)                                       \
  X(rectifiers_join_the_layer)                                                 \
  X(rectifiers_pass_a_view)                                                    \
  X(weights_of_all_codes_make_layers_of_uint8)                                 \
  X(transpositions_cancel)                                                     \
  X(paddings_are_turned_along)                                                 \
  X(paddings_of_codes_are_codes)                                               \
  X(codes_replace_floats)                                                      \
  X(integers_are_stored_narrow)                                                \
  X(scaling_of_sums_joins_the_layer)                                           \
  X(products_and_softmax_become_attention)                                     \
  X(functions_become_a_chain)                                                  \
  X(functions_and_folds_of_rows_become_one)                                    \
  X(a_function_of_codes_becomes_a_table)                                       \
  X(lowering_changes_nothing)

TEST_MAIN(TESTS)
