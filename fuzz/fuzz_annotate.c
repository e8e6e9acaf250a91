/* fuzz_annotate.c - any bytes are a TFLite file that may hold a plan: reading
 * it and planning anew must end in a status, and what was written must be read
 * back as right. */
#include "ashlar/annotate.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_back(const uint8_t *bytes, size_t count, uint64_t planned) {
  ash_ctx *ctx;
  ash_offline_plan plan;
  if (ash_ctx_new(&ctx, NULL) != ASH_OK)
    return;
  const ash_status status =
      ash_read_offline_plan(ctx, &plan, bytes, count, "f.tflite");
  if (status != ASH_OK || !plan.offsets || plan.bytes != planned)
    abort();
  ash_ctx_free(ctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ash_ctx *ctx;
  ash_offline_plan plan;
  const uint8_t *out;
  size_t out_count;
  if (ash_ctx_new(&ctx, NULL) != ASH_OK)
    return 0;
  if (ash_read_offline_plan(ctx, &plan, data, size, "f.tflite") == ASH_INTERNAL)
    abort();
  const ash_status status =
      ash_annotate_tflite(ctx, &out, &out_count, &plan, data, size, "f.tflite");
  if (status == ASH_INTERNAL || (status == ASH_OK) != (out != NULL))
    abort();
  if (status == ASH_OK)
    read_back(out, out_count, plan.bytes);
  ash_ctx_free(ctx);
  return 0;
}
