/* test_exhaustion.c - memory runs out wherever the compiler asks for some, by
 * every chain of callers: the status is ASH_NOMEM, a diagnostic says so, and
 * nothing is left allocated. */
#include "ashlar/compile.h"
#include "ashlar/report.h"
#include "check.h"
#include "exhaust.h"

#define SMALL TEST_SOURCE_DIR "/tests/models/small.ir"

/* What is planned for what, and how. */
typedef struct ask {
  const char *model, *device, *memory;
  uint64_t bytes; /* of that memory */
  ash_compile_options options;
} ask;

static ash_status load(ash_ctx *ctx, const ash_device **device, const ask *a) {
  ash_status status = ash_device_load(ctx, device, a->device);
  if (status == ASH_OK && a->memory)
    status = ash_device_set_bytes(ctx, device, a->memory, a->bytes);
  return status;
}

/* The plan as a file, which is read back and compared with the model. */
static ash_status check_file(ash_ctx *ctx, const ask *a,
                             const ash_device *device,
                             const ash_compiled *made) {
  ash_plan_text text = {.file = "plan"};
  ash_status status =
      ash_plan_json(ctx, &text.text, &text.count, made->plan, made->graph);
  if (status == ASH_OK)
    status = ash_check_plan_of_model(ctx, &text, a->model, device, &a->options);
  return status;
}

static ash_status compile_and_check(ash_ctx *ctx, const ask *a) {
  const ash_device *device;
  ash_compiled made = {0};
  ash_status status = load(ctx, &device, a);
  if (status == ASH_OK)
    status = ash_compile(ctx, &made, a->model, device, &a->options);
  if (status == ASH_OK)
    status = check_file(ctx, a, device, &made);
  ash_compiled_drop(&made);
  return status;
}

static ash_compile_options planned_by(const char *planner) {
  return (ash_compile_options){
      .struct_bytes = sizeof(ash_compile_options),
      .plan = {.struct_bytes = sizeof(ash_plan_options),
               .planner = planner,
               .order_ticks = 2000}};
}

static ash_status whole(ash_ctx *ctx) {
  return compile_and_check(ctx, &(ask){.model = SMALL,
                                       .device = "apollo510",
                                       .options = planned_by("exact")});
}

static ash_status in_tiles(ash_ctx *ctx) {
  return compile_and_check(ctx, &(ask){.model = SMALL,
                                       .device = "deeploy",
                                       .memory = "L1",
                                       .bytes = 360,
                                       .options = planned_by(NULL)});
}

static ash_status in_rows(ash_ctx *ctx) {
  return compile_and_check(ctx, &(ask){.model = SMALL,
                                       .device = "stm32f446re",
                                       .memory = "SRAM",
                                       .bytes = 8500,
                                       .options = planned_by(NULL)});
}

static void memory_runs_out_in_whole_operators(void) {
  CHECK(exhaust(whole) > 50);
}

static void memory_runs_out_in_tiles(void) {
  CHECK(exhaust(in_tiles) > 50);
}

static void memory_runs_out_in_rows(void) {
  CHECK(exhaust(in_rows) > 50);
}

#define TESTS(X)                                                               \
  X(memory_runs_out_in_whole_operators)                                        \
  X(memory_runs_out_in_tiles)                                                  \
  X(memory_runs_out_in_rows)
TEST_MAIN(TESTS)
