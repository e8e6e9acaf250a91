/* cmd_explain.c - ashlar explain ASH1234. */
#include "args.h"
#include "ashlar/base.h"
#include "commands.h"

#include <stdlib.h>
#include <string.h>

static void print_one(uint32_t id) {
  printf("ASH%04u: %s\n\n", (unsigned)id, ash_explain_title(id));
  const char *text = ash_explain_text(id);
  size_t column = 0;
  while (*text) { /* words, wrapped at 78 columns */
    const size_t n = strcspn(text, " ");
    if (column && column + 1 + n > 78)
      column = 0, printf("\n");
    printf("%s%.*s", column ? " " : "", (int)n, text);
    column += n + (column != 0);
    text += n + (text[n] == ' ');
  }
  printf("\n");
}

int cmd_explain(int argc, char **argv) {
  bool all = false;
  arg_list ids;
  const arg_option options[] = {
      {"all", 'a', ARG_FLAG, &all, NULL, "list every diagnostic"}, {0}};
  const command *cmd = find_command("explain");
  const int code = args_parse(cmd, argc, argv, options, &ids);
  if (code >= 0)
    return code;
  for (size_t i = 0; all && ash_explain_id(i); i++)
    printf("ASH%04u  %s\n", (unsigned)ash_explain_id(i),
           ash_explain_title(ash_explain_id(i)));
  if (all)
    return 0;
  if (ids.count == 0)
    return usage_error(cmd, "which diagnostic?");
  for (size_t i = 0; i < ids.count; i++) {
    const char *text = ids.items[i];
    if (strncmp(text, "ASH", 3) == 0)
      text += 3;
    char *end;
    const uint32_t id = (uint32_t)strtoul(text, &end, 10);
    if (*end || !ash_explain_title(id))
      return usage_error(cmd, "there is no diagnostic '%s'", ids.items[i]);
    printf("%s", i ? "\n" : "");
    print_one(id);
  }
  return 0;
}
