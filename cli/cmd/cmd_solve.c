/* cmd_solve.c - ashlar solve, and minimalloc: the packing solver as a program
 * with MiniMalloc's command line, files, messages and exit codes. */
#include "ashlar/report.h"
#include "certificate_file.h"
#include "cmd/solve_flags.h"
#include "commands.h"
#include "print_diag.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { EXIT_FAILED = 1, CSV_COLUMN_DIAG = 5010 };

typedef struct run {
  solve_flags flags;
  bool drop_in; /* called as minimalloc */
  ash_ctx *ctx;
  ash_csv csv;
  ash_place_problem problem;
  ash_place_result result;
  double started, deadline, told;
  bool terminal;
  bool certified; /* a certificate was written */
} run;

static double now_seconds(void) {
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Ctrl-C ends the search, not the program: the best placement so far is still
 * written. A second one ends the program. */
static volatile sig_atomic_t interrupted;

static void interrupt(int number) {
  interrupted = 1;
  (void)signal(number, SIG_DFL);
}

/* Polled by the search: the deadline, and a sign of life on a terminal. */
static bool is_over(void *user) {
  run *r = user;
  const double now = now_seconds();
  if (r->terminal && now - r->told >= 1) {
    r->told = now;
    fprintf(stderr, "\r\033[Ksearching, %.0f s", now - r->started);
    if (r->deadline < 1e18)
      fprintf(stderr, ", at most %.0f s more", r->deadline - now);
    fflush(stderr);
  }
  return interrupted || now >= r->deadline;
}

/* ---- reading ------------------------------------------------------------ */

static char *read_stream(FILE *f, size_t *count) {
  size_t capacity = 1 << 16;
  char *bytes = malloc(capacity);
  *count = 0;
  while (bytes) {
    *count += fread(bytes + *count, 1, capacity - *count, f);
    if (*count < capacity)
      break;
    char *larger = realloc(bytes, capacity *= 2);
    if (!larger)
      free(bytes);
    bytes = larger;
  }
  return bytes;
}

static int report_no_memory(void) {
  fprintf(stderr, "RESOURCE_EXHAUSTED: out of host memory\n");
  return exit_code_of(ASH_NOMEM);
}

/* Like MiniMalloc's status: NOT_FOUND for a missing column, else
 * INVALID_ARGUMENT. */
static int report_errors(ash_ctx *ctx, const char *color) {
  size_t count;
  const ash_diag *diags = ash_ctx_diags(ctx, &count);
  for (size_t i = 0; i < count; i++)
    if (diags[i].code == ASH_NOMEM)
      return report_no_memory();
  for (size_t i = 0; i < count; i++)
    fprintf(stderr, "%s: %s\n",
            diags[i].id == CSV_COLUMN_DIAG ? "NOT_FOUND" : "INVALID_ARGUMENT",
            diags[i].message);
  print_diags_as(ctx, stderr, color);
  return EXIT_FAILED;
}

static int read_input(run *r) {
  size_t count;
  const char *path = r->flags.input ? r->flags.input : "";
  FILE *f = fopen(path, "rb");
  if (!f && errno == ENOMEM)
    return report_no_memory();
  if (!f) {
    fprintf(stderr, "Opening file %s failed.\n", path);
    if (!r->flags.input)
      fprintf(stderr, "No buffers were given: --input FILE.csv names them.\n");
    return EXIT_FAILED;
  }
  char *bytes = read_stream(f, &count);
  const bool broken = ferror(f) != 0;
  (void)fclose(f);
  if (!bytes && !broken)
    return report_no_memory();
  if (!bytes || broken) {
    fprintf(stderr, "Opening file %s failed.\n", path);
    free(bytes);
    return EXIT_FAILED;
  }
  const ash_status status = ash_csv_read(r->ctx, &r->csv, bytes, count, path);
  free(bytes);
  return status == ASH_OK ? -1 : report_errors(r->ctx, r->flags.color);
}

/* ---- solving ------------------------------------------------------------ */

static bool takes_room(const ash_buffer *b) {
  return b->size > 0 && b->lower < b->upper;
}

/* A capacity of zero is a real one here: what takes room does not fit. */
static bool is_hopeless(const run *r) {
  if (r->problem.capacity || (!r->drop_in && !r->flags.has_capacity))
    return false;
  for (size_t i = 0; i < r->csv.count; i++)
    if (takes_room(&r->csv.buffers[i]))
      return true;
  return false;
}

static ash_place_options options_of(run *r) {
  const solve_flags *f = &r->flags;
  return (ash_place_options){
      .struct_bytes = sizeof(ash_place_options),
      .ticks = f->ticks > 0 ? (uint64_t)f->ticks : UINT64_MAX,
      .seed = (uint64_t)f->seed,
      .threads = f->threads > 1 ? (uint32_t)f->threads : 1,
      .heuristic = f->heuristic,
      .stop = is_over,
      .stop_user = r};
}

static ash_status solve(run *r) {
  const solve_flags *f = &r->flags;
  const ash_place_options options = options_of(r);
  r->problem = (ash_place_problem){
      .buffers = r->csv.buffers,
      .buffer_count = r->csv.count,
      .capacity = f->capacity > 0 ? (uint64_t)f->capacity : 0,
      .minimise = f->minimize};
  if (is_hopeless(r)) {
    r->result = (ash_place_result){.verdict = ASH_INFEASIBLE};
    return ASH_OK;
  }
  return ash_place(r->ctx, &r->result, &r->problem, &options);
}

static int report_failure(const run *r) {
  const bool refuted = r->result.verdict == ASH_INFEASIBLE;
  if (r->flags.minimize)
    fprintf(stderr, "NOT_FOUND: Not found any valid capacity.\n");
  else
    fprintf(stderr, "%s: Error encountered during search.\n",
            refuted       ? "NOT_FOUND"
            : interrupted ? "CANCELLED"
                          : "DEADLINE_EXCEEDED");
  if (!r->drop_in && r->problem.capacity &&
      r->result.lower_bound > r->problem.capacity)
    fprintf(stderr, "at least %llu bytes are needed, %llu more than allowed\n",
            (unsigned long long)r->result.lower_bound,
            (unsigned long long)(r->result.lower_bound - r->problem.capacity));
  return EXIT_FAILED;
}

/* ---- writing ------------------------------------------------------------ */

/* For MiniMalloc, a file that cannot be written is not an error; under its name
 * it is said at least. */
static int write_output(run *r) {
  const char *text;
  size_t count;
  if (!r->flags.output || !r->flags.output[0])
    return 0;
  if (ash_csv_write(r->ctx, &text, &count, &r->csv, r->result.offsets) !=
      ASH_OK)
    return report_errors(r->ctx, r->flags.color);
  FILE *f = fopen(r->flags.output, "wb");
  if (!f && errno == ENOMEM)
    return report_no_memory();
  const bool written = f && fwrite(text, 1, count, f) == count;
  if ((!f || fclose(f) == 0) && written)
    return 0;
  fprintf(stderr, "%s: %s was not written\n", r->drop_in ? "warning" : "error",
          r->flags.output);
  return r->drop_in ? 0 : EXIT_FAILED;
}

/* The name without folder and ending. */
static void title_of(const char *path, char *out, size_t size) {
  const char *slash = strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;
  const char *dot = strrchr(name, '.');
  const int length =
      (int)(dot && dot > name ? (size_t)(dot - name) : strlen(name));
  (void)snprintf(out, size, "%.*s", length, name);
}

/* A page that was asked for and is not there is a failure. */
static int write_report(run *r) {
  char title[256];
  const char *text;
  size_t count;
  if (!r->flags.report)
    return 0;
  title_of(r->flags.input, title, sizeof title);
  ash_status status = ash_report_packing(r->ctx, &text, &count, title, &r->csv,
                                         &r->result, r->problem.capacity);
  if (status == ASH_OK && r->certified) {
    const ash_report_certificate said = {certificate_name(r->flags.certificate),
                                         false, 1, 1};
    status = ash_report_certified(r->ctx, &text, &count, &said);
  }
  if (status != ASH_OK) {
    print_diags_as(r->ctx, stderr, r->flags.color);
    return EXIT_FAILED;
  }
  FILE *f = fopen(r->flags.report, "wb");
  const bool written = f && fwrite(text, 1, count, f) == count;
  if ((f && fclose(f) != 0) || !written) {
    fprintf(stderr, "Opening file %s failed.\n", r->flags.report);
    return EXIT_FAILED;
  }
  return 0;
}

/* A certificate that was asked for and is not there is a failure as well. */
static int write_certificate(run *r) {
  certificate_file file;
  const ash_place_options options = options_of(r);
  if (!r->flags.certificate)
    return 0;
  if (!certificate_open(&file, r->flags.certificate))
    return EXIT_FAILED;
  const ash_status status =
      ash_place_certify(r->ctx, &r->certified, &r->problem, &r->result,
                        &options, certificate_write, &file);
  if (status != ASH_OK)
    print_diags_as(r->ctx, stderr, r->flags.color);
  else if (!r->certified)
    fprintf(stderr,
            "%s: no certificate: the bound %llu was not refuted again within "
            "the limits\n",
            r->flags.certificate, (unsigned long long)r->result.lower_bound);
  r->certified = certificate_close(&file, status == ASH_OK && r->certified);
  return r->certified ? 0 : EXIT_FAILED;
}

static int validate(run *r) {
  uint64_t height;
  if (!r->flags.validate)
    return 0;
  if (ash_place_check(r->ctx, &height, &r->problem, r->result.offsets) !=
      ASH_OK) {
    fprintf(stderr, "Validation FAIL 1\n");
    print_diags_as(r->ctx, stderr, r->flags.color);
    return EXIT_FAILED;
  }
  fprintf(stderr, "Validation PASS, height %llu\n",
          (unsigned long long)r->result.height);
  return 0;
}

static const char *reason_text(ash_place_reason reason) {
  static const char *const text[] = {
      "none",          "bound-met", "search-exhausted",
      "over-capacity", "ticks",     "stopped"};
  return text[reason];
}

static void print_json(const run *r, double elapsed) {
  const ash_place_result *x = &r->result;
  printf("{\n  \"verdict\": \"%s\",\n  \"reason\": \"%s\",\n",
         ash_verdict_text(x->verdict), reason_text(x->reason));
  printf("  \"buffers\": %zu,\n  \"capacity\": %llu,\n", r->csv.count,
         (unsigned long long)r->problem.capacity);
  if (x->offsets)
    printf("  \"height\": %llu,\n", (unsigned long long)x->height);
  printf("  \"lower_bound\": %llu,\n  \"ticks\": %llu,\n",
         (unsigned long long)x->lower_bound, (unsigned long long)x->ticks);
  if (r->flags.certificate)
    printf("  \"certified\": %s,\n", r->certified ? "true" : "false");
  printf("  \"seconds\": %.6f,\n", elapsed);
  printf("  \"witness\": {\"time\": %lld, \"buffers\": [",
         (long long)x->witness_time);
  for (size_t i = 0; i < x->witness_count; i++)
    printf("%s%u", i ? ", " : "", (unsigned)x->witness[i]);
  printf("]}\n}\n");
}

static void print_tikz(const run *r) {
  printf("\\begin{tikzpicture}\n");
  for (size_t i = 0; i < r->csv.count; i++) {
    const ash_buffer *b = &r->csv.buffers[i];
    const long long at = (long long)r->result.offsets[i];
    printf("\\draw (%lld,%lld) rectangle (%lld,%lld) node[midway] {%s};\n",
           (long long)b->lower, at, (long long)b->upper,
           at + (long long)b->size, r->csv.ids[i]);
  }
  printf("\\end{tikzpicture}\n");
}

/* ---- the command -------------------------------------------------------- */

/* What ended early says how good its answer is. */
static void print_gap(const run *r) {
  const ash_place_result *x = &r->result;
  const bool early =
      x->reason == ASH_REASON_TICKS || x->reason == ASH_REASON_STOPPED;
  if (r->flags.quiet || r->drop_in || !x->offsets || !early ||
      x->verdict != ASH_FEASIBLE || r->flags.heuristic)
    return;
  const double gap =
      x->lower_bound ? 100.0 * ((double)x->height / (double)x->lower_bound - 1)
                     : 0;
  fprintf(stderr,
          "%s: the best placement so far has %llu bytes, none has less than "
          "%llu (gap %.2f %%)\n",
          interrupted                     ? "interrupted"
          : x->reason == ASH_REASON_TICKS ? "out of ticks"
                                          : "out of time",
          (unsigned long long)x->height, (unsigned long long)x->lower_bound,
          gap);
}

static int finish(run *r, ash_status status) {
  const double elapsed = now_seconds() - r->started;
  if (r->terminal && r->told > r->started)
    fprintf(stderr, "\r\033[K");
  if (status != ASH_OK)
    return report_errors(r->ctx, r->flags.color);
  if (!r->flags.quiet)
    fprintf(stderr, "Elapsed time %.3fs\n", elapsed);
  const int certified = write_certificate(r);
  if (r->flags.verbose && r->result.offsets)
    fprintf(stderr, "height %llu, bound %llu: %s (%s)%s\n",
            (unsigned long long)r->result.height,
            (unsigned long long)r->result.lower_bound,
            ash_verdict_text(r->result.verdict), reason_text(r->result.reason),
            r->certified ? ", certified" : "");
  print_gap(r);
  if (r->flags.json)
    print_json(r, elapsed);
  if (!r->result.offsets)
    return report_failure(r);
  const int written = write_output(r);
  if (r->flags.print_solution)
    print_tikz(r);
  const int reported = write_report(r);
  const int validated = validate(r);
  if (written)
    return written;
  return reported || validated ? EXIT_FAILED : certified;
}

static int solve_input(run *r) {
  const int code = read_input(r);
  if (code >= 0)
    return code;
  r->started = r->told = now_seconds();
  r->deadline = r->started + r->flags.timeout;
  r->terminal = !r->flags.quiet && isatty(2);
  interrupted = 0;
  void (*before)(int) = signal(SIGINT, interrupt);
  if (before == SIG_IGN)
    (void)signal(SIGINT, SIG_IGN);
  const ash_status status = solve(r);
  (void)signal(SIGINT, before);
  return finish(r, status);
}

int cmd_solve(int argc, char **argv) {
  run r = {.drop_in = strstr(argv[0], "minimalloc") != NULL};
  if (!solve_flags_parse(&r.flags, argc, argv))
    return EXIT_FAILED;
  if (r.flags.help) {
    solve_flags_usage(r.drop_in ? "minimalloc" : "ashlar solve");
    return r.drop_in ? EXIT_FAILED : 0;
  }
  if (ash_ctx_new(&r.ctx, NULL) != ASH_OK)
    return report_no_memory();
  const int code = solve_input(&r);
  ash_ctx_free(r.ctx);
  return code;
}
