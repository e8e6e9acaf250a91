/* test_annotate.c - plans for TFLite Micro from small files made by hand. */
#include "ashlar/annotate.h"
#include "base/ctx.h"
#include "check.h"
#include "context.h"
#include "tflite_make.h"

/* a[1,100] -> an operator nobody knows -> b[1,50] -> another -> c[1,7]; w is
 * constant, v a variable, r a resource. */
static make_model strange_model(void) {
  static const int8_t weights[16] = {1};
  return (make_model){
      .version = 3,
      .subgraph_count = 1,
      .code_count = 1,
      .codes = {{32, 32, 1, "Mystery"}},
      .buffer_count = 2,
      .buffers = {{0}, {weights, sizeof weights, 0, 0}},
      .tensor_count = 6,
      .tensors = {{.name = "a", .type = 9, .shape = MAKE_IDS(1, 100)},
                  {.name = "w", .type = 9, .shape = MAKE_IDS(16), .buffer = 1},
                  {.name = "b", .type = 0, .shape = MAKE_IDS(1, 50)},
                  {.name = "v", .type = 9, .shape = MAKE_IDS(4), .variable = 1},
                  {.name = "r", .type = 13, .shape = MAKE_IDS(1)},
                  {.name = "c", .type = 9, .shape = MAKE_IDS(1, 7)}},
      .op_count = 2,
      .ops = {{.inputs = MAKE_IDS(0, 1, -1), .outputs = MAKE_IDS(2)},
              {.inputs = MAKE_IDS(2, 3, 4), .outputs = MAKE_IDS(5)}},
      .inputs = MAKE_IDS(0),
      .outputs = MAKE_IDS(5)};
}

static void operators_do_not_matter(void) {
  ash_ctx *ctx = new_ctx();
  const make_model m = strange_model();
  make_file f;
  ash_offline_plan plan, again;
  const uint8_t *out;
  size_t count;
  make_write(&f, &m);
  CHECK_EQ(ash_annotate_tflite(ctx, &out, &count, &plan, f.bytes, f.count, "f"),
           ASH_OK);
  CHECK_EQ(plan.count, 6);
  CHECK_EQ(plan.bytes, 112 + 208); /* a and b, each in lines of 16 */
  CHECK_EQ(plan.lower_bound, plan.bytes);
  CHECK_EQ(plan.greedy_bytes, plan.bytes);
  CHECK(plan.offsets[0] >= 0 && plan.offsets[2] >= 0 && plan.offsets[5] >= 0);
  CHECK_EQ(plan.offsets[1], -1); /* constant */
  CHECK_EQ(plan.offsets[3], -1); /* variable */
  CHECK_EQ(plan.offsets[4], -1); /* no size of its own */
  CHECK_EQ(ash_read_offline_plan(ctx, &again, out, count, "f"), ASH_OK);
  CHECK_EQ(again.bytes, plan.bytes);
  ash_ctx_free(ctx);
}

static void tensors_of_further_subgraphs_are_left_alone(void) {
  ash_ctx *ctx = new_ctx();
  make_model m = strange_model();
  make_file f;
  ash_offline_plan plan;
  const uint8_t *out;
  size_t count;
  m.subgraph_count = 2;
  make_write(&f, &m);
  CHECK_EQ(ash_annotate_tflite(ctx, &out, &count, &plan, f.bytes, f.count, "f"),
           ASH_OK);
  CHECK(plan.count >= 6); /* one offset a tensor of the whole file */
  for (uint32_t i = 6; i < plan.count; i++)
    CHECK_EQ(plan.offsets[i], -1);
  ash_ctx_free(ctx);
}

static void numbers_out_of_range_are_refused(void) {
  ash_ctx *ctx = new_ctx();
  make_model m = strange_model();
  make_file f;
  ash_offline_plan plan;
  const uint8_t *out;
  size_t count;
  m.ops[0].inputs.items[0] = 6;
  make_write(&f, &m);
  CHECK_EQ(ash_annotate_tflite(ctx, &out, &count, &plan, f.bytes, f.count, "f"),
           ASH_MALFORMED);
  CHECK(out == NULL && count == 0);
  m = strange_model();
  m.subgraph_count = 0;
  make_write(&f, &m);
  CHECK_EQ(ash_annotate_tflite(ctx, &out, &count, &plan, f.bytes, f.count, "f"),
           ASH_MALFORMED);
  ash_ctx_free(ctx);
}

#define TESTS(X)                                                               \
  X(operators_do_not_matter)                                                   \
  X(tensors_of_further_subgraphs_are_left_alone)                               \
  X(numbers_out_of_range_are_refused)

TEST_MAIN(TESTS)
