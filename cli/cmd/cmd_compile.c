/* cmd_compile.c - ashlar compile MODEL: read, plan, write the module. */
#include "commands.h"
#include "fit/apply.h"
#include "session.h"
#include "show/plan_table.h"

#include <stdlib.h>
#include <string.h>

typedef struct job {
  session s;
  const char *folder, *json, *report, *constants, *module, *specialise;
  uint64_t apply;
  fixes *fixes;
  bool require_optimal, share_scratch;
} job;

/* Large constants take the disk a while. */
static ash_status write_files(job *j, const ash_generated *files,
                              size_t count) {
  progress_next(&j->s.progress, "writing files");
  const ash_status status = ash_write_files(j->s.ctx, j->folder, files, count);
  progress_clear(&j->s.progress);
  return status;
}

static ash_status write_outputs(job *j, const ash_compiled *c) {
  ash_status status = ASH_OK;
  if (c->files)
    status = write_files(j, c->files, c->file_count);
  if (status == ASH_OK && c->plan)
    status = write_json(&j->s, j->json, c);
  if (status == ASH_OK && c->plan)
    status = write_report(&j->s, j->report, c, NULL);
  return status;
}

/* What would help, behind the message that says what is short. */
static void tell_fixes(job *j, const char *path) {
  if (j->s.quiet)
    return;
  print_session_diags(&j->s);
  find_fixes(&j->s, j->fixes, FIXES_MAX, path, j->s.device);
  if (j->fixes->count == 0)
    return;
  fprintf(stderr, "it fits with one of these (each was tried); --apply N takes "
                  "number N:\n");
  print_fixes(stderr, j->fixes);
}

static int compile(job *j, const char *path) {
  ash_compiled c;
  ash_status status =
      ash_compile(j->s.ctx, &c, path, j->s.device, &j->s.options);
  progress_clear(&j->s.progress);
  if (j->apply != APPLY_NOTHING)
    status = apply_fix(&j->s, j->fixes, &c, status, path, j->apply);
  else if (status == ASH_NOFIT)
    tell_fixes(j, path);
  if (status == ASH_OK)
    status = write_outputs(j, &c);
  const bool proved = !c.plan || c.plan->verdict == ASH_OPTIMAL;
  if (status == ASH_OK && c.files && !j->s.quiet && !is_stdout(j->json) &&
      !is_stdout(j->report)) {
    print_plan_summary(c.plan, c.render);
    if (j->s.verbose)
      print_plan_tensors(&j->s.out, c.plan);
    printf("wrote %zu files to %s\n", c.file_count, j->folder);
  }
  ash_compiled_drop(&c);
  const int code = session_close(&j->s, status);
  return code == 0 && j->require_optimal && !proved ? 10 : code;
}

/* With memory for what may be tried. */
static int compile_with_fixes(job *j, const char *path) {
  j->fixes = fixes_new();
  const int code =
      j->fixes ? compile(j, path) : session_close(&j->s, ASH_NOMEM);
  free(j->fixes);
  return code;
}

/* Several models with one scratch arena for all. */
static int compile_shared(job *j, const arg_list *models) {
  const char *prefix = j->s.options.prefix ? j->s.options.prefix : "shared";
  ash_compiled c[ARG_LIST_MAX];
  ash_compiled_set set = {.models = c};
  ash_status status =
      ash_compile_shared(j->s.ctx, &set, models->items, models->count,
                         j->s.device, prefix, &j->s.options);
  progress_clear(&j->s.progress);
  if (status == ASH_OK)
    status = write_files(j, set.files, set.file_count);
  bool proved = true;
  for (size_t i = 0; i < models->count; i++) {
    proved = proved && c[i].plan && c[i].plan->verdict == ASH_OPTIMAL;
    if (status == ASH_OK && !j->s.quiet)
      print_plan_summary(c[i].plan, c[i].render);
    ash_compiled_drop(&c[i]);
  }
  if (status == ASH_OK && !j->s.quiet)
    printf("wrote %zu files to %s; the scratch arenas are %s_arena_...\n",
           set.file_count, j->folder, prefix);
  const int code = session_close(&j->s, status);
  return code == 0 && j->require_optimal && !proved ? 10 : code;
}

