/* cmd_annotate.c - ashlar annotate MODEL.tflite: a plan for TFLite Micro inside
 * the model, or a look at the one that is there. */
#include "ashlar/annotate.h"
#include "commands.h"
#include "files.h"
#include "session.h"
#include "show/json_out.h"

#include <inttypes.h>

typedef struct job {
  session s;
  const char *output;
  bool check, json;
} job;

static uint32_t planned(const ash_offline_plan *plan) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < plan->count; i++)
    n += plan->offsets[i] >= 0;
  return n;
}

static void print_json(const ash_offline_plan *plan, const char *path) {
  bool first = true;
  printf("{");
  json_key_text(stdout, &first, "file", path);
  json_key_bool(stdout, &first, "planned", plan->offsets != NULL);
  if (plan->offsets) {
    json_key_uint(stdout, &first, "tensors", planned(plan));
    json_key_uint(stdout, &first, "bytes", plan->bytes);
  }
  if (plan->greedy_bytes) {
    json_key_uint(stdout, &first, "lower_bound", plan->lower_bound);
    json_key_text(stdout, &first, "verdict", ash_verdict_text(plan->verdict));
    json_key_uint(stdout, &first, "greedy_bytes", plan->greedy_bytes);
  }
  printf("}\n");
}

static void print_offsets(FILE *out, const ash_offline_plan *plan) {
  for (uint32_t i = 0; i < plan->count; i++)
    if (plan->offsets[i] >= 0)
      fprintf(out, "  tensor %" PRIu32 " at %" PRId32 "\n", i,
              plan->offsets[i]);
}

static ash_status check(job *j, const char *path, const uint8_t *bytes,
                        size_t count) {
  ash_offline_plan plan;
  const ash_status status =
      ash_read_offline_plan(j->s.ctx, &plan, bytes, count, path);
  if (status != ASH_OK || j->s.quiet)
    return status;
  if (j->json)
    print_json(&plan, path);
  else if (plan.offsets)
    printf("%s: the plan is valid: %" PRIu32 " of %" PRIu32
           " tensors in %" PRIu64 " bytes\n",
           path, planned(&plan), plan.count, plan.bytes);
  else
    printf("%s: no plan inside\n", path);
  if (plan.offsets && j->s.verbose && !j->json)
    print_offsets(stdout, &plan);
  return ASH_OK;
}

static void print_result(const job *j, const ash_offline_plan *plan) {
  fprintf(stderr,
          "planned %" PRIu32 " tensors in %" PRIu64 " bytes (bound %" PRIu64
          ", %s); wrote %s\n",
          planned(plan), plan->bytes, plan->lower_bound,
          ash_verdict_text(plan->verdict), j->output);
  if (plan->greedy_bytes > plan->bytes)
    fprintf(stderr,
            "TFLite Micro's own planner takes %" PRIu64 " bytes for them\n",
            plan->greedy_bytes);
  else if (plan->greedy_bytes)
    fprintf(stderr, "TFLite Micro's own planner takes no more: this plan saves "
                    "nothing there\n");
  if (j->s.verbose)
    print_offsets(stderr, plan);
}

static ash_status annotate(job *j, const char *path, const uint8_t *bytes,
                           size_t count) {
  ash_offline_plan plan;
  const uint8_t *out;
  size_t out_count;
  ash_status status = ash_annotate_tflite(j->s.ctx, &out, &out_count, &plan,
                                          bytes, count, path);
  progress_clear(&j->s.progress);
  if (status == ASH_OK)
    status = write_text(&j->s, j->output, (const char *)out, out_count);
  if (status == ASH_OK && j->json)
    print_json(&plan, j->output);
  else if (status == ASH_OK && !j->s.quiet)
    print_result(j, &plan);
  return status;
}

static int run(job *j, const char *path) {
  char *bytes;
  size_t count;
  if (!read_whole(path, &bytes, &count))
    return session_close(&j->s, ASH_IO);
  if (kind_of(bytes, count) == FILE_ONNX) {
    free_whole(bytes);
    fprintf(stderr,
            "%s: error: this is an ONNX model; TFLite Micro, for which "
            "'annotate' plans, reads .tflite files\n",
            path);
    return session_close(&j->s, ASH_MALFORMED);
  }
  if (kind_of(bytes, count) == FILE_OTHER) {
    free_whole(bytes);
    fprintf(stderr,
            "%s: error: this is no .tflite file, which has the letters TFL3 at "
            "byte 4\n",
            path);
    return session_close(&j->s, ASH_MALFORMED);
  }
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
       "only check the plan that the model has"},
      {"json", 0, ARG_FLAG, &j.json, NULL, "say what was done as JSON"},
      OUTPUT_OPTIONS(&j.s),
      {0}};
  const command *cmd = find_command("annotate");
  int code = args_parse(cmd, argc, argv, options, &models);
  if (code < 0 && models.count != 1)
    code = usage_error(cmd, "one model file is needed");
  if (code < 0 && !j.check && !j.output)
    code = usage_error(cmd, "where to? give -o OUT.tflite");
  if (code < 0 && !j.check && same_file(models.items[0], j.output))
    code = usage_error(cmd, "-o %s would overwrite the model", j.output);
  if (code < 0 && j.json && j.output && j.output[0] == '-' && !j.output[1])
    code = usage_error(cmd, "--json and -o - both want standard output");
  if (code < 0)
    code = session_open(&j.s, cmd);
  return code >= 0 ? code : run(&j, models.items[0]);
}
