/* test_variants.c - fast kernels where they fit, small ones where they must be.
 * */
#include "ashlar/compile.h"
#include "ashlar/render.h"
#include "base/ctx.h"
#include "check.h"
#include "context.h"
#include "graph/graph.h"
#include "kernel/choose.h"

#define DIGITS TEST_SOURCE_DIR "/examples/digits/digits.tflite"

/* Compiles for Cortex-M4 with so many bytes of memory. */
static ash_status compile(ash_ctx *ctx, ash_compiled *c, uint64_t bytes) {
  const ash_device *device;
  CHECK_EQ(ash_device_load(ctx, &device, "mps2-an386"), ASH_OK);
  const ash_memory_constraint limits[] = {
      {"SSRAM2", bytes}, {"PSRAM", 0}, {"BRAM", 0}};
  const ash_compile_options o = {
      .plan = {.constraints = limits, .constraint_count = 3}};
  return ash_compile(ctx, c, DIGITS, device, &o);
}

static uint64_t scratch_of(const ash_compiled *c) {
  CHECK_EQ(c->plan->arenas[0].role, ASH_SCRATCH);
  return c->plan->arenas[0].size;
}

static uint32_t count_small(const ash_compiled *c) {
  uint32_t n = 0;
  for (size_t i = 0; i < c->graph->op_count; i++)
    n += c->plan->choices[i].given_up != NULL;
  return n;
}

static uint32_t count_fast(const ash_compiled *c) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < c->graph->op_count; i++) {
    const ash_kernel *k = c->plan->choices[i].kernel;
    n += k && k->feature;
  }
  return n;
}

static void with_room_every_kernel_is_fast(void) {
  ash_ctx *ctx = new_ctx();
  ash_compiled c;
  CHECK_EQ(compile(ctx, &c, 1 << 20), ASH_OK);
  CHECK_EQ(count_small(&c), 0);
  CHECK(count_fast(&c) > 1);
  ash_compiled_drop(&c);
  ash_ctx_free(ctx);
}

static void one_byte_less_costs_one_fast_kernel(void) {
  ash_ctx *ctx = new_ctx();
  ash_compiled roomy, tight;
  CHECK_EQ(compile(ctx, &roomy, 1 << 20), ASH_OK);
  const uint64_t all = scratch_of(&roomy);
  CHECK_EQ(compile(ctx, &tight, all - 1), ASH_OK);
  CHECK(scratch_of(&tight) < all);
  CHECK_EQ(count_small(&tight), 1);
  CHECK_EQ(count_fast(&tight), count_fast(&roomy) - 1);
  ash_compiled_drop(&roomy);
  ash_compiled_drop(&tight);
  ash_ctx_free(ctx);
}

static void the_plan_says_which_and_why(void) {
  ash_ctx *ctx = new_ctx();
  ash_compiled roomy, tight;
  const char *text;
  size_t count;
  CHECK_EQ(compile(ctx, &roomy, 1 << 20), ASH_OK);
  CHECK_EQ(compile(ctx, &tight, scratch_of(&roomy) - 1), ASH_OK);
  CHECK_EQ(ash_plan_json(ctx, &text, &count, tight.plan, tight.graph), ASH_OK);
  CHECK(strstr(text, "\"kernel\": \"conv_2d_s8\"") != NULL);
  CHECK(strstr(text, "\"kernel_reason\": \"conv_2d_s8 instead of "
                     "conv_2d_s8_dsp, whose ") != NULL);
  ash_compiled_drop(&roomy);
  ash_compiled_drop(&tight);
  ash_ctx_free(ctx);
}

static void what_cannot_fit_is_still_refused(void) {
  ash_ctx *ctx = new_ctx();
  ash_compiled c;
  CHECK_EQ(compile(ctx, &c, 256), ASH_NOFIT);
  ash_compiled_drop(&c);
  ash_ctx_free(ctx);
}

static ash_status count_and_refuse(void *user, ash_ctx *ctx,
                                   const ash_plan_request *ask,
                                   ash_plan_answer *answer) {
  (void)ctx;
  (void)ask;
  (void)answer;
  ++*(uint32_t *)user;
  return ASH_NOFIT;
}

/* With all fast kernels and with none, however many there are. */
static void what_cannot_fit_costs_two_plans(void) {
  ash_ctx *ctx = new_ctx();
  const ash_device *device;
  ash_compiled c;
  uint32_t plans = 0;
  const ash_planner counter = {
      .abi = ASH_PLANNER_ABI, .plan = count_and_refuse, .user = &plans};
  const ash_compile_options o = {.plan = {.backend = &counter}};
  CHECK_EQ(ash_device_load(ctx, &device, "mps2-an386"), ASH_OK);
  CHECK_EQ(ash_compile(ctx, &c, DIGITS, device, &o), ASH_NOFIT);
  CHECK_EQ(plans, 2);
  ash_compiled_drop(&c);
  ash_ctx_free(ctx);
}

#define TESTS(X)                                                               \
  X(with_room_every_kernel_is_fast)                                            \
  X(one_byte_less_costs_one_fast_kernel)                                       \
  X(the_plan_says_which_and_why)                                               \
  X(what_cannot_fit_is_still_refused)                                          \
  X(what_cannot_fit_costs_two_plans)
TEST_MAIN(TESTS)
