/* cmd_explain.c - ashlar explain ASH1234: what a diagnostic means; ashlar
 * explain MODEL: why its arenas are as large as they are. */
#include "commands.h"
#include "fit/fixes.h"
#include "session.h"
#include "show/json_out.h"
#include "show/plan_facts.h"
#include "show/why.h"

#include <stdlib.h>
#include <string.h>

typedef struct job {
  session s;
  fixes *fixes;
  bool all, json;
} job;

/* ---- diagnostics -------------------------------------------------------- */

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

static void print_one_json(uint32_t id) {
  bool first = true;
  char name[16];
  (void)snprintf(name, sizeof name, "ASH%04u", (unsigned)id);
  printf("{");
  json_key_text(stdout, &first, "id", name);
  json_key_text(stdout, &first, "title", ash_explain_title(id));
  json_key_text(stdout, &first, "text", ash_explain_text(id));
  printf("}");
}

static int list_all(const job *j) {
  for (size_t i = 0; ash_explain_id(i); i++) {
    const uint32_t id = ash_explain_id(i);
    if (j->json) {
      printf("%s", i ? ",\n " : "[");
      print_one_json(id);
    } else {
      printf("ASH%04u  %s\n", (unsigned)id, ash_explain_title(id));
    }
  }
  printf("%s", j->json ? "]\n" : "");
  return 0;
}

/* The id in "ASH1234" or "1234"; 0 if it is no such word. */
static uint32_t id_in(const char *text) {
  char *end;
  if (strncmp(text, "ASH", 3) == 0 || strncmp(text, "ash", 3) == 0)
    text += 3;
  if (*text < '0' || *text > '9')
    return 0;
  const unsigned long id = strtoul(text, &end, 10);
  return *end ? 0 : (uint32_t)id;
}

static int explain_ids(const job *j, const command *cmd, const arg_list *ids) {
  for (size_t i = 0; i < ids->count; i++)
    if (!ash_explain_title(id_in(ids->items[i])))
      return usage_error(cmd, "there is no diagnostic '%s'", ids->items[i]);
  for (size_t i = 0; i < ids->count; i++) {
    if (j->json) {
      printf("%s", i ? ",\n " : "[");
      print_one_json(id_in(ids->items[i]));
    } else {
      printf("%s", i ? "\n" : "");
      print_one(id_in(ids->items[i]));
    }
  }
  printf("%s", j->json ? "]\n" : "");
  return 0;
}

/* ---- arenas ------------------------------------------------------------- */

/* What `f` leaves of one memory's scratch. */
static uint64_t bytes_with(const fix *f, const ash_device *d,
                           const char *memory) {
  for (uint32_t i = 0; i < d->memory_count; i++)
    if (strcmp(d->memories[i].name, memory) == 0)
      return f->in_memory[i];
  return 0;
}

static void explain_arena(const job *j, const ash_compiled *c,
                          const ash_arena *a) {
  what_if ifs[FIXES_MAX];
  for (size_t i = 0; i < j->fixes->count; i++) {
    const fix *f = &j->fixes->items[i];
    ifs[i] =
        (what_if){f->option, f->meaning, bytes_with(f, j->s.device, a->memory)};
  }
  if (j->json)
    print_why_json(stdout, c->plan, c->graph, a, ifs, j->fixes->count);
  else
    print_why(&j->s.out, c->plan, c->graph, a, ifs, j->fixes->count);
}

static void explain_arenas(const job *j, const ash_compiled *c) {
  bool first = true;
  for (uint32_t i = 0; i < c->plan->arena_count; i++)
    if (c->plan->arenas[i].role == ASH_SCRATCH && c->plan->arenas[i].size) {
      printf("%s", j->json ? first ? "[\n" : ",\n" : first ? "" : "\n");
      explain_arena(j, c, &c->plan->arenas[i]);
      first = false;
    }
  if (j->json)
    printf("%s]\n", first ? "[" : "\n");
}

static void explain_others(const ash_plan *p) {
  for (uint32_t i = 0; i < p->arena_count; i++)
    if (p->arenas[i].role != ASH_SCRATCH)
      printf("\n%s: %llu bytes of %s tensors, one after the other.\n",
             p->arenas[i].memory, (unsigned long long)p->arenas[i].size,
             ash_role_text(p->arenas[i].role));
}

static void explain_plan(job *j, const char *path, const ash_compiled *c) {
  print_session_diags(&j->s);
  find_savings(&j->s, j->fixes, path, j->s.device, plan_scratch(c->plan));
  explain_arenas(j, c);
  if (j->json)
    return;
  if (j->fixes->count)
    printf("\n--apply N makes 'ashlar plan' and 'ashlar compile' take number "
           "N.\n");
  explain_others(c->plan);
}

static int explain_model(job *j, const char *path) {
  ash_compiled c;
  j->fixes = fixes_new();
  if (!j->fixes)
    return session_close(&j->s, ASH_NOMEM);
  j->s.options.stop = true;
  j->s.options.stop_after = ASH_STAGE_PLAN;
  const ash_status status =
      ash_compile(j->s.ctx, &c, path, j->s.device, &j->s.options);
  progress_clear(&j->s.progress);
  if (status == ASH_OK)
    explain_plan(j, path, &c);
  ash_compiled_drop(&c);
  free(j->fixes);
  return session_close(&j->s, status);
}

int cmd_explain(int argc, char **argv) {
  job j = {0};
  arg_list what;
  const arg_option options[] = {
      {"all", 'a', ARG_FLAG, &j.all, NULL, "list every diagnostic"},
      {"json", 0, ARG_FLAG, &j.json, NULL, "answer as JSON"},
      SESSION_OPTIONS(&j.s),
      {0}};
  const command *cmd = find_command("explain");
  int code = args_parse(cmd, argc, argv, options, &what);
  if (code >= 0)
    return code;
  if (j.all)
    return list_all(&j);
  if (what.count == 0)
    return usage_error(cmd, "which diagnostic, or which model?");
  if (id_in(what.items[0]) || strncmp(what.items[0], "ASH", 3) == 0)
    return explain_ids(&j, cmd, &what);
  if (what.count != 1)
    return usage_error(cmd, "one model at a time");
  code = session_open(&j.s, cmd);
  return code >= 0 ? code : explain_model(&j, what.items[0]);
}
