/* solve_flags.h - the flags of `ashlar solve`: MiniMalloc's, written the way
 * its flag library reads them (--name=value, --name value, one dash or two,
 * --noname for booleans), and ours. */
#ifndef CLI_SOLVE_FLAGS_H
#define CLI_SOLVE_FLAGS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct solve_flags {
  int64_t capacity;
  bool has_capacity;
  const char *input, *output;
  double timeout; /* seconds; infinite: none */
  bool validate, minimize, print_solution;
  /* ours */
  bool json, quiet, verbose;
  const char *color;
  int64_t threads, ticks, seed;
  const char *heuristic, *report, *certificate;
  bool help;
  bool ablation; /* accepted for MiniMalloc's sake, without effect */
  const char *preordering;
} solve_flags;

/* False after saying on stderr what is wrong. */
bool solve_flags_parse(solve_flags *flags, int argc, char **argv);
void solve_flags_usage(const char *program);

/* "1.5h", "300ms", "1m30s", "inf"; a bare number has no unit and is wrong. */
bool duration_parse(const char *text, double *seconds);

#endif
