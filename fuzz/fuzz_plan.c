/* fuzz_plan.c - any bytes as a plan file: checked or refused, and compared with
 * itself without a difference where it can be read. */
#include "ashlar/plan.h"
#include "ashlar/report.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
  const ash_plan_text text = {(const char *)bytes, count, "fuzz"};
  ash_plan_diff diff;
  ash_ctx *ctx;
  if (ash_ctx_new(&ctx, NULL) != ASH_OK)
    return 0;
  const ash_status status =
      ash_check_plan_json(ctx, text.text, text.count, text.file);
  if (ash_diff_plans(ctx, &diff, &text, &text) == ASH_OK && status == ASH_OK &&
      diff.tensor_count > 0)
    abort();
  ash_ctx_free(ctx);
  return 0;
}
