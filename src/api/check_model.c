/* check_model.c - a plan file and the model that it is said to be of: the
 * stages before the plan are run again, then the file is judged. */
#include "ashlar/compile.h"

#include "check/check_model.h"

ash_status ash_check_plan_of_model(ash_ctx *ctx, const ash_plan_text *plan,
                                   const char *path, const ash_device *device,
                                   const ash_compile_options *options) {
  ASH_NEED(ctx, ctx && plan && plan->text && path);
  ash_compile_options known = {0};
  ash_compiled made;
  ash_take_options(&known, sizeof known, options);
  known.stop = true;
  known.stop_after = ASH_STAGE_PASS;
  ASH_TRY(ash_check_file_device(ctx, &device, plan, device));
  const ash_target target = ash_target_of(device, &known);
  ash_status status = ash_compile(ctx, &made, path, device, &known);
  if (status == ASH_OK)
    status = ash_check_file_of(ctx, plan,
                               &(ash_check_model){made.graph, device, &target});
  ash_compiled_drop(&made);
  return status;
}
