/* cmd_diff.c - ashlar diff A B: what grew, what moved, and whether firmware
 * built against the first plan still fits the second. A and B are plans, or
 * models, which are planned first. */
#include "commands.h"
#include "files.h"
#include "session.h"
#include "show/json_out.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 20 };

typedef struct job {
  session s;
  const char *report;
  bool exit_code, json;
  char *bytes[2];
  size_t counts[2];
} job;

static void print_heads(FILE *out, const ash_plan_diff *d) {
  const ash_diff_head *a = &d->before, *b = &d->after;
  fprintf(out, "before     %s for %s, %s\nafter      %s for %s, %s\n", a->model,
          a->target, a->verdict, b->model, b->target, b->verdict);
  if (strcmp(a->plan_hash, b->plan_hash) == 0)
    fprintf(out, "interface  the same, %s: firmware keeps its arenas\n",
            a->plan_hash);
  else
    fprintf(out,
            "interface  broken, %s -> %s: firmware must be built again with "
            "the new arenas\n",
            a->plan_hash, b->plan_hash);
  fprintf(out, "layout     %s\n",
          strcmp(a->layout_hash, b->layout_hash) == 0 ? "the same"
                                                      : "tensors moved");
  if (a->moves || b->moves)
    fprintf(out,
            "copies     moves of rows: %" PRIu32 ", %" PRIu64
            " bytes -> %" PRIu32 ", %" PRIu64 " bytes\n",
            a->moves, a->moved_bytes, b->moves, b->moved_bytes);
}

static void print_change(FILE *out, uint64_t before, uint64_t after) {
  if (after >= before)
    fprintf(out, " %10s%" PRIu64, after > before ? "+" : "", after - before);
  else
    fprintf(out, " %10s%" PRIu64, "-", before - after);
}

static void print_arenas(FILE *out, const ash_plan_diff *d) {
  fprintf(out, "\n  %-10s %-8s %10s %10s  change\n", "arena", "memory",
          "before", "after");
  for (size_t i = 0; i < d->arena_count; i++) {
    const ash_diff_arena *a = &d->arenas[i];
    fprintf(out, "  %-10s %-8s %10" PRIu64 " %10" PRIu64 " ", a->role,
            a->memory, a->before, a->after);
    print_change(out, a->before, a->after);
    fputc('\n', out);
  }
}

static void print_place(FILE *out, const ash_diff_place *p) {
  if (p->rows)
    fprintf(out,
            "%s, rows %" PRIu32 " x %" PRIu64 " B, at most %" PRIu32 " alive",
            p->memory, p->rows, p->row_bytes, p->most_alive);
  else if (p->memory)
    fprintf(out, "%s+%" PRIu64, p->memory, p->offset);
  else
    fputs("-", out);
  if (p->moves)
    fprintf(out, ", %" PRIu64 " B moved", p->moves * p->row_bytes);
}

static void print_tensors(FILE *out, const ash_plan_diff *d, size_t most) {
  size_t kinds[4] = {0};
  for (size_t i = 0; i < d->tensor_count; i++)
    kinds[d->tensors[i].kind]++;
  fprintf(out, "\ntensors: %zu new, %zu gone, %zu of other size, %zu moved\n",
          kinds[ASH_CHANGE_NEW], kinds[ASH_CHANGE_GONE], kinds[ASH_CHANGE_SIZE],
          kinds[ASH_CHANGE_PLACE]);
  for (size_t i = 0; i < d->tensor_count && i < most; i++) {
    const ash_diff_tensor *t = &d->tensors[i];
    fprintf(out, "  %-5s %10" PRIu64 " -> %-10" PRIu64 " ",
            ash_change_text(t->kind), t->before.size, t->after.size);
    print_place(out, &t->before);
    fputs(" -> ", out);
    print_place(out, &t->after);
    fputs("  ", out);
    for (const char *c = t->name; *c && *c != ';'; c++)
      fputc((unsigned char)*c < ' ' || *c == 127 ? '?' : *c, out);
    fputc('\n', out);
  }
  if (d->tensor_count > most)
    fprintf(out, "  and %zu more (--verbose)\n", d->tensor_count - most);
}

static ash_status make_report(job *j) {
  const char *html;
  size_t count;
  if (!j->report)
    return ASH_OK;
  const ash_status status =
      ash_report_html_json(j->s.ctx, &html, &count, j->bytes[0], j->counts[0],
                           j->bytes[1], j->counts[1]);
  return status == ASH_OK ? write_text(&j->s, j->report, html, count) : status;
}

/* Plans are JSON; whatever else it is, it is a model. */
static bool is_plan(const char *bytes, size_t count) {
  size_t i = 0;
  while (i < count && (bytes[i] == ' ' || bytes[i] == '\n' ||
                       bytes[i] == '\r' || bytes[i] == '\t'))
    i++;
  return i < count && bytes[i] == '{';
}

static ash_status plan_model(job *j, int k, const char *path) {
  ash_compiled c;
  const char *text;
  size_t count;
  ash_status status =
      ash_compile(j->s.ctx, &c, path, j->s.device, &j->s.options);
  if (status == ASH_OK)
    status = ash_plan_json(j->s.ctx, &text, &count, c.plan, c.graph);
  ash_compiled_drop(&c);
  print_session_diags(&j->s);
  if (status != ASH_OK)
    return status;
  char *copy = malloc(count + 1);
  if (!copy)
    return ASH_NOMEM;
  memcpy(copy, text, count + 1);
  free_whole(j->bytes[k]);
  j->bytes[k] = copy;
  j->counts[k] = count;
  return ASH_OK;
}

