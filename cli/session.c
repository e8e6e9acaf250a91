/* session.c - see session.h. */
#include "session.h"

#include "print_diag.h"

#include <string.h>

static void print_dump(void *user, ash_stage stage, const char *text,
                       size_t count) {
  const session *s = user;
  if (s->dump_after && strcmp(s->dump_after, ash_stage_text(stage)) == 0)
    (void)fwrite(text, 1, count, stdout);
}

static int check_stage(const session *s, const char *name, const char *option) {
  if (!name || ash_stage_find(name) != ASH_STAGE_COUNT)
    return -1;
  return usage_error(s->cmd, "'%s' is no stage for --%s: read, pass, plan, emit",
                     name, option);
}

/* One --set MEM=SIZE. */
static int apply_set(session *s, const char *set) {
  char name[64];
  uint64_t bytes;
  const char *equals = strchr(set, '=');
  if (!equals || equals == set || (size_t)(equals - set) >= sizeof name ||
      !ash_parse_bytes(&bytes, equals + 1))
    return usage_error(s->cmd, "'%s' is not MEM=SIZE, as in DTCM=64K", set);
  memcpy(name, set, (size_t)(equals - set));
  name[equals - set] = '\0';
  const ash_status status =
      ash_device_set_bytes(s->ctx, &s->device, name, bytes);
  return status == ASH_OK ? -1 : session_close(s, status);
}

int session_open(session *s, const command *cmd) {
  s->cmd = cmd;
  int code = check_stage(s, s->dump_after, "dump-after");
  if (code < 0)
    code = check_stage(s, s->stop_after, "stop-after");
  if (code >= 0)
    return code;
  if (ash_ctx_new(&s->ctx, NULL) != ASH_OK) {
    fprintf(stderr, "ashlar: out of memory\n");
    return exit_code_of(ASH_NOMEM);
  }
  s->options.struct_bytes = sizeof s->options;
  s->options.plan.struct_bytes = sizeof s->options.plan;
  s->options.load = (ash_load_options){sizeof s->options.load, s->shapes.items,
                                       s->shapes.count, s->constants.items,
                                       s->constants.count,
                                       s->options.load.integers};
  s->options.stop = s->stop_after != NULL;
  if (s->stop_after)
    s->options.stop_after = ash_stage_find(s->stop_after);
  if (s->dump_after) {
    s->options.dump = print_dump;
    s->options.dump_user = s;
  }
  const ash_status status = ash_device_load(s->ctx, &s->device,
                                            s->target ? s->target : "host");
  if (status != ASH_OK)
    return session_close(s, status);
  for (size_t i = 0; i < s->sets.count; i++) {
    code = apply_set(s, s->sets.items[i]);
    if (code >= 0)
      return code;
  }
  return -1;
}

int session_close(session *s, ash_status status) {
  if (s->ctx) {
    if (!s->quiet || status != ASH_OK)
      print_diags(s->ctx, stderr);
    ash_ctx_free(s->ctx);
    s->ctx = NULL;
  }
  return exit_code_of(status);
}

ash_status write_text(session *s, const char *path, const char *text,
                      size_t count) {
  if (strcmp(path, "-") == 0)
    return fwrite(text, 1, count, stdout) == count && fflush(stdout) == 0
               ? ASH_OK
               : ASH_IO;
  const char *slash = strrchr(path, '/');
  char folder[4096] = ".";
  if (slash) {
    const size_t n = (size_t)(slash - path);
    if (n >= sizeof folder)
      return ASH_IO;
    memcpy(folder, slash == path ? "/" : path, n ? n : 1);
    folder[n ? n : 1] = '\0';
  }
  const ash_generated file = {slash ? slash + 1 : path, text, count};
  return ash_write_files(s->ctx, folder, &file, 1);
}
