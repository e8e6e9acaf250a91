/* no_processes.c - what a browser cannot do: load shared objects, start
 * programs, run a C compiler. It stands for plan/backend/plugin.c,
 * plan/backend/exec.c and cli/run/host_build.c, and says so when asked. Nobody
 * else writes to its files: locks are granted. */
#include "plan/planner.h"
#include "run/host_build.h"

#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

static const char why[] = "not in the browser; use the command line";

ash_status ash_load_planner(ash_ctx *ctx, const ash_planner **out,
                            const char *path) {
  *out = NULL;
  return ash_fail(ctx, ASH_UNSUPPORTED, ASH_D_planner_load, ASH_NOWHERE,
                  "%s: %s", path, why);
}

ash_status ash_exec_planner(ash_ctx *ctx, const ash_planner **out,
                            const char *command) {
  return ash_load_planner(ctx, out, command);
}

bool host_build_make(host_build *b, ash_ctx *ctx, const ash_generated *files,
                     size_t file_count, const char *main_text) {
  (void)b, (void)ctx, (void)files, (void)file_count, (void)main_text;
  (void)fprintf(stderr, "ashlar: no C compiler: %s\n", why);
  return false;
}

bool host_build_run(const host_build *b, const char *const *args,
                    unsigned seconds) {
  (void)b, (void)args, (void)seconds;
  return false;
}

void host_build_path(const host_build *b, char *out, size_t size,
                     const char *name) {
  (void)b;
  (void)snprintf(out, size, "%s", name);
}

void host_build_drop(host_build *b) {
  (void)b;
}

int flock(int fd, int operation) {
  (void)fd, (void)operation;
  return 0;
}

/* base/file.c keeps a lock this way; the file itself stays usable. */
int dup(int fd) {
  (void)fd;
  return -1;
}
