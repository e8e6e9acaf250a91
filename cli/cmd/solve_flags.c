/* solve_flags.c - one table of flags; errors in the words of MiniMalloc's. */
#include "cmd/solve_flags.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum flag_kind { FLAG_BOOL, FLAG_INT, FLAG_TEXT, FLAG_TIME } flag_kind;

typedef struct flag {
  const char *name;
  flag_kind kind;
  void *target;
  const char *help;
} flag;

enum { FLAG_MOST = 32 };

static size_t list_flags(solve_flags *f, flag *out) {
  const flag all[] = {
      {"capacity", FLAG_INT, &f->capacity, "highest address allowed"},
      {"input", FLAG_TEXT, &f->input, "CSV file with the buffers"},
      {"output", FLAG_TEXT, &f->output, "CSV file to write"},
      {"timeout", FLAG_TIME, &f->timeout, "give up after e.g. 300s, 1.5h"},
      {"validate", FLAG_BOOL, &f->validate, "check the solution again"},
      {"minimize_capacity", FLAG_BOOL, &f->minimize,
       "the smallest capacity up to --capacity"},
      {"minimize", FLAG_BOOL, &f->minimize, "the same"},
      {"print_solution", FLAG_BOOL, &f->print_solution, "draw it in TikZ"},
      {"json", FLAG_BOOL, &f->json, "report on standard output as JSON"},
      {"quiet", FLAG_BOOL, &f->quiet, "no progress, no elapsed time"},
      {"verbose", FLAG_BOOL, &f->verbose, "say height, bound and verdict"},
      {"color", FLAG_TEXT, &f->color, "of diagnostics: auto, always, never"},
      {"threads", FLAG_INT, &f->threads, "search with this many threads"},
      {"ticks", FLAG_INT, &f->ticks, "effort limit, the same on every machine"},
      {"seed", FLAG_INT, &f->seed, "seed of the search"},
      {"heuristic", FLAG_TEXT, &f->heuristic,
       "heuristic to use instead of the search"},
      {"report", FLAG_TEXT, &f->report, "web page that shows the packing"},
      {"certificate", FLAG_TEXT, &f->certificate,
       "file that proves the bound, for ashlar-verify"},
      {"help", FLAG_BOOL, &f->help, "this text"},
      {"preordering_heuristics", FLAG_TEXT, &f->preordering, "no effect"},
      {"canonical_only", FLAG_BOOL, &f->ablation, "no effect"},
      {"section_inference", FLAG_BOOL, &f->ablation, "no effect"},
      {"dynamic_ordering", FLAG_BOOL, &f->ablation, "no effect"},
      {"check_dominance", FLAG_BOOL, &f->ablation, "no effect"},
      {"unallocated_floor", FLAG_BOOL, &f->ablation, "no effect"},
      {"static_preordering", FLAG_BOOL, &f->ablation, "no effect"},
      {"dynamic_decomposition", FLAG_BOOL, &f->ablation, "no effect"},
      {"monotonic_floor", FLAG_BOOL, &f->ablation, "no effect"},
      {"hatless_pruning", FLAG_BOOL, &f->ablation, "no effect"},
  };
  memcpy(out, all, sizeof all);
  return sizeof all / sizeof *all;
}

/* ---- values ------------------------------------------------------------- */

static bool read_bool(const char *text, bool *out) {
  static const char *const yes[] = {"true", "t", "yes", "y", "1"};
  static const char *const no[] = {"false", "f", "no", "n", "0"};
  for (size_t i = 0; i < 5; i++)
    if (strcmp(text, yes[i]) == 0 || strcmp(text, no[i]) == 0) {
      *out = strcmp(text, yes[i]) == 0;
      return true;
    }
  return false;
}

static bool read_int(const char *text, int64_t *out) {
  char *end;
  const char *digits = text + (*text == '-' || *text == '+');
  const bool hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
  if (*digits < '0' || *digits > '9')
    return false;
  errno = 0;
  const long long value = strtoll(text, &end, hex ? 16 : 10);
  *out = value;
  return *end == '\0' && errno == 0;
}

static double unit_seconds(const char **text) {
  static const struct {
    const char *name;
    double seconds;
  } units[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3},
               {"s", 1},     {"m", 60},    {"h", 3600}};
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    const size_t n = strlen(units[i].name);
    /* "m" must not take the m of "ms": that came first. */
    if (strncmp(*text, units[i].name, n) == 0) {
      *text += n;
      return units[i].seconds;
    }
  }
  return 0;
}

