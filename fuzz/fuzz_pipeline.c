/* fuzz_pipeline.c - any bytes as a model of any format, through reader, passes
 * and plan: every stage must end in a status, and none may contradict itself.
 * Memory is bounded, so that a model that asks for gigabytes is refused. */
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

static ash_status run(ash_ctx *ctx, ash_graph *g) {
  const ash_device *device;
  const ash_plan *plan;
  const ash_plan_options options = {
      .struct_bytes = sizeof options, .planner = "first-fit", .ticks = 1000};
  ASH_TRY(ash_op_verify(ctx, g));
  ASH_TRY(ash_device_load(ctx, &device, "host"));
  ASH_TRY(ash_pass_run(ctx, g));
  ASH_TRY(ash_op_verify(ctx, g));
  return ash_plan_model(ctx, &plan, g, device, &options);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const ash_allocator mem = {.resize = resize};
  ash_ctx *ctx;
  ash_graph *g;
  if (ash_ctx_new(&ctx, &mem) != ASH_OK)
    return 0;
  ash_status status = ash_read_model(ctx, &g, data, size, "f");
  if ((status == ASH_OK) != (g != NULL) || status == ASH_INTERNAL)
    abort();
  if (g)
    status = run(ctx, g);
  if (status == ASH_INTERNAL)
    abort();
  ash_graph_free(g);
  ash_ctx_free(ctx);
  return 0;
}
