/* args.c - see args.h. */
#include "args.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_USAGE = 64, ARG_OPTION_MAX = 96 };

int usage_error(const command *cmd, const char *fmt, ...) {
  va_list ap;
  fprintf(stderr, "ashlar %s: ", cmd->name);
  va_start(ap, fmt);
  vfprintf(stderr, fmt, ap);
  va_end(ap);
  fprintf(stderr, "\nusage: ashlar %s %s\n'ashlar %s --help' says more.\n",
          cmd->name, cmd->synopsis, cmd->name);
  return EXIT_USAGE;
}

static void print_help(const command *cmd, const arg_option *options) {
  printf("ashlar %s - %s\n\nusage: ashlar %s %s\n", cmd->name, cmd->summary,
         cmd->name, cmd->synopsis);
  if (options->name && options->kind != ARG_HEADING)
    printf("\noptions:\n");
  for (const arg_option *o = options; o->name; o++) {
    char left[48];
    if (o->kind == ARG_HEADING) {
      printf("\n%s:\n", o->help);
      continue;
    }
    (void)snprintf(left, sizeof left, "%c%c%s--%s%s%s", o->letter ? '-' : ' ',
                   o->letter ? o->letter : ' ', o->letter ? ", " : "  ",
                   o->name, o->value ? " " : "", o->value ? o->value : "");
    printf("  %-28s %s\n", left, o->help);
  }
  printf("  -h, --help                   this text\n");
  if (cmd->examples)
    printf("\nexamples:\n%s", cmd->examples);
}

/* For shells and man pages (tools/gate/gen-share): name, letter, value, help.
 */
static void list_options(const arg_option *options) {
  for (const arg_option *o = options; o->name; o++)
    if (o->kind != ARG_HEADING)
      printf("%s\t%.1s\t%s\t%s\n", o->name, &o->letter,
             o->value ? o->value : "", o->help);
}

static bool store(const arg_option *o, const char *value) {
  char *end;
  errno = 0;
  switch (o->kind) {
  case ARG_FLAG:
    *(bool *)o->target = true;
    return true;
  case ARG_TEXT:
    *(const char **)o->target = value;
    return true;
  case ARG_NUMBER:
    *(uint64_t *)o->target = strtoull(value, &end, 0);
    return *end == '\0' && end != value && errno == 0 && *value != '-';
  case ARG_REAL:
    *(double *)o->target = strtod(value, &end);
    return *end == '\0' && end != value;
  case ARG_LIST: {
    arg_list *list = o->target;
    if (list->count == ARG_LIST_MAX)
      return false;
    list->items[list->count++] = value;
    return true;
  }
  case ARG_HEADING:
    break;
  }
  return false;
}

static const arg_option *find_option(const arg_option *options,
                                     const char *arg) {
  const bool is_long = arg[1] == '-';
  const size_t n = strcspn(arg + 2, "=");
  for (const arg_option *o = options; o->name; o++)
    if (o->kind == ARG_HEADING)
      continue;
    else if (is_long ? strlen(o->name) == n && memcmp(o->name, arg + 2, n) == 0
                     : o->letter && o->letter == arg[1])
      return o;
  return NULL;
}

static int refuse_option(const command *cmd, const arg_option *options,
                         const char *arg) {
  const char *known[ARG_OPTION_MAX];
  char word[64];
  size_t count = 0;
  for (const arg_option *o = options; o->name && count < ARG_OPTION_MAX; o++)
    if (o->kind != ARG_HEADING)
      known[count++] = o->name;
  (void)snprintf(word, sizeof word, "%.*s", (int)strcspn(arg + 2, "="),
                 arg + 2);
  if (strcmp(word, "help") == 0)
    return usage_error(cmd, "--help takes no value");
  const char *meant = arg[1] == '-' ? ash_nearest_of(word, known, count) : NULL;
  return meant
             ? usage_error(cmd, "there is no option '%s'; did you mean '--%s'?",
                           arg, meant)
             : usage_error(cmd, "there is no option '%s'", arg);
}

