/* cmd_ops.c - ashlar ops: what generated code can run. */
#include "commands.h"
#include "session.h"
#include "show/json_out.h"

#include <string.h>

typedef struct job {
  bool json, markdown;
  bool any; /* a row was printed */
} job;

static void put_places(char *buf, uint32_t mask) {
  char *at = buf;
  for (int k = 0; k < 8; k++)
    if (mask >> k & 1) {
      *at++ = (char)('0' + k);
      *at++ = ' ';
    }
  *(at > buf ? at - 1 : at) = '\0';
}

static void print_json(job *j, const ash_op_row *r) {
  bool first = true;
  printf("%s{", j->any ? ",\n " : "[");
  json_key_text(stdout, &first, "op", r->op);
  json_key_text(stdout, &first, "types", r->types);
  json_key_text(stdout, &first, "kernel", r->kernel);
  json_key_text(stdout, &first, "feature", r->feature ? r->feature : "");
  printf(", \"tiled\": %s, \"in_place\": %u}", r->tiled ? "true" : "false",
         (unsigned)r->in_place);
}

static void print_row(job *j, const ash_op_row *r) {
  char places[24];
  put_places(places, r->in_place);
  const char *tiled = r->tiled ? "tiled" : "untiled";
  if (j->json)
    print_json(j, r);
  else if (j->markdown)
    printf("| %s | %s | %s%s%s%s | %s | %s |\n", r->op, r->types, r->kernel,
           r->feature ? " (" : "", r->feature ? r->feature : "",
           r->feature ? ")" : "", r->tiled ? "yes" : "no",
           places[0] ? places : "no");
  else
    printf("%-24s %-40s %-8s %-9s %s%s%s\n", r->op, r->types, tiled,
           places[0] ? places : "-", r->kernel, r->feature ? " for " : "",
           r->feature ? r->feature : "");
  j->any = true;
}

static bool is_known(const char *op) {
  ash_op_row row;
  char types[96];
  for (size_t i = 0; ash_op_row_at(i, &row, types, sizeof types); i++)
    if (strcmp(row.op, op) == 0)
      return true;
  return false;
}

/* Operators come in runs of rows: a name is offered once. */
static int refuse_operator(const command *cmd, const char *op) {
  enum { OPERATORS = 256 };
  const char *known[OPERATORS];
  size_t count = 0;
  ash_op_row row;
  char types[96];
  for (size_t i = 0; ash_op_row_at(i, &row, types, sizeof types); i++)
    if (count < OPERATORS && (!count || known[count - 1] != row.op))
      known[count++] = row.op;
  const char *meant = ash_nearest_of(op, known, count);
  return meant
             ? usage_error(cmd, "there is no operator '%s'; did you mean '%s'?",
                           op, meant)
             : usage_error(cmd, "there is no operator '%s'", op);
}

int cmd_ops(int argc, char **argv) {
  job j = {0};
  arg_list names;
  const arg_option options[] = {
      {"json", 0, ARG_FLAG, &j.json, NULL, "JSON instead of a table"},
      {"markdown", 0, ARG_FLAG, &j.markdown, NULL, "a table for documents"},
      {0}};
  const command *cmd = find_command("ops");
  const int code = args_parse(cmd, argc, argv, options, &names);
  if (code >= 0)
    return code;
  for (size_t k = 0; k < names.count; k++)
    if (!is_known(names.items[k]))
      return refuse_operator(cmd, names.items[k]);
  if (j.markdown)
    printf("| operator | types | kernel | tiled | in place of input |\n"
           "|---|---|---|---|---|\n");
  else if (!j.json)
    printf("%-24s %-40s %-8s %-9s %s\n", "operator", "types", "tiling",
           "in place", "kernel");
  ash_op_row row;
  char types[96];
  for (size_t i = 0; ash_op_row_at(i, &row, types, sizeof types); i++) {
    bool wanted = names.count == 0;
    for (size_t k = 0; k < names.count; k++)
      wanted = wanted || strcmp(names.items[k], row.op) == 0;
    if (wanted)
      print_row(&j, &row);
  }
  if (j.json)
    printf("%s]\n", j.any ? "" : "[");
  return fflush(stdout) == 0 ? 0 : 74;
}
