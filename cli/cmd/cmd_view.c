/* cmd_view.c - ashlar view PLAN.json: a plan as a web page. */
#include "commands.h"
#include "files.h"
#include "session.h"
#include "show/json_out.h"

#include <string.h>

typedef struct job {
  session s;
  const char *output;
  bool unchecked, json;
} job;

/* "a/plan.json" -> "a/plan.html", standard input -> standard output. False if
 * it is too long. */
static bool html_name(char *out, size_t size, const char *path) {
  if (strcmp(path, "/dev/stdin") == 0)
    return snprintf(out, size, "-") == 1;
  const size_t n = strlen(path);
  const size_t stem = n > 5 && strcmp(path + n - 5, ".json") == 0 ? n - 5 : n;
  const int length = snprintf(out, size, "%.*s.html", (int)stem, path);
  return length >= 0 && (size_t)length < size;
}

static ash_status make_report(job *j, const char *path, const char *bytes,
                              size_t count) {
  const char *html;
  size_t html_count;
  ash_status status = ASH_OK;
  if (!j->unchecked)
    status = ash_check_plan_json(j->s.ctx, bytes, count, path);
  if (status == ASH_OK)
    status = ash_report_html_json(j->s.ctx, &html, &html_count, bytes, count,
                                  NULL, 0);
  return status == ASH_OK ? write_text(&j->s, j->output, html, html_count)
                          : status;
}

static int view(job *j, const char *path) {
  char name[4096], *bytes;
  size_t count;
  if (!j->output && !html_name(name, sizeof name, path))
    return session_close(&j->s, ASH_IO);
  if (!j->output)
    j->output = name;
  if (!read_whole(path, &bytes, &count))
    return session_close(&j->s, ASH_IO);
  if (refuse_model(path, bytes, count)) {
    free_whole(bytes);
    return session_close(&j->s, ASH_MALFORMED);
  }
  const ash_status status = make_report(j, path, bytes, count);
  free_whole(bytes);
  const bool to_file = strcmp(j->output, "-") != 0;
  if (status == ASH_OK && to_file && j->json) {
    bool first = true;
    printf("{");
    json_key_text(stdout, &first, "report", j->output);
    printf("}\n");
  } else if (status == ASH_OK && !j->s.quiet && to_file) {
    printf("wrote %s\n", j->output);
  }
  return session_close(&j->s, status);
}

int cmd_view(int argc, char **argv) {
  job j = {0};
  arg_list files;
  const arg_option options[] = {
      {"output", 'o', ARG_TEXT, &j.output, "FILE|-",
       "the page (default: the plan's name with .html; of - it is -)"},
      {"unchecked", 0, ARG_FLAG, &j.unchecked, NULL,
       "show a plan that 'ashlar check' would refuse"},
      {"json", 0, ARG_FLAG, &j.json, NULL, "say what was written as JSON"},
      OUTPUT_OPTIONS(&j.s),
      {0}};
  const command *cmd = find_command("view");
  int code = args_parse(cmd, argc, argv, options, &files);
  if (code < 0 && files.count != 1)
    code = usage_error(cmd, "one plan file is needed");
  if (code < 0)
    code = session_open(&j.s, cmd);
  return code >= 0 ? code : view(&j, files.items[0]);
}
