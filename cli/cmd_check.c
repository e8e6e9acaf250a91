/* cmd_check.c - ashlar check PLAN.json, or --csv for packing solutions. */
#include "commands.h"
#include "files.h"
#include "session.h"


int cmd_check(int argc, char **argv) {
  session s = {0};
  arg_list files;
  const arg_option options[] = {
      {"quiet", 'q', ARG_FLAG, &s.quiet, NULL, "say nothing but errors"},
      {0}};
  const command *cmd = find_command("check");
  int code = args_parse(cmd, argc, argv, options, &files);
  if (code < 0 && files.count != 1)
    code = usage_error(cmd, "one plan file is needed");
  if (code < 0)
    code = session_open(&s, cmd);
  if (code >= 0)
    return code;
  char *bytes;
  size_t count;
  if (!read_whole(files.items[0], &bytes, &count))
    return session_close(&s, ASH_IO);
  const ash_status status =
      ash_check_plan_json(s.ctx, bytes, count, files.items[0]);
  free_whole(bytes);
  if (status == ASH_OK && !s.quiet)
    printf("%s: the plan is right\n", files.items[0]);
  return session_close(&s, status);
}
