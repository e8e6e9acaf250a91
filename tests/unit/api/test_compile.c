/* test_compile.c - the whole pipeline through the public interface: the digits
 * example compiles, twice to the same bytes; every allocation may fail; the
 * textual form is an identity; the plan JSON passes its own check. */
#include "ashlar/compile.h"
#include "check.h"
#include "context.h"
#include "faulty.h"
#include "graph/graph.h"

#define DIGITS TEST_SOURCE_DIR "/examples/digits/digits.tflite"

/* ---- allocation failure -------------------------------------------------- */

static ash_status compile_with(faulty *f) {
  const ash_allocator mem = faulty_allocator(f);
  const ash_device *device;
  ash_compiled out = {0};
  ash_ctx *ctx;
  ash_status status = ash_ctx_new(&ctx, &mem);
  if (status != ASH_OK)
    return status;
  status = ash_device_load(ctx, &device, "apollo510");
  if (status == ASH_OK)
    status = ash_compile(ctx, &out, DIGITS, device, NULL);
  size_t count;
  const ash_diag *diags = ash_ctx_diags(ctx, &count);
  bool said = status == ASH_OK;
  for (size_t i = 0; i < count; i++)
    said |= diags[i].code == status;
  ash_compiled_drop(&out);
  ash_ctx_free(ctx);
  CHECK(said); /* no failure without a diagnostic */
  return status;
}

static void every_allocation_may_fail(void) {
  faulty f = {0};
  CHECK_EQ(compile_with(&f), ASH_OK);
  CHECK_EQ(f.live_bytes, 0);
  const size_t calls = f.calls;
  CHECK(calls > 20);
  for (size_t n = 1; n <= calls; n++) {
    f = (faulty){.fail_at = n};
    CHECK_EQ(compile_with(&f), ASH_NOMEM);
    CHECK_EQ(f.live_bytes, 0);
  }
}

/* ---- helpers ------------------------------------------------------------ */

static const ash_device *load_device(ash_ctx *ctx, const char *name) {
  const ash_device *device;
  CHECK_EQ(ash_device_load(ctx, &device, name), ASH_OK);
  return device;
}

static void compiling_twice_gives_the_same_bytes(void) {
  ash_ctx *one = new_ctx(), *two = new_ctx();
  ash_compiled a, b;
  CHECK_EQ(ash_compile(one, &a, DIGITS, load_device(one, "apollo510"), NULL),
           ASH_OK);
  CHECK_EQ(ash_compile(two, &b, DIGITS, load_device(two, "apollo510"), NULL),
           ASH_OK);
  CHECK_EQ(a.file_count, b.file_count);
  for (size_t i = 0; i < a.file_count; i++) {
    CHECK_STR(a.files[i].name, b.files[i].name);
    CHECK_EQ(a.files[i].count, b.files[i].count);
    CHECK(memcmp(a.files[i].bytes, b.files[i].bytes, a.files[i].count) == 0);
  }
  ash_compiled_drop(&a);
  ash_compiled_drop(&b);
  ash_ctx_free(one);
  ash_ctx_free(two);
}

/* dump(parse(dump(g))) == dump(g), before and after lowering. */
static void check_identity(ash_ctx *ctx, const ash_graph *g) {
  const char *first, *second;
  size_t first_count, second_count;
  ash_graph *again;
  CHECK_EQ(ash_graph_dump(ctx, &first, &first_count, g), ASH_OK);
  CHECK_EQ(ash_graph_parse(ctx, &again, first, first_count, "dump"), ASH_OK);
  CHECK_EQ(ash_graph_dump(ctx, &second, &second_count, again), ASH_OK);
  CHECK_STR(first, second);
  ash_graph_free(again);
}

static void the_textual_form_is_an_identity(void) {
  ash_ctx *ctx = new_ctx();
  ash_graph *g;
  CHECK_EQ(ash_load_model(ctx, &g, DIGITS), ASH_OK);
  check_identity(ctx, g);
  CHECK_EQ(ash_lower(ctx, g), ASH_OK);
  check_identity(ctx, g);
  ash_graph_free(g);
  ash_ctx_free(ctx);
}

