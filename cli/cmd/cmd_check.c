/* cmd_check.c - ashlar check PLAN.json, --model for the model that it is of,
 * --csv for packing solutions, --elf for the firmware that came of a plan. */
#include "ashlar/firmware.h"
#include "commands.h"
#include "files.h"
#include "session.h"
#include "show/json_out.h"

#include <string.h>

typedef struct job {
  session s;
  const char *elf, *prefix, *model;
  bool allow_missing, json;
} job;

static bool asks_for_csv(int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "--csv") == 0 || strncmp(argv[i], "--csv=", 6) == 0)
      return true;
  return false;
}

static ash_status check_firmware(job *j, const ash_plan_text *plan) {
  const ash_firmware_options options = {.struct_bytes = sizeof options,
                                        .prefix = j->prefix,
                                        .device =
                                            j->s.target ? j->s.device : NULL,
                                        .allow_missing = j->allow_missing};
  char *elf;
  size_t bytes, checked;
  if (!read_whole(j->elf, &elf, &bytes))
    return ASH_IO;
  const ash_status status =
      ash_check_elf(j->s.ctx, &checked, elf, bytes, j->elf, plan, &options);
  free_whole(elf);
  if (status == ASH_OK && !j->s.quiet && !j->json)
    printf("%s: %zu symbols are where the plan wants them\n", j->elf, checked);
  return status;
}

/* The answer with all that was said; the list of diagnostics is empty then. */
static void print_json(job *j, const char *file, bool right) {
  size_t count;
  const ash_diag *diags = ash_ctx_diags(j->s.ctx, &count);
  bool first = true;
  printf("{");
  json_key_text(stdout, &first, "file", file);
  json_key_bool(stdout, &first, "right", right);
  json_key(stdout, &first, "diagnostics");
  printf("[");
  for (size_t i = 0; i < count; i++) {
    static const char *const words[] = {"note", "warning", "error"};
    char id[16];
    bool inner = true;
    (void)snprintf(id, sizeof id, "ASH%04u", (unsigned)diags[i].id);
    printf("%s{", i ? ", " : "");
    json_key_text(stdout, &inner, "id", id);
    json_key_text(stdout, &inner, "severity", words[diags[i].severity]);
    json_key_text(stdout, &inner, "message", diags[i].message);
    json_key_text(stdout, &inner, "hint", diags[i].hint);
    printf("}");
  }
  printf("]}\n");
  ash_ctx_forget(j->s.ctx);
}

static ash_status check_plan(job *j, const ash_plan_text *plan) {
  const ash_device *device = j->s.target ? j->s.device : NULL;
  if (j->model)
    return ash_check_plan_of_model(j->s.ctx, plan, j->model, device,
                                   &j->s.options);
  return device ? ash_check_plan_file(j->s.ctx, plan, device)
                : ash_check_plan_json(j->s.ctx, plan->text, plan->count,
                                      plan->file);
}

static int check(job *j, const char *file) {
  char *bytes;
  size_t count;
  if (!read_whole(file, &bytes, &count))
    return session_close(&j->s, ASH_IO);
  if (refuse_model(file, bytes, count)) {
    free_whole(bytes);
    return session_close(&j->s, ASH_MALFORMED);
  }
  const ash_plan_text plan = {bytes, count, file};
  ash_status status = check_plan(j, &plan);
  progress_clear(&j->s.progress);
  if (status == ASH_OK && !j->s.quiet && !j->json)
    printf("%s: the plan is valid%s%s\n", file, j->model ? " for " : "",
           j->model ? j->model : "");
  if (status == ASH_OK && j->elf)
    status = check_firmware(j, &plan);
  free_whole(bytes);
  if (j->json)
    print_json(j, file, status == ASH_OK);
  return session_close(&j->s, status);
}

/* Does an option say how the model is to be read? */
static bool is_about_model(const session *s) {
  return s->shapes.count + s->types.count + s->out_types.count +
                 s->constants.count + s->customs.count + s->no_passes.count +
                 s->budgets.count >
             0 ||
         s->kernels || s->options.fast_math || s->options.load.integers;
}

int cmd_check(int argc, char **argv) {
  if (asks_for_csv(argc, argv))
    return cmd_check_csv(argc, argv);
  job j = {0};
  arg_list files;
  const arg_option options[] = {
      {"model", 'm', ARG_TEXT, &j.model, "MODEL",
       "check that the plan is one of this model, with the options that it was "
       "made with"},
      {"elf", 0, ARG_TEXT, &j.elf, "FIRMWARE.elf",
       "check that every arena of this firmware lies in its memory"},
      {"prefix", 'p', ARG_TEXT, &j.prefix, "NAME",
       "prefix of the module in the firmware (default: the model's name)"},
      {"target", 't', ARG_TEXT, &j.s.target, "NAME|FILE",
       "device (default: the built-in one that the plan names)"},
      {"allow-missing", 0, ARG_FLAG, &j.allow_missing, NULL,
       "arenas that you bind and constants that you load have no symbol"},
      {"json", 0, ARG_FLAG, &j.json, NULL, "answer as JSON"},
      ARG_GROUP("model"),
      LOAD_OPTIONS(&j.s),
      LOWER_OPTIONS(&j.s),
      {"budget", 0, ARG_LIST, &j.s.budgets, "MEM=SIZE",
       "use at most that many bytes of a memory (repeatable)"},
      {"kernels", 0, ARG_TEXT, &j.s.kernels, "WHOSE",
       "auto (default: for the processor), portable (C alone), cmsis-nn (calls "
       "of your copy)"},
      {"fast-math", 0, ARG_FLAG, &j.s.options.fast_math, NULL,
       "the plan was made with this option"},
      ARG_GROUP("output"),
      OUTPUT_OPTIONS(&j.s),
      {0}};
  const command *cmd = find_command("check");
  int code = args_parse(cmd, argc, argv, options, &files);
  if (code < 0 && files.count != 1)
    code = usage_error(cmd, "one plan file is needed");
  if (code < 0 && !j.model && is_about_model(&j.s))
    code = usage_error(cmd, "options of the model need --model FILE");
  if (code < 0)
    code = session_open(&j.s, cmd);
  return code >= 0 ? code : check(&j, files.items[0]);
}