static bool is_json(const arg_option *o) {
  return o->kind == ARG_FLAG && strcmp(o->name, "json") == 0;
}

static int refuse_value(const command *cmd, const arg_option *o,
                        const char *value) {
  if (o->kind == ARG_NUMBER)
    return usage_error(cmd, "--%s takes a number, 0 or more, not '%s'", o->name,
                       value);
  if (o->kind == ARG_REAL)
    return usage_error(cmd, "--%s takes a number, not '%s'", o->name, value);
  return usage_error(cmd, "--%s can be given %d times", o->name, ARG_LIST_MAX);
}

/* The value behind `=`, glued to a letter, or in the next argument. */
static const char *value_of(const char *arg, int argc, char **argv, int *at) {
  const char *equals = strchr(arg, '=');
  if (arg[1] == '-' && equals)
    return equals + 1;
  if (arg[1] != '-' && arg[2])
    return arg + 2;
  return *at + 1 < argc ? argv[++*at] : NULL;
}

static int parse_option(const command *cmd, int argc, char **argv, int *at,
                        const arg_option *options) {
  const char *arg = argv[*at];
  const arg_option *o = find_option(options, arg);
  if (!o)
    return refuse_option(cmd, options, arg);
  if (o->kind == ARG_FLAG) {
    const char *equals = arg[1] == '-' ? strchr(arg, '=') : NULL;
    if (equals && !(is_json(o) && strcmp(equals, "=-") == 0))
      return usage_error(cmd, "--%s takes no value", o->name);
    (void)store(o, NULL);
    return -1;
  }
  const char *value = value_of(arg, argc, argv, at);
  if (!value)
    return usage_error(cmd, "--%s needs a value: %s", o->name, o->value);
  if (!store(o, value))
    return refuse_value(cmd, o, value);
  return -1;
}

/* Commands whose answer as JSON goes to standard output alone take `--json -`,
 * too: the dash there is no file if enough others are named. */
static void drop_dash(const command *cmd, arg_list *positional, size_t dash) {
  if (positional->count <= cmd->operands)
    return;
  for (size_t i = dash + 1; i < positional->count; i++)
    positional->items[i - 1] = positional->items[i];
  positional->count--;
}

static bool follows_json(const arg_option *options, int at, char **argv) {
  const arg_option *o =
      at > 1 && argv[at - 1][0] == '-' && argv[at - 1][1] == '-'
          ? find_option(options, argv[at - 1])
          : NULL;
  return strcmp(argv[at], "-") == 0 && o && is_json(o) &&
         !strchr(argv[at - 1], '=');
}

int args_parse(const command *cmd, int argc, char **argv,
               const arg_option *options, arg_list *positional) {
  bool only_positional = false;
  size_t dash = ARG_LIST_MAX;
  positional->count = 0;
  for (int i = 1; i < argc; i++) {
    const char *arg = argv[i];
    if (!only_positional && strcmp(arg, "--") == 0) {
      only_positional = true;
    } else if (!only_positional &&
               (strcmp(arg, "--help") == 0 || strcmp(arg, "-h") == 0)) {
      print_help(cmd, options);
      return 0;
    } else if (!only_positional && strcmp(arg, "--list-options") == 0) {
      list_options(options);
      return 0;
    } else if (!only_positional && arg[0] == '-' && arg[1]) {
      const int code = parse_option(cmd, argc, argv, &i, options);
      if (code >= 0)
        return code;
    } else if (positional->count == ARG_LIST_MAX) {
      return usage_error(cmd, "too many arguments");
    } else {
      if (!only_positional && follows_json(options, i, argv))
        dash = positional->count;
      positional->items[positional->count++] =
          strcmp(arg, "-") == 0 ? "/dev/stdin" : arg;
    }
  }
  if (dash < ARG_LIST_MAX)
    drop_dash(cmd, positional, dash);
  return -1;
}