static void bad_text_is_refused_with_its_line(void) {
  static const char *const texts[] = {
      "graph \"x\"\ntensor %0 input int8[1,2 \"a\"\n",
      "graph \"x\"\ntensor %0 inputs int8[1] \"a\"\n",
      "graph \"x\"\nop a 0 nothing(%0) -> (%1)\n",
      "graph \"x\"\nop a 0 relu(%0) -> (%1)\n",
      "graph \"x\"\ntensor %0 constant int8[4] \"a\" data 0102\n",
      "graph \"x\"\nwhat\n"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    ash_ctx *ctx = new_ctx();
    ash_graph *g;
    size_t count;
    CHECK_EQ(ash_graph_parse(ctx, &g, texts[i], strlen(texts[i]), "t"),
             ASH_MALFORMED);
    CHECK(g == NULL);
    CHECK_EQ(ash_ctx_diags(ctx, &count)[0].loc.line, 2);
    ash_ctx_free(ctx);
  }
}

static void the_plan_json_passes_its_own_check(void) {
  ash_ctx *ctx = new_ctx();
  ash_compiled out;
  const char *json;
  size_t count;
  CHECK_EQ(ash_compile(ctx, &out, DIGITS, load_device(ctx, "apollo510"), NULL),
           ASH_OK);
  CHECK_EQ(ash_plan_json(ctx, &json, &count, out.plan, out.graph), ASH_OK);
  CHECK_EQ(ash_check_plan_json(ctx, json, count, "plan"), ASH_OK);
  /* One digit changed anywhere in an offset or size must be noticed. */
  char *copy = malloc(count);
  CHECK(copy != NULL);
  size_t changed = 0;
  for (const char *at = json; (at = strstr(at, "\"offset\": ")) != NULL; at++) {
    memcpy(copy, json, count);
    char *digit = copy + (at - json) + strlen("\"offset\": ");
    *digit = *digit == '9' ? '8' : '9';
    CHECK_EQ(ash_check_plan_json(ctx, copy, count, "plan"), ASH_MALFORMED);
    ash_ctx_forget(ctx);
    changed++;
  }
  CHECK(changed > 10);
  free(copy);
  ash_compiled_drop(&out);
  ash_ctx_free(ctx);
}

static void every_planner_passes_the_checker(void) {
  static const char *const planners[] = {"exact", "greedy", "first-fit",
                                         "naive"};
  uint64_t exact = 0;
  for (size_t i = 0; i < 4; i++) {
    ash_ctx *ctx = new_ctx();
    ash_compiled out;
    const ash_compile_options options = {.struct_bytes = sizeof options,
                                         .plan.planner = planners[i]};
    CHECK_EQ(
        ash_compile(ctx, &out, DIGITS, load_device(ctx, "apollo510"), &options),
        ASH_OK);
    CHECK_STR(out.plan->planner, planners[i]);
    CHECK(i == 0 || out.plan->arenas[0].size >= exact);
    exact = i == 0 ? out.plan->arenas[0].size : exact;
    ash_compiled_drop(&out);
    ash_ctx_free(ctx);
  }
}

static void a_device_too_small_is_a_verdict_with_figures(void) {
  ash_ctx *ctx = new_ctx();
  const ash_device *device = load_device(ctx, "nrf52840");
  ash_compiled out;
  size_t count;
  const char *name = device->memories[device->default_memory].name;
  const uint64_t reserve =
      device->memories[device->default_memory].reserve_bytes;
  CHECK_EQ(ash_device_set_bytes(ctx, &device, name, 256 + reserve), ASH_OK);
  CHECK_EQ(ash_compile(ctx, &out, DIGITS, device, NULL), ASH_NOFIT);
  const ash_diag *d = ash_ctx_diags(ctx, &count);
  CHECK(count >= 2 && strstr(d[0].message, " bytes short") != NULL);
  ash_compiled_drop(&out);
  ash_ctx_free(ctx);
}

