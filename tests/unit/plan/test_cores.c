/* test_cores.c - operators split over cores: what each core has of its own, and
 * that the checker refuses what would disturb another core. */
#include "ashlar/compile.h"
#include "base/ctx.h"
#include "check.h"
#include "context.h"
#include "domain/shares.h"
#include "graph/graph.h"
#include "kernel/choose.h"

#include <string.h>

#define DIGITS TEST_SOURCE_DIR "/examples/digits/digits.tflite"

enum { OPS = 64 };

typedef struct fixture {
  ash_ctx *ctx;
  const ash_device *device;
  ash_compiled c;
  ash_plan plan; /* a copy that may be spoilt */
  ash_choice choices[OPS];
} fixture;

static ash_status compile(fixture *f, const char *device,
                          ash_plan_options options) {
  f->ctx = new_ctx();
  CHECK_EQ(ash_device_load(f->ctx, &f->device, device), ASH_OK);
  const ash_compile_options o = {.plan = options};
  const ash_status status = ash_compile(f->ctx, &f->c, DIGITS, f->device, &o);
  if (status != ASH_OK)
    return status;
  CHECK(f->c.graph->op_count <= OPS);
  memcpy(f->choices, f->c.plan->choices,
         f->c.graph->op_count * sizeof *f->choices);
  f->plan = *f->c.plan;
  f->plan.choices = f->choices;
  return ASH_OK;
}

static void drop(fixture *f) {
  ash_compiled_drop(&f->c);
  ash_ctx_free(f->ctx);
}

static ash_status check(fixture *f) {
  return ash_check_plan(f->ctx, &f->plan, f->c.graph, f->device);
}

static uint32_t newest(const fixture *f) {
  size_t count;
  const ash_diag *all = ash_ctx_diags(f->ctx, &count);
  CHECK(count > 0);
  return all[count - 1].id;
}

/* The first operator that is split; with work memory, or anyhow. */
static ash_choice *find_split(fixture *f, bool with_work) {
  for (uint32_t op = 0; op < f->c.graph->op_count; op++)
    if (f->choices[op].cores > 1 &&
        (!with_work || f->choices[op].core_scratch > 0))
      return &f->choices[op];
  return NULL;
}

static uint32_t count_split(const fixture *f) {
  uint32_t n = 0;
  for (uint32_t op = 0; op < f->c.graph->op_count; op++)
    n += f->choices[op].cores > 1;
  return n;
}

static void every_core_has_its_own_work_memory(void) {
  fixture f;
  CHECK_EQ(compile(&f, "mps2-an386", (ash_plan_options){.cores = 2}), ASH_OK);
  ash_choice *x = find_split(&f, true);
  CHECK(x != NULL);
  CHECK_EQ(x->scratch, x->cores * x->core_scratch);
  CHECK(x->core_scratch % f.device->alignment == 0);
  CHECK_EQ(check(&f), ASH_OK);
  x->core_scratch++;
  CHECK(check(&f) != ASH_OK);
  CHECK_EQ(newest(&f), ASH_D_plan_cores);
  drop(&f);
}

/* Fast kernels on one core, before small ones on several. */
static void without_room_for_all_one_core_runs(void) {
  fixture one, two, tight;
  CHECK_EQ(compile(&one, "mps2-an386", (ash_plan_options){.cores = 1}), ASH_OK);
  CHECK_EQ(compile(&two, "mps2-an386", (ash_plan_options){.cores = 8}), ASH_OK);
  CHECK_EQ(count_split(&one), 0);
  CHECK(count_split(&two) > 0);
  const uint64_t room = one.c.plan->arenas[0].size;
  CHECK(two.c.plan->arenas[0].size > room);
  const ash_memory_constraint limits[] = {
      {"SSRAM2", room}, {"PSRAM", 0}, {"BRAM", 0}};
  const ash_plan_options o = {
      .constraints = limits, .constraint_count = 3, .cores = 8};
  CHECK_EQ(compile(&tight, "mps2-an386", o), ASH_OK);
  CHECK_EQ(count_split(&tight), 0);
  for (uint32_t op = 0; op < one.c.graph->op_count; op++)
    CHECK_EQ(one.choices[op].kernel, tight.choices[op].kernel);
  drop(&one);
  drop(&two);
  drop(&tight);
}

static void more_shares_than_there_are_lines_are_refused(void) {
  fixture f;
  CHECK_EQ(compile(&f, "host", (ash_plan_options){.cores = 2}), ASH_OK);
  find_split(&f, false)->cores = ASH_CORES_MAX;
  CHECK(check(&f) != ASH_OK);
  CHECK_EQ(newest(&f), ASH_D_plan_cores);
  drop(&f);
}

/* What follows its input's bytes is left to one core; two are refused. */
static void results_over_inputs_have_one_core(void) {
  fixture f;
  const ash_plan_options o = {.cores = 2, .overlap = true};
  CHECK_EQ(compile(&f, "host", o), ASH_OK);
  CHECK_EQ(check(&f), ASH_OK);
  uint32_t found = 0;
  for (uint32_t op = 0; op < f.c.graph->op_count; op++) {
    ash_choice *x = &f.choices[op];
    if (x->cores != 1)
      continue;
    found++;
    x->cores = 2;
    CHECK(check(&f) != ASH_OK);
    CHECK_EQ(newest(&f), ASH_D_plan_cores);
    x->cores = 1;
  }
  CHECK(found > 0);
  drop(&f);
}

/* Of every operator and number of cores: all of the result, each byte once, and
 * the largest is what the estimate counts with. */
static void shares_are_all_of_the_result(void) {
  fixture f;
  CHECK_EQ(compile(&f, "host", (ash_plan_options){0}), ASH_OK);
  const ash_graph *g = f.c.graph;
  for (uint32_t op = 0; op < g->op_count; op++)
    for (uint32_t cores = 1; cores <= 9; cores++) {
      ash_domain_shares s;
      uint64_t end = 0, most = 0;
      CHECK_EQ(ash_domain_shares_of(f.ctx, &s, g, op, f.choices[op].kernel,
                                    cores, true),
               ASH_OK);
      CHECK(s.count >= 1 && s.count <= cores);
      for (uint32_t k = 0; s.count > 1 && k < s.count; k++) {
        const ash_byte_range r = ash_domain_share_bytes(g, &s, op, k, true, 0);
        CHECK_EQ(r.from, end);
        CHECK(r.to > r.from);
        end = r.to;
        most = r.to - r.from > most ? r.to - r.from : most;
      }
      if (s.count == 1)
        continue;
      const uint64_t bytes = ash_op_out(g, &g->ops.items[op], 0)->bytes;
      CHECK_EQ(end, bytes);
      CHECK_EQ(ash_domain_share_largest(&s), (most * 1000 + bytes - 1) / bytes);
    }
  drop(&f);
}

#define TESTS(X)                                                               \
  X(every_core_has_its_own_work_memory)                                        \
  X(without_room_for_all_one_core_runs)                                        \
  X(more_shares_than_there_are_lines_are_refused)                              \
  X(results_over_inputs_have_one_core)                                         \
  X(shares_are_all_of_the_result)
TEST_MAIN(TESTS)
