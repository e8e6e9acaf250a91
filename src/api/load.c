/* load.c - a model file becomes a verified graph that keeps its bytes. */
#include "ashlar/compile.h"

#include "api/options.h"
#include "base/file.h"
#include "op/verify.h"
#include "pass/end_types.h"
#include "pass/states.h"
#include "read/read.h"

ash_status ash_load_model(ash_ctx *ctx, ash_graph **out, const char *path) {
  return ash_load_model_with(ctx, out, path, NULL);
}

ash_status ash_load_model_with(ash_ctx *ctx, ash_graph **out, const char *path,
                               const ash_load_options *options) {
  ASH_NEED(ctx, ctx && out && path);
  ash_file file;
  ash_load_options known = {0};
  ash_take_options(&known, sizeof known, options);
  *out = NULL;
  ASH_TRY(ash_options_load(ctx, &known));
  ASH_TRY(ash_file_read(ctx, &file, path));
  ash_status status =
      ash_read_model_with(ctx, out, file.bytes, file.count, path, &known);
  if (status == ASH_OK)
    status = ash_op_verify(ctx, *out);
  if (status == ASH_OK)
    status = ash_pass_end_types(ctx, *out, &known);
  if (status == ASH_OK)
    status = ash_pass_states(ctx, *out, &known);
  if (status == ASH_OK) {
    (*out)->bytes = file; /* constants point into it */
    return ASH_OK;
  }
  ash_graph_free(*out);
  *out = NULL;
  ash_file_drop(&file);
  return status;
}