static ash_status read_side(job *j, int k, const char *path) {
  if (!read_whole(path, &j->bytes[k], &j->counts[k]))
    return ASH_IO;
  return is_plan(j->bytes[k], j->counts[k])
             ? ash_check_plan_json(j->s.ctx, j->bytes[k], j->counts[k], path)
             : plan_model(j, k, path);
}

static ash_status compare(job *j, const arg_list *files, ash_plan_diff *d) {
  ash_status status = ASH_OK;
  for (int k = 0; k < 2 && status == ASH_OK; k++)
    status = read_side(j, k, files->items[k]);
  const ash_plan_text before = {j->bytes[0], j->counts[0], files->items[0]};
  const ash_plan_text after = {j->bytes[1], j->counts[1], files->items[1]};
  if (status == ASH_OK)
    status = ash_diff_plans(j->s.ctx, d, &before, &after);
  return status == ASH_OK ? make_report(j) : status;
}

/* ---- for programs ------------------------------------------------------- */

static void put_head(const char *key, const ash_diff_head *h) {
  bool first = true;
  printf("  \"%s\": {", key);
  json_key_text(stdout, &first, "model", h->model);
  json_key_text(stdout, &first, "target", h->target);
  json_key_text(stdout, &first, "verdict", h->verdict);
  json_key_text(stdout, &first, "plan_hash", h->plan_hash);
  json_key_text(stdout, &first, "tensor_layout_hash", h->layout_hash);
  json_key_uint(stdout, &first, "moved_rows", h->moves);
  json_key_uint(stdout, &first, "moved_bytes", h->moved_bytes);
  printf("},\n");
}

static void put_place(const char *key, const ash_diff_place *p) {
  bool first = true;
  printf(", \"%s\": ", key);
  if (!p->memory) {
    printf("null");
    return;
  }
  printf("{");
  json_key_text(stdout, &first, "role", p->role);
  json_key_text(stdout, &first, "memory", p->memory);
  json_key_uint(stdout, &first, "offset", p->offset);
  json_key_uint(stdout, &first, "size", p->size);
  printf("}");
}

static void print_json(const ash_plan_diff *d) {
  printf("{\n");
  put_head("before", &d->before);
  put_head("after", &d->after);
  printf("  \"interface_broken\": %s,\n  \"arenas\": [",
         strcmp(d->before.plan_hash, d->after.plan_hash) == 0 ? "false"
                                                              : "true");
  for (size_t i = 0; i < d->arena_count; i++) {
    bool first = true;
    printf("%s\n    {", i ? "," : "");
    json_key_text(stdout, &first, "role", d->arenas[i].role);
    json_key_text(stdout, &first, "memory", d->arenas[i].memory);
    json_key_uint(stdout, &first, "before", d->arenas[i].before);
    json_key_uint(stdout, &first, "after", d->arenas[i].after);
    printf("}");
  }
  printf("],\n  \"tensors\": [");
  for (size_t i = 0; i < d->tensor_count; i++) {
    bool first = true;
    printf("%s\n    {", i ? "," : "");
    json_key_text(stdout, &first, "change",
                  ash_change_text(d->tensors[i].kind));
    json_key_text(stdout, &first, "id", d->tensors[i].id);
    json_key_text(stdout, &first, "name", d->tensors[i].name);
    put_place("before", &d->tensors[i].before);
    put_place("after", &d->tensors[i].after);
    printf("}");
  }
  printf("]\n}\n");
}

static void print_all(const job *j, const ash_plan_diff *d) {
  print_heads(stdout, d);
  print_arenas(stdout, d);
  print_tensors(stdout, d, j->s.verbose ? SIZE_MAX : SHOWN);
}

static int diff(job *j, const arg_list *files) {
  ash_plan_diff d = {0};
  j->s.options.stop = true;
  j->s.options.stop_after = ASH_STAGE_PLAN;
  const ash_status status = compare(j, files, &d);
  const bool broken =
      status == ASH_OK && strcmp(d.before.plan_hash, d.after.plan_hash) != 0;
  if (status == ASH_OK && j->json)
    print_json(&d);
  else if (status == ASH_OK && !j->s.quiet)
    print_all(j, &d);
  for (int k = 0; k < 2; k++)
    free_whole(j->bytes[k]);
  const int code = session_close(&j->s, status);
  return code == 0 && broken && j->exit_code ? 1 : code;
}

int cmd_diff(int argc, char **argv) {
  job j = {0};
  arg_list files;
  const arg_option options[] = {
      {"report", 0, ARG_TEXT, &j.report, "FILE",
       "write a web page that compares the two"},
      {"exit-code", 0, ARG_FLAG, &j.exit_code, NULL,
       "exit 1 when firmware built for the first does not fit the second"},
      {"json", 0, ARG_FLAG, &j.json, NULL, "answer as JSON"},
      SESSION_OPTIONS(&j.s),
      {0}};
  const command *cmd = find_command("diff");
  int code = args_parse(cmd, argc, argv, options, &files);
  if (code < 0 && files.count != 2)
    code = usage_error(cmd, "two plans or models are needed");
  if (code < 0)
    code = session_open(&j.s, cmd);
  return code >= 0 ? code : diff(&j, &files);
}
