/* cmd_check.c - ashlar check PLAN.json, or --csv for packing solutions. */
#include "commands.h"
#include "files.h"
#include "session.h"

#include <string.h>

static bool asks_for_csv(int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "--csv") == 0 || strncmp(argv[i], "--csv=", 6) == 0)
      return true;
  return false;
}

int cmd_check(int argc, char **argv) {
  if (asks_for_csv(argc, argv))
    return cmd_check_csv(argc, argv);
  session s = {0};
  arg_list files;
  const arg_option options[] = {
      {"quiet", 'q', ARG_FLAG, &s.quiet, NULL, "say nothing but errors"}, {0}};
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