/* Multipliers and shifts that lowering made lie in a constant arena, and a rule
 * reaches them like weights. */
static void derived_tables_are_planned_like_constants(void) {
  ash_ctx *ctx = new_ctx();
  ash_compiled out;
  ash_rules *rules;
  CHECK_EQ(ash_rules_new(ctx, &rules), ASH_OK);
  CHECK_EQ(ash_rules_add(ctx, rules,
                         "type=constant constant_destination_memory=DTCM"),
           ASH_OK);
  const ash_compile_options options = {.struct_bytes = sizeof options,
                                       .plan.rules = rules};
  CHECK_EQ(
      ash_compile(ctx, &out, DIGITS, load_device(ctx, "apollo510"), &options),
      ASH_OK);
  uint32_t tables = 0;
  for (uint32_t i = 0; i < out.plan->slot_count; i++) {
    const ash_slot *s = &out.plan->slots[i];
    if (!strstr(s->id, "_multiplier") && !strstr(s->id, "_shift"))
      continue;
    tables++;
    CHECK_EQ(s->binding.role, ASH_CONSTANT);
    CHECK_STR(s->binding.memory, "DTCM");
    CHECK_STR(s->binding.source_memory, "MRAM");
  }
  CHECK(tables >= 4);
  ash_compiled_drop(&out);
  ash_ctx_free(ctx);
}

/* Two operators a step: each is cut and called, in the order of the steps. */
static void patterns_of_operators_are_compiled(void) {
  enum { OPS = 64 };
  ash_ctx *ctx;
  ash_compiled out;
  uint32_t ops[OPS];
  ash_step items[OPS];
  CHECK_EQ(ash_ctx_new(&ctx, NULL), ASH_OK);
  const ash_device *device = load_device(ctx, "deeploy");
  CHECK_EQ(ash_compile(ctx, &out, DIGITS, device, NULL), ASH_OK);
  const uint32_t count = (uint32_t)out.graph->op_count;
  CHECK(count > 4 && count <= OPS);
  ash_compiled_drop(&out);
  for (uint32_t i = 0; i < count; i++)
    ops[i] = i;
  ash_steps steps = {items, 0};
  for (uint32_t i = 0; i < count; i += 2)
    items[steps.count++] =
        (ash_step){.ops = ops + i, .op_count = count - i < 2 ? 1 : 2};
  const ash_compile_options options = {.struct_bytes = sizeof options,
                                       .plan.steps = &steps};
  CHECK_EQ(ash_compile(ctx, &out, DIGITS, device, &options), ASH_OK);
  CHECK_EQ(out.plan->steps.count, steps.count);
  const char *source = NULL;
  for (size_t i = 0; i < out.file_count; i++)
    if (strcmp(out.files[i].name, "digits.c") == 0)
      source = out.files[i].bytes;
  CHECK(source);
  for (uint32_t op = 0; op < count; op++) {
    char call[96];
    if (!out.plan->tilings->items[op].space)
      continue;
    (void)snprintf(call, sizeof call, "    {digits_%s, ",
                   out.graph->ops.items[op].id);
    source = strstr(source, call);
    CHECK(source);
  }
  ash_compiled_drop(&out);
  ash_ctx_free(ctx);
}

#define TESTS(X)                                                               \
  X(patterns_of_operators_are_compiled)                                        \
  X(every_allocation_may_fail)                                                 \
  X(compiling_twice_gives_the_same_bytes)                                      \
  X(the_textual_form_is_an_identity)                                           \
  X(bad_text_is_refused_with_its_line)                                         \
  X(the_plan_json_passes_its_own_check)                                        \
  X(derived_tables_are_planned_like_constants)                                 \
  X(every_planner_passes_the_checker)                                          \
  X(a_device_too_small_is_a_verdict_with_figures)
TEST_MAIN(TESTS)
