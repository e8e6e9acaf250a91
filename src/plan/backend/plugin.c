/* plugin.c - planner backends from shared objects (docs/planners.md). */
#include "plan/planner.h"

#include <dlfcn.h>

static void close_object(void *user) {
  (void)dlclose(user);
}

static ash_status fail(ash_ctx *ctx, const char *path, const char *why) {
  return ash_fail(ctx, ASH_IO, ASH_D_planner_load, ASH_NOWHERE, "%s: %s", path,
                  why ? why : "cannot be loaded");
}

ash_status ash_load_planner(ash_ctx *ctx, const ash_planner **out,
                            const char *path) {
  ASH_NEED(ctx, ctx && out && path);
  *out = NULL;
  void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!object)
    return fail(ctx, path, dlerror());
  const ash_status kept = ash_ctx_on_free(ctx, close_object, object);
  if (kept != ASH_OK) {
    close_object(object);
    return kept;
  }
  const ash_planner *planner = dlsym(object, "ashlar_planner");
  if (!planner)
    return fail(ctx, path, "it does not export 'ashlar_planner'");
  ASH_TRY(ash_planner_check(ctx, planner, path, true));
  *out = planner;
  return ASH_OK;
}
