/* check.c - runs the cases of a test program. A case that fails jumps back to
 * the loop, whatever it had allocated. */
#include "check.h"

#include <setjmp.h>
#include <stdarg.h>

enum { EXIT_USAGE = 64 };
enum { OK, FAILED, SKIPPED }; /* how cases end */

static jmp_buf escape;
static int is_running;
static const char *skip_reason;

void check_failed(const char *file, int line, const char *format, ...) {
  va_list args;
  fprintf(stderr, "%s:%d: ", file, line);
  va_start(args, format);
  vfprintf(stderr, format, args);
  va_end(args);
  fputc('\n', stderr);
  if (!is_running)
    exit(EXIT_FAILURE);
  longjmp(escape, FAILED);
}

void check_skipped(const char *why) {
  skip_reason = why;
  longjmp(escape, SKIPPED);
}

/* Runs a case; returns OK, FAILED or SKIPPED. */
static int end_of(const check_case *c) {
  const int end = setjmp(escape);
  is_running = end == OK;
  if (is_running)
    c->run();
  is_running = 0;
  return end;
}

/* Returns whether it failed. */
static int run_case(const check_case *c) {
  const int end = end_of(c);
  if (end == OK)
    printf("ok %s\n", c->name);
  else if (end == SKIPPED)
    printf("skipped %s: %s\n", c->name, skip_reason);
  else
    printf("FAILED %s\n", c->name);
  fflush(stdout);
  return end == FAILED;
}

/* Case number `i` of all tables, or NULL. */
static const check_case *case_at(const check_case *const *tables, size_t i) {
  for (; *tables; tables++)
    for (const check_case *c = *tables; c->name; c++)
      if (i-- == 0)
        return c;
  return NULL;
}

static const check_case *find_case(const check_case *const *tables,
                                   const char *name) {
  const check_case *c;
  for (size_t i = 0; (c = case_at(tables, i)) != NULL; i++)
    if (strcmp(c->name, name) == 0)
      return c;
  return NULL;
}

/* Does a word of `name` (three letters or more) occur in `other`? */
static int shares_word(const char *name, const char *other) {
  char word[64];
  for (size_t n; *name; name += n + (name[n] == '_')) {
    n = strcspn(name, "_");
    (void)snprintf(word, sizeof word, "%.*s", (int)n, name);
    if (n > 2 && strstr(other, word))
      return 1;
  }
  return 0;
}

/* Says which cases have a word in common with `name`; all, if none has. */
static int refuse(const check_case *const *tables, const char *name) {
  const check_case *c;
  int near = 0;
  fprintf(stderr, "there is no case '%s'; there are\n", name);
  for (int all = 0; all < 2 && !near; all++)
    for (size_t i = 0; (c = case_at(tables, i)) != NULL; i++)
      if (all || shares_word(name, c->name)) {
        fprintf(stderr, "  %s\n", c->name);
        near = 1;
      }
  return EXIT_USAGE;
}

static int list_cases(const check_case *const *tables) {
  const check_case *c;
  for (size_t i = 0; (c = case_at(tables, i)) != NULL; i++)
    puts(c->name);
  return 0;
}

int check_main(const check_case *const *tables, int argc, char **argv) {
  const check_case *c;
  int failed = 0;
  if (!case_at(tables, 0)) {
    fprintf(stderr, "there are no cases\n");
    return EXIT_FAILURE;
  }
  if (argc == 2 && strcmp(argv[1], "--list") == 0)
    return list_cases(tables);
  for (int i = 1; i < argc; i++)
    if (!find_case(tables, argv[i]))
      return refuse(tables, argv[i]);
  for (int i = 1; i < argc; i++)
    failed |= run_case(find_case(tables, argv[i]));
  for (size_t i = 0; argc < 2 && (c = case_at(tables, i)) != NULL; i++)
    failed |= run_case(c);
  return failed;
}
