/* cmd_plan.c - ashlar plan MODEL: where the memory goes. */
#include "commands.h"
#include "fit/apply.h"
#include "fit/fixes.h"
#include "fit/room.h"
#include "plan_certificate.h"
#include "session.h"
#include "show/layer_table.h"
#include "show/no_fit.h"
#include "show/plan_table.h"

#include <stdlib.h>

typedef struct job {
  session s;
  const char *json, *explain, *report, *certificate;
  uint64_t apply;
  fixes *fixes;
  bool require_optimal;
} job;

static void print_page(const job *j, const ash_compiled *c) {
  print_plan_page(&j->s.out, c->plan, c->graph);
  if (c->plan->tilings)
    print_layers(&j->s.out, c->plan, c->graph, j->s.device);
  if (j->s.verbose)
    print_plan_tensors(&j->s.out, c->plan);
}

static ash_status show(job *j, const ash_compiled *c) {
  if (j->explain) {
    const char *text;
    const ash_status said = ash_explain_tensor(
        j->s.ctx, &text, c->plan, c->graph, j->s.device, j->s.book, j->explain);
    if (said == ASH_OK)
      printf("%s", text);
    return said;
  }
  if (!j->json && !j->s.quiet)
    print_page(j, c);
  ash_report_certificate said = {0};
  const ash_status status = write_json(&j->s, j->json, c);
  if (status == ASH_OK && j->certificate &&
      !write_plan_certificate(j->s.ctx, j->certificate, c->plan, c->graph,
                              j->s.options.plan.order_ticks, j->s.quiet, &said))
    return ASH_IO;
  return status == ASH_OK
             ? write_report(&j->s, j->report, c, said.file ? &said : NULL)
             : status;
}

/* The plan that is missing room, on the screen and as a page. */
static ash_status show_no_fit(job *j, const char *path) {
  room r;
  if (j->json || (j->s.quiet && !j->report))
    return ASH_OK;
  print_session_diags(&j->s);
  if (!plan_with_room(&j->s, &r, path, j->s.device))
    return ASH_OK;
  find_fixes(&j->s, j->fixes, FIXES_MAX, path, j->s.device);
  if (!j->s.quiet)
    print_no_fit(&j->s, &r, j->fixes, path);
  const ash_status status = write_no_fit(&j->s, j->report, &r, j->fixes);
  ash_compiled_drop(&r.made);
  return status;
}

static int plan(job *j, const char *path) {
  ash_compiled c;
  if (!j->s.options.stop) {
    j->s.options.stop = true;
    j->s.options.stop_after = ASH_STAGE_PLAN;
  }
  ash_status status =
      ash_compile(j->s.ctx, &c, path, j->s.device, &j->s.options);
  progress_clear(&j->s.progress);
  if (j->apply != APPLY_NOTHING)
    status = apply_fix(&j->s, j->fixes, &c, status, path, j->apply);
  if (status == ASH_OK && c.plan)
    status = show(j, &c);
  if (status == ASH_NOFIT && show_no_fit(j, path) != ASH_OK)
    status = ASH_IO;
  const bool proved = !c.plan || c.plan->verdict == ASH_OPTIMAL;
  ash_compiled_drop(&c);
  const int code = session_close(&j->s, status);
  return code == 0 && j->require_optimal && !proved ? 10 : code;
}

/* With memory for what may be tried. */
static int plan_with_fixes(job *j, const char *path) {
  j->fixes = fixes_new();
  const int code = j->fixes ? plan(j, path) : session_close(&j->s, ASH_NOMEM);
  free(j->fixes);
  return code;
}

int cmd_plan(int argc, char **argv) {
  job j = {.apply = APPLY_NOTHING, .s = {.words = argv + 1}};
  arg_list models;
  const arg_option options[] = {
      {"json", 0, ARG_TEXT, &j.json, "FILE|-",
       "write the plan as JSON instead (docs/plan-format.md)"},
      {"explain", 0, ARG_TEXT, &j.explain, "TENSOR",
       "say where a tensor was placed and why, and which rules matched it"},
      {"report", 0, ARG_TEXT, &j.report, "FILE",
       "write a web page that shows the plan"},
      {"certificate", 0, ARG_TEXT, &j.certificate, "FILE",
       "write why no arena and no order can be smaller, for ashlar-verify"},
      {"require-optimal", 0, ARG_FLAG, &j.require_optimal, NULL,
       "exit 10 unless the plan is proved optimal"},
      APPLY_OPTION(&j.apply),
      SESSION_OPTIONS(&j.s),
      {0}};
  const command *cmd = find_command("plan");
  int code = args_parse(cmd, argc, argv, options, &models);
  if (code < 0 && models.count != 1)
    code = usage_error(cmd, "one model file is needed");
  if (code < 0 && is_stdout(j.json) && is_stdout(j.report))
    code = usage_error(cmd, "--json and --report cannot both go to '-'");
  if (code < 0)
    code = session_open(&j.s, cmd);
  return code >= 0 ? code : plan_with_fixes(&j, models.items[0]);
}
