/* no_fit.c - see no_fit.h. */
#include "show/no_fit.h"

#include "show/plan_table.h"

#include <inttypes.h>
#include <string.h>

static void print_shortages(const term *t, const room *r) {
  for (uint32_t i = 0; i < r->shortage_count; i++) {
    const shortage *m = &r->shortages[i];
    fprintf(t->out,
            "%s%s: %" PRIu64 " bytes short%s: it needs %" PRIu64
            " and may use %" PRIu64 "\n",
            t->colour ? "\033[1;31m" : "", m->memory, m->needs - m->has,
            t->colour ? "\033[0m" : "", m->needs, m->has);
  }
}

enum { COMMAND_BYTES = 4096 };

static void put_text(char *out, const char *text) {
  const size_t at = strlen(out);
  (void)snprintf(out + at, COMMAND_BYTES - at, "%s", text);
}

/* A word as a shell takes it. */
static void put_word(char *out, const char *word) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyz0123456789_./:=-+,@%"
                              "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  char one[2] = "";
  put_text(out, " ");
  if (*word && !word[strspn(word, plain)]) {
    put_text(out, word);
    return;
  }
  put_text(out, "'");
  for (; *word; word++) {
    one[0] = *word;
    put_text(out, *word == '\'' ? "'\\''" : one);
  }
  put_text(out, "'");
}

/* Where results go is not part of what is tried. */
static bool is_about_output(const char *word, bool *takes_next) {
  *takes_next = strcmp(word, "--report") == 0;
  return *takes_next || strncmp(word, "--report=", 9) == 0 ||
         strcmp(word, "-q") == 0 || strcmp(word, "--quiet") == 0;
}

/* What was typed, with the fix's option: before "--", which ends options. */
static void put_command(char *out, char *const *words, const char *option) {
  bool added = false, skip = false, takes_next;
  out[0] = '\0';
  put_text(out, "ashlar plan");
  for (; words && *words; words++) {
    if (!added && strcmp(*words, "--") == 0) {
      put_text(out, " ");
      put_text(out, option);
      added = true;
    }
    if (skip || (!added && is_about_output(*words, &takes_next))) {
      skip = !skip && takes_next;
      continue;
    }
    put_word(out, *words);
  }
  if (!added) {
    put_text(out, " ");
    put_text(out, option);
  }
}

static void print_commands(const session *s, const fixes *f, const char *path) {
  static char line[COMMAND_BYTES];
  FILE *out = s->out.out;
  if (f->count == 0) {
    fprintf(out,
            "\nnothing that was tried makes it fit: other memories, --overlap, "
            "rows,\ninputs that arrive row by row, smaller kernels. 'ashlar "
            "fit %s'\nlists the devices that do.\n",
            path);
    return;
  }
  fprintf(out, "\nit fits with one of these (each was tried); --apply N takes "
               "number N:\n");
  for (size_t i = 0; i < f->count; i++) {
    put_command(line, s->words, f->items[i].option);
    fprintf(out, "  %zu. %s\n      %s: %" PRIu64 " bytes of RAM\n", i + 1, line,
            f->items[i].meaning, f->items[i].scratch);
  }
}

void print_no_fit(session *s, const room *r, const fixes *f, const char *path) {
  fprintf(s->out.out, "the smallest plan, which does not fit:\n\n");
  print_plan_page(&s->out, &r->plan, r->made.graph);
  (void)fputc('\n', s->out.out);
  print_shortages(&s->out, r);
  print_commands(s, f, path);
}

/* Commands as a user would type them. */
static size_t list_fixes(ash_report_fix *out, char (*lines)[COMMAND_BYTES],
                         const session *s, const fixes *f) {
  for (size_t i = 0; i < f->count; i++) {
    put_command(lines[i], s->words, f->items[i].option);
    out[i] = (ash_report_fix){lines[i], f->items[i].meaning,
                              f->items[i].scratch, f->items[i].option};
  }
  return f->count;
}

ash_status write_no_fit(session *s, const char *report, const room *r,
                        const fixes *f) {
  static char lines[FIXES_MAX][COMMAND_BYTES];
  ash_report_fix listed[FIXES_MAX];
  ash_report_shortage shortages[ASH_MEMORY_MAX];
  const char *text;
  size_t count;
  if (!report)
    return ASH_OK;
  for (uint32_t i = 0; i < r->shortage_count; i++)
    shortages[i] = (ash_report_shortage){
        r->shortages[i].memory, r->shortages[i].needs, r->shortages[i].has};
  const ash_report_no_fit why = {shortages, r->shortage_count, listed,
                                 list_fixes(listed, lines, s, f)};
  const ash_status status = ash_report_short_html(
      s->ctx, &text, &count, &r->plan, r->made.graph, &why);
  return status == ASH_OK ? write_text(s, report, text, count) : status;
}