bool duration_parse(const char *text, double *seconds) {
  const bool minus = *text == '-';
  double sum = 0;
  if (*text == '-' || *text == '+')
    text++;
  if (strcmp(text, "inf") == 0) {
    *seconds = minus ? 0 : HUGE_VAL;
    return true;
  }
  if (strcmp(text, "0") == 0) {
    *seconds = 0;
    return true;
  }
  if (*text == '\0')
    return false;
  while (*text) {
    double value = 0, place = 1;
    const char *before = text;
    for (; *text >= '0' && *text <= '9'; text++)
      value = value * 10 + (*text - '0');
    if (*text == '.')
      for (text++; *text >= '0' && *text <= '9'; text++)
        value += (*text - '0') * (place /= 10);
    const double unit = text == before ? 0 : unit_seconds(&text);
    if (unit == 0)
      return false;
    sum += value * unit;
  }
  *seconds = minus ? 0 : sum;
  return true;
}

/* ---- flags -------------------------------------------------------------- */

/* Underscores and dashes are the same. */
static bool same_name(const char *name, const char *text, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (name[i] == '\0' || name[i] != (text[i] == '-' ? '_' : text[i]))
      return false;
  return name[count] == '\0';
}

static const flag *find_flag(const flag *flags, size_t flag_count,
                             const char *text, size_t count) {
  for (size_t i = 0; i < flag_count; i++)
    if (same_name(flags[i].name, text, count))
      return &flags[i];
  return NULL;
}

static bool set_flag(const flag *f, const char *value) {
  bool right = true;
  switch (f->kind) {
  case FLAG_BOOL:
    right = read_bool(value, f->target);
    break;
  case FLAG_INT:
    right = read_int(value, f->target);
    break;
  case FLAG_TEXT:
    *(const char **)f->target = value;
    break;
  case FLAG_TIME:
    right = duration_parse(value, f->target);
    break;
  }
  if (!right)
    fprintf(stderr, "ERROR: Illegal value '%s' specified for flag '%s'\n",
            value, f->name);
  return right;
}

typedef struct word { /* --name=value taken apart */
  const char *name, *value;
  size_t count;
} word;

static word decompose(const char *arg) {
  word w = {.name = arg + 1 + (arg[1] == '-')};
  w.value = strchr(w.name, '=');
  w.count = w.value ? (size_t)(w.value - w.name) : strlen(w.name);
  if (w.value)
    w.value++;
  return w;
}

/* One argument; *i moves on when its value is the next one. */
static bool read_flag(const flag *flags, size_t flag_count, int argc,
                      char **argv, int *i) {
  const word w = decompose(argv[*i]);
  const flag *f = find_flag(flags, flag_count, w.name, w.count);
  if (!f && w.count > 2 && strncmp(w.name, "no", 2) == 0) {
    const size_t skip = w.name[2] == '-' ? 3 : 2;
    f = find_flag(flags, flag_count, w.name + skip, w.count - skip);
    if (f && f->kind == FLAG_BOOL && !w.value)
      return set_flag(f, "false");
    f = NULL;
  }
  if (!f) {
    fprintf(stderr, "ERROR: Unknown command line flag '%.*s'\n", (int)w.count,
            w.name);
    return false;
  }
  if (w.value)
    return set_flag(f, w.value);
  if (f->kind == FLAG_BOOL)
    return set_flag(f, "true");
  if (*i + 1 >= argc) {
    fprintf(stderr, "ERROR: Missing the value for the flag '%s'\n", f->name);
    return false;
  }
  return set_flag(f, argv[++*i]);
}

bool solve_flags_parse(solve_flags *out, int argc, char **argv) {
  flag flags[FLAG_MOST];
  *out = (solve_flags){.timeout = HUGE_VAL, .seed = 1, .threads = 1};
  out->capacity = INT64_MIN;
  const size_t count = list_flags(out, flags);
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--") == 0)
      break;
    if (argv[i][0] != '-' || argv[i][1] == '\0')
      continue; /* other arguments are ignored */
    if (!read_flag(flags, count, argc, argv, &i))
      return false;
  }
  out->has_capacity = out->capacity != INT64_MIN;
  if (!out->has_capacity)
    out->capacity = 0;
  return true;
}

void solve_flags_usage(const char *program) {
  static const char *const kinds[] = {"", "=N", "=TEXT", "=DURATION"};
  solve_flags unused;
  flag flags[FLAG_MOST];
  const size_t count = list_flags(&unused, flags);
  printf("%s: places buffers with lifetimes in memory, proved optimal.\n\n"
         "  %s --capacity=1048576 --input=a.csv --output=b.csv\n"
         "  %s --minimize --input=a.csv --output=b.csv\n\n",
         program, program, program);
  for (size_t i = 0; i < count; i++) {
    char name[64];
    (void)snprintf(name, sizeof name, "--%s%s", flags[i].name,
                   kinds[flags[i].kind]);
    printf("  %-34s %s\n", name, flags[i].help);
  }
}
