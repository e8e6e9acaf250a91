/* test_exhaustion.c - memory runs out wherever the compiler asks for some, by
 * every chain of callers: the status is ASH_NOMEM, a diagnostic says so, and
 * nothing is left allocated. */
#include "ashlar/compile.h"
#include "ashlar/place.h"
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

/* The rows of the image arrive while the model runs. */
static ash_status fed_in_rows(ash_ctx *ctx) {
  static const char *const feed[] = {"image"};
  ask a = {
      .model = SMALL, .device = "stm32f446re", .options = planned_by("exact")};
  a.options.plan.feed = feed;
  a.options.plan.feed_count = 1;
  a.options.plan.order = ASH_ORDER_ROWS;
  a.options.plan.moves = ASH_MOVES_SMALLEST;
  return compile_and_check(ctx, &a);
}

static const char *planner; /* of the next */

static ash_status by_planner(ash_ctx *ctx) {
  ask a = {
      .model = SMALL, .device = "apollo510", .options = planned_by(planner)};
  if (strchr(planner, '+'))
    a = (ask){.model = SMALL,
              .device = "deeploy",
              .memory = "L1",
              .bytes = 360,
              .options = planned_by(planner)};
  a.options.stop = true;
  a.options.stop_after = ASH_STAGE_PLAN;
  a.options.plan.overlap = strcmp(planner, "exact") == 0;
  return compile_and_check(ctx, &a);
}

/* What people read of a plan that rules decide. */
static ash_status say(ash_ctx *ctx, const ash_compiled *made,
                      const ash_device *device, const ash_rules *rules) {
  const char *text;
  size_t count;
  ash_status status = ash_explain_tensor(ctx, &text, made->plan, made->graph,
                                         device, rules, "stem");
  if (status == ASH_OK)
    status = ash_report_html(ctx, &text, &count, made->plan, made->graph);
  return status;
}

static ash_status by_rules(ash_ctx *ctx) {
  ask a = {
      .model = SMALL, .device = "apollo510", .options = planned_by("exact")};
  const ash_device *device;
  ash_compiled made = {0};
  ash_rules *rules;
  ash_status status = load(ctx, &device, &a);
  if (status == ASH_OK)
    status = ash_rules_new(ctx, &rules);
  if (status == ASH_OK)
    status = ash_rules_add(ctx, rules, "type=scratch id=/st.*/ memory=SRAM");
  if (status == ASH_OK)
    status = ash_rules_add(ctx, rules, "type=constant memory=DTCM");
  a.options.emit = (ash_emit_options){.struct_bytes = sizeof(ash_emit_options),
                                      .residency = true};
  if (status == ASH_OK) {
    a.options.plan.rules = rules;
    status = ash_compile(ctx, &made, a.model, device, &a.options);
  }
  if (status == ASH_OK)
    status = check_file(ctx, &a, device, &made);
  if (status == ASH_OK)
    status = say(ctx, &made, device, rules);
  ash_compiled_drop(&made);
  return status;
}

static bool swallow(void *user, const char *bytes, size_t count) {
  *(size_t *)user += count;
  return bytes != NULL;
}

/* Buffers that need a search, its certificate, and the answer as a file. */
static ash_status pack(ash_ctx *ctx, const char *csv, uint64_t off) {
  const ash_place_options options = {.struct_bytes = sizeof options,
                                     .off = off};
  ash_csv read;
  ash_place_problem problem = {0};
  ash_place_result result;
  const char *text;
  size_t count, written = 0;
  bool certified = false;
  ash_status status = ash_csv_read(ctx, &read, csv, strlen(csv), "csv");
  problem.buffers = read.buffers;
  problem.buffer_count = read.count;
  if (status == ASH_OK)
    status = ash_place(ctx, &result, &problem, &options);
  if (status == ASH_OK)
    status = ash_place_certify(ctx, &certified, &problem, &result, &options,
                               swallow, &written);
  if (status == ASH_OK)
    status = ash_csv_write(ctx, &text, &count, &read, result.offsets);
  CHECK(status != ASH_OK || (certified && written > 0));
  return status;
}

static ash_status packed(ash_ctx *ctx) {
  static const char plain[] = "id,lower,upper,size\na,0,2,3\nb,1,4,2\nc,3,5,4\n"
                              "d,0,1,4\ne,2,3,3\nf,4,6,3\ng,5,6,2\nh,1,2,2\n";
  static const char aligned[] =
      "id,lower,upper,size,alignment\na,0,2,3,1\nb,1,4,2,4\nc,3,5,3,2\n"
      "d,0,1,4,1\ne,2,3,3,4\nf,4,6,3,2\n";
  const uint64_t off = ASH_OFF_RACE | ASH_OFF_REPAIR;
  ash_status status = pack(ctx, plain, 0);
  if (status == ASH_OK)
    status = pack(ctx, aligned, 0);
  if (status == ASH_OK)
    status = pack(ctx, plain, off);
  return status == ASH_OK ? pack(ctx, aligned, off) : status;
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

static void memory_runs_out_in_rows_that_arrive(void) {
  CHECK(exhaust(fed_in_rows) > 50);
}

static void memory_runs_out_in_every_planner(void) {
  static const char *const names[] = {"exact", "greedy", "first-fit", "naive",
                                      "greedy+exact"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    planner = names[i];
    CHECK(exhaust(by_planner) > 0);
  }
}

static void memory_runs_out_where_rules_decide(void) {
  CHECK(exhaust(by_rules) > 50);
}

static void memory_runs_out_in_packings(void) {
  CHECK(exhaust(packed) > 20);
}

#define TESTS(X)                                                               \
  X(memory_runs_out_in_whole_operators)                                        \
  X(memory_runs_out_in_tiles)                                                  \
  X(memory_runs_out_in_rows)                                                   \
  X(memory_runs_out_in_rows_that_arrive)                                       \
  X(memory_runs_out_in_every_planner)                                          \
  X(memory_runs_out_where_rules_decide)                                        \
  X(memory_runs_out_in_packings)
TEST_MAIN(TESTS)
