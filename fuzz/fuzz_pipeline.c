/* fuzz_pipeline.c - any bytes as a model of any format, all the way to C:
 * reader, passes, an order of operators or rows, tiles, plan, check, code, and
 * the plan as a file, which its own check must accept. Which device and which
 * order follows from the bytes. Memory is bounded, so that a model that asks
 * for gigabytes is refused. */
#include "ashlar/compile.h"
#include "op/verify.h"
#include "pass/pass.h"
#include "read/read.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 64 << 20 };

static size_t used;

static void *resize(void *user, void *ptr, size_t old_bytes, size_t new_bytes) {
  (void)user;
  if (new_bytes > MOST || used - old_bytes + new_bytes > MOST)
    return NULL;
  used += new_bytes - old_bytes;
  if (new_bytes == 0) {
    free(ptr);
    return NULL;
  }
  void *now = realloc(ptr, new_bytes);
  if (!now)
    used -= new_bytes - old_bytes;
  return now;
}

/* FNV-1a: the same for the same bytes, and spread over all ways. */
static uint32_t spread(const uint8_t *data, size_t size) {
  uint32_t sum = 2166136261u;
  for (size_t i = 0; i < size; i++)
    sum = (sum ^ data[i]) * 16777619u;
  return sum >> 8;
}

static const char *const devices[] = {"host", "apollo510", "deeploy",
                                      "mps2-an386"};

static ash_status write_plan(ash_ctx *ctx, const ash_plan *plan,
                             const ash_graph *g) {
  const char *text;
  size_t count;
  ASH_TRY(ash_plan_json(ctx, &text, &count, plan, g));
  const ash_status status = ash_check_plan_json(ctx, text, count, "plan");
  return status == ASH_MALFORMED ? ASH_INTERNAL : status; /* our own file */
}

static ash_status run(ash_ctx *ctx, ash_graph *g, uint32_t way) {
  const ash_device *device;
  ash_compiled c = {.graph = g};
  const ash_plan_options options = {.struct_bytes = sizeof options,
                                    .planner =
                                        way >> 6 & 1 ? "exact" : "first-fit",
                                    .ticks = 1000,
                                    .order_ticks = 1000,
                                    .order = (ash_order_kind)(way >> 2 & 3),
                                    .overlap = way >> 4 & 1,
                                    .no_in_place = way >> 5 & 1};
  ASH_TRY(ash_op_verify(ctx, g));
  ASH_TRY(ash_device_load(ctx, &device, devices[way & 3]));
  ASH_TRY(ash_pass_run(ctx, g));
  ASH_TRY(ash_op_verify(ctx, g));
  ASH_TRY(ash_plan_model(ctx, &c.plan, g, device, &options));
  ASH_TRY(write_plan(ctx, c.plan, g));
  return ash_emit_module(ctx, &c, device, "f", NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const ash_allocator mem = {.resize = resize};
  ash_ctx *ctx;
  ash_graph *g;
  if (ash_ctx_new(&ctx, &mem) != ASH_OK)
    return 0;
  ash_status status = ash_read_model(ctx, &g, data, size, "f");
  if (g)
    status = run(ctx, g, spread(data, size));
  if (status == ASH_INTERNAL)
    abort();
  ash_graph_free(g);
  ash_ctx_free(ctx);
  return 0;
}
