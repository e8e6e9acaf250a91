/* args.h - command lines in the usual form: --name VALUE, --name=VALUE, -n
 * VALUE, --flag, "--" ends options. Each command lists its options in a table,
 * from which its --help is printed too. */
#ifndef CLI_ARGS_H
#define CLI_ARGS_H

#include "ashlar/base.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { ARG_LIST_MAX = 64 };

typedef struct arg_list {
  const char *items[ARG_LIST_MAX];
  size_t count;
} arg_list;

typedef enum arg_kind {
  ARG_FLAG,
  ARG_TEXT,
  ARG_NUMBER,
  ARG_REAL,
  ARG_LIST,
  ARG_HEADING /* of the options that follow, in --help */
} arg_kind;

typedef struct arg_option {
  const char *name;
  char letter; /* or 0 */
  arg_kind kind;
  void *target;      /* bool, const char *, uint64_t, double, arg_list */
  const char *value; /* what the help calls the value */
  const char *help;
} arg_option;

typedef struct command {
  const char *name;
  int (*run)(int argc, char **argv);
  const char *summary;  /* one line */
  const char *synopsis; /* behind "ashlar NAME" */
  const char *examples; /* what --help teaches */
  size_t operands;      /* files that must be named */
} command;

/* A heading in a table of options. */
#define ARG_GROUP(text)                                                        \
  { "", 0, ARG_HEADING, NULL, NULL, text }

extern const command commands[];
const command *find_command(const char *name);
/* The command that was meant, NULL if none is near. */
const char *nearest_command(const char *name);

/* Parses argv[1..]. Returns -1 to go on, or an exit code: 0 after --help or -h,
 * 64 after a mistake, which was explained. `options` ends with a NULL name. */
int args_parse(const command *cmd, int argc, char **argv,
               const arg_option *options, arg_list *positional);

/* A mistake in the use of a command; returns 64. */
int usage_error(const command *cmd, const char *fmt, ...) ASH_PRINTF(2, 3);

#endif