static int refuse_module(const command *cmd, const char *module) {
  char all[256] = "";
  for (unsigned k = 0; k < ASH_MODULE_COUNT; k++)
    (void)snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s",
                   k ? ", " : "", ash_module_text((ash_module_kind)k));
  return usage_error(cmd, "--module takes %s, not '%s'", all, module);
}

static int choose_forms(job *j, const command *cmd) {
  ash_emit_options *emit = &j->s.options.emit;
  emit->struct_bytes = sizeof *emit;
  if (j->constants)
    emit->constants = ash_constants_find(j->constants);
  if (emit->constants == ASH_CONSTANTS_COUNT)
    return usage_error(cmd,
                       "--constants takes hex, incbin, sidecar or embed, not "
                       "'%s'",
                       j->constants);
  if (j->module)
    emit->module = ash_module_find(j->module);
  if (emit->module == ASH_MODULE_COUNT)
    return refuse_module(cmd, j->module);
  if (j->specialise)
    emit->specialise = ash_specialise_find(j->specialise);
  if (emit->specialise == ASH_SPECIALISE_COUNT)
    return usage_error(cmd, "--specialise takes auto, none or all, not '%s'",
                       j->specialise);
  return -1;
}

int cmd_compile(int argc, char **argv) {
  job j = {.folder = "out", .apply = APPLY_NOTHING};
  arg_list models;
  const arg_option options[] = {
      {"output", 'o', ARG_TEXT, &j.folder, "FOLDER",
       "where the files go (default out)"},
      {"prefix", 'p', ARG_TEXT, &j.s.options.prefix, "NAME",
       "start of every C name (default: the file's name, its first 32 "
       "characters)"},
      {"json", 0, ARG_TEXT, &j.json, "FILE|-", "write the plan as JSON too"},
      {"report", 0, ARG_TEXT, &j.report, "FILE",
       "write a web page that shows the plan too"},
      {"require-optimal", 0, ARG_FLAG, &j.require_optimal, NULL,
       "exit 10 unless the plan is proved optimal"},
      APPLY_OPTION(&j.apply),
      {"constants", 0, ARG_TEXT, &j.constants, "FORM",
       "how constants are stored: hex (default), incbin, sidecar or embed"},
      {"module", 0, ARG_TEXT, &j.module, "KIND",
       "packaging: plain (default), single-file, cmake, zephyr, cmsis-pack, "
       "esp-idf, arduino, platformio"},
      {"module-version", 0, ARG_TEXT, &j.s.options.emit.version, "N.N.N",
       "version of the package (default 1.0.0)"},
      {"module-url", 0, ARG_TEXT, &j.s.options.emit.url, "URL",
       "page of the package, for its manifest (default: below example.com)"},
      {"specialise", 0, ARG_TEXT, &j.specialise, "LAYERS",
       "auto (default), none or all: layers that get a kernel compiled for "
       "their shape"},
      {"residency", 0, ARG_FLAG, &j.s.options.emit.residency, NULL,
       "write PREFIX_residency.json too: which tensor lives where"},
      {"step", 0, ARG_FLAG, &j.s.options.emit.step, NULL,
       "add PREFIX_step, which runs one operator and returns"},
      {"share-scratch", 0, ARG_FLAG, &j.share_scratch, NULL,
       "models that never run at the same time share their scratch arenas, "
       "named --prefix (default shared)"},
      SESSION_OPTIONS(&j.s),
      {0}};
  const command *cmd = find_command("compile");
  int code = args_parse(cmd, argc, argv, options, &models);
  if (code < 0 && (models.count == 0 || (models.count > 1 && !j.share_scratch)))
    code = usage_error(cmd, "one model file is needed, or --share-scratch");
  if (code < 0 && j.share_scratch &&
      (j.json || j.report || j.module || j.apply != APPLY_NOTHING))
    code = usage_error(cmd, "--share-scratch writes plain files alone, as "
                            "they are planned");
  if (code < 0 && is_stdout(j.json) && is_stdout(j.report))
    code = usage_error(cmd, "--json and --report cannot both go to '-'");
  if (code < 0)
    code = choose_forms(&j, cmd);
  if (code < 0)
    code = session_open(&j.s, cmd);
  if (code >= 0)
    return code;
  return j.share_scratch ? compile_shared(&j, &models)
                         : compile_with_fixes(&j, models.items[0]);
}
