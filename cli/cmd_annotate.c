/* cmd_annotate.c - ashlar annotate MODEL.tflite: a plan for TFLite Micro inside
 * the model, or a look at the one that is there. */
#include "ashlar/annotate.h"
#include "commands.h"
#include "files.h"
#include "session.h"

#include <inttypes.h>

typedef struct job {
  session s;
  const char *output;
  bool check;
} job;

static uint32_t planned(const ash_offline_plan *plan) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < plan->count; i++)
    n += plan->offsets[i] >= 0;
  return n;
}

static ash_status check(job *j, const char *path, const uint8_t *bytes,
                        size_t count) {
  ash_offline_plan plan;
  const ash_status status =
      ash_read_offline_plan(j->s.ctx, &plan, bytes, count, path);
  if (status != ASH_OK || j->s.quiet)
    return status;
  if (plan.offsets)
    printf("%s: the plan is right: %" PRIu32 " of %" PRIu32
           " tensors in %" PRIu64 " bytes\n",
           path, planned(&plan), plan.count, plan.bytes);
  else
    printf("%s: no plan inside\n", path);
  return ASH_OK;
}

static ash_status annotate(job *j, const char *path, const uint8_t *bytes,
                           size_t count) {
  ash_offline_plan plan;
  const uint8_t *out;
  size_t out_count;
  ash_status status = ash_annotate_tflite(j->s.ctx, &out, &out_count, &plan,
                                          bytes, count, path);
  if (status == ASH_OK)
    status = write_text(&j->s, j->output, (const char *)out, out_count);
  if (status == ASH_OK && !j->s.quiet)
    fprintf(stderr,
            "planned %" PRIu32 " tensors in %" PRIu64 " bytes (bound %" PRIu64
            ", %s); wrote %s\n",
            planned(&plan), plan.bytes, plan.lower_bound,
            ash_verdict_text(plan.verdict), j->output);
  return status;
}

static int run(job *j, const char *path) {
  char *bytes;
  size_t count;
  if (!read_whole(path, &bytes, &count))
    return session_close(&j->s, ASH_IO);
  const ash_status status =
      j->check ? check(j, path, (const uint8_t *)bytes, count)
               : annotate(j, path, (const uint8_t *)bytes, count);
  free_whole(bytes);
  return session_close(&j->s, status);
}

int cmd_annotate(int argc, char **argv) {
  job j = {0};
  arg_list models;
  const arg_option options[] = {
      {"output", 'o', ARG_TEXT, &j.output, "FILE|-", "the annotated model"},
      {"check", 0, ARG_FLAG, &j.check, NULL,
       "only look at the plan that is inside, and check it"},
      {"quiet", 'q', ARG_FLAG, &j.s.quiet, NULL, "say nothing but errors"},
      {0}};
  const command *cmd = find_command("annotate");
  int code = args_parse(cmd, argc, argv, options, &models);
  if (code < 0 && models.count != 1)
    code = usage_error(cmd, "one model file is needed");
  if (code < 0 && !j.check && !j.output)
    code = usage_error(cmd, "where to? give -o OUT.tflite");
  if (code < 0)
    code = session_open(&j.s, cmd);
  return code >= 0 ? code : run(&j, models.items[0]);
}
