/* test_solve.c - MiniMalloc's contract, a case a row: flags, columns, aliases,
 * gaps, alignment, errors, exit codes. The command runs in this process. */
#include "ashlar/place.h"
#include "check.h"
#include "cmd/solve_flags.h"
#include "commands.h"

#include <fcntl.h>
#include <math.h>
#include <unistd.h>

static char in_path[] = "/tmp/ashlar-solve-in-XXXXXX";
static char out_path[] = "/tmp/ashlar-solve-out-XXXXXX";
static char err_path[] = "/tmp/ashlar-solve-err-XXXXXX";
static char text[1 << 16];

static void make_files(void) {
  static bool made;
  if (made)
    return;
  made = true;
  CHECK(close(mkstemp(in_path)) == 0 && close(mkstemp(out_path)) == 0 &&
        close(mkstemp(err_path)) == 0);
}

static const char *read_text(const char *path) {
  FILE *f = fopen(path, "rb");
  size_t count = 0;
  if (f) {
    count = fread(text, 1, sizeof text - 1, f);
    (void)fclose(f);
  }
  text[count] = '\0';
  return f ? text : "no file";
}

/* Runs the command with stderr caught; the input file holds `csv`. */
static int run_as(const char *name, const char *csv, const char *const *flags) {
  char input[64], output[64], program[32];
  char *argv[16] = {program, input, output};
  int argc = 3;
  make_files();
  (void)snprintf(program, sizeof program, "%s", name);
  (void)snprintf(input, sizeof input, "--input=%s", in_path);
  (void)snprintf(output, sizeof output, "--output=%s", out_path);
  FILE *f = fopen(in_path, "wb");
  CHECK(f != NULL);
  fputs(csv, f);
  CHECK_EQ(fclose(f), 0);
  (void)unlink(out_path);
  static char words[12][64];
  for (int i = 0; flags && flags[i]; i++) {
    (void)snprintf(words[i], sizeof words[i], "%s", flags[i]);
    argv[argc++] = words[i];
  }
  fflush(stderr);
  const int saved = dup(2);
  const int caught = open(err_path, O_WRONLY | O_TRUNC);
  CHECK(saved >= 0 && caught >= 0 && dup2(caught, 2) == 2);
  const int code = cmd_solve(argc, argv);
  fflush(stderr);
  CHECK(dup2(saved, 2) == 2 && close(saved) == 0 && close(caught) == 0);
  return code;
}

#define RUN(csv, ...)                                                          \
  run_as("minimalloc", csv, (const char *const[]){__VA_ARGS__, NULL})

static void expect_error(const char *csv, const char *message) {
  CHECK_EQ(RUN(csv, "--capacity=100"), 1);
  if (!strstr(read_text(err_path), message))
    fprintf(stderr, "want: %s\ngot: %s\n", message, text);
  CHECK(strstr(text, message) != NULL);
  CHECK(access(out_path, F_OK) != 0); /* no output file on failure */
}

#define TWO "id,lower,upper,size\na,0,2,4\nb,1,3,4\n"

static void solves_and_writes_the_offset_last(void) {
  CHECK_EQ(RUN(TWO, "--capacity=8"), 0);
  CHECK_STR(read_text(out_path),
            "id,lower,upper,size,offset\na,0,2,4,0\nb,1,3,4,4\n");
  CHECK(strncmp(read_text(err_path), "Elapsed time 0.0", 16) == 0);
}

static void flags_are_read_like_abseils(void) {
  CHECK_EQ(RUN(TWO, "--capacity", "8"), 0);
  CHECK_EQ(RUN(TWO, "-capacity=8"), 0);
  CHECK_EQ(RUN(TWO, "--capacity=0x8", "positional", "--novalidate"), 0);
  CHECK_EQ(RUN(TWO, "--capacity=8", "--validate=yes"), 0);
  CHECK(strstr(read_text(err_path), "Validation PASS, height 8") != NULL);
  CHECK_EQ(RUN(TWO, "--capacity=8", "--nohatless_pruning",
               "--monotonic_floor=false", "--preordering_heuristics=WAT"),
           0);
  CHECK_EQ(RUN(TWO, "--capacity=8", "--timeout=300s"), 0);
  CHECK_EQ(RUN(TWO, "--capacity=8", "--no_such_flag"), 1);
  CHECK(strstr(read_text(err_path), "Unknown command line flag") != NULL);
  CHECK_EQ(RUN(TWO, "--capacity=eight"), 1);
  CHECK_EQ(RUN(TWO, "--capacity=8", "--timeout=2"), 1);
  CHECK(strstr(read_text(err_path), "Illegal value '2'") != NULL);
}

static void durations_need_a_unit(void) {
  double s;
  CHECK(duration_parse("1.5h", &s) && s == 5400);
  CHECK(duration_parse("500ms", &s) && s > 0.499 && s < 0.501);
  CHECK(duration_parse("1m30s", &s) && s == 90);
  CHECK(duration_parse("inf", &s) && isinf(s));
  CHECK(duration_parse("0", &s) && s == 0);
  CHECK(!duration_parse("2", &s) && !duration_parse("", &s) &&
        !duration_parse("s", &s) && !duration_parse("2x", &s));
}

static void infeasible_is_not_found(void) {
  expect_error("id,lower,upper,size\na,0,2,60\nb,1,3,60\n",
               "NOT_FOUND: Error encountered during search.");
  CHECK_EQ(RUN(TWO, "--capacity=7"), 1);
  CHECK_EQ(RUN(TWO, "--validate"), 1); /* the default capacity is 0 */
}

static void minimize_capacity_finds_the_smallest(void) {
  CHECK_EQ(RUN(TWO, "--capacity=100", "--minimize_capacity", "--validate"), 0);
  CHECK(strstr(read_text(err_path), "height 8") != NULL);
  CHECK_EQ(RUN(TWO, "--capacity=7", "--minimize_capacity"), 1);
  CHECK(strstr(read_text(err_path),
               "NOT_FOUND: Not found any valid capacity.") != NULL);
  CHECK_EQ(run_as("solve", TWO, (const char *const[]){"--minimize", NULL}), 0);
}

static void columns_come_in_any_order_and_under_other_names(void) {
  CHECK_EQ(RUN("size,note,end,buffer_id,begin\n4,x,1,a,0\n4,y,2,b,1\n",
               "--capacity=8"),
           0);
  CHECK_STR(read_text(out_path),
            "id,lower,upper,size,offset\na,0,2,4,0\nb,1,3,4,4\n");
}

static void extra_columns_appear_when_they_say_something(void) {
  CHECK_EQ(RUN("id,lower,upper,size,alignment,hint,gaps\n"
               "a,0,9,3,1,-1,2-4 5-6@1:2\nb,0,1,2,4,7,\n",
               "--capacity=100"),
           0);
  CHECK_STR(read_text(out_path),
            "id,lower,upper,size,alignment,hint,gaps,offset\n"
            "a,0,9,3,1,-1,2-4 5-6@1:2,0\nb,0,1,2,4,7,,4\n");
  CHECK_EQ(RUN("id,lower,upper,size,alignment,hint,gaps\na,0,9,3,1,-1,\n",
               "--capacity=100"),
           0);
  CHECK_STR(read_text(out_path), "id,lower,upper,size,offset\na,0,9,3,0\n");
}

static void gaps_free_the_memory_in_between(void) {
  CHECK_EQ(
      RUN("id,lower,upper,size,gaps\na,0,9,4,2-5\nb,2,5,4,\n", "--capacity=4"),
      0);
  CHECK_EQ(
      RUN("id,start,end,size,gaps\na,0,8,4,2-4\nb,2,4,4,\n", "--capacity=4"),
      0);
  CHECK_EQ(RUN("id,lower,upper,size,gaps\na,0,9,4,2-5@0:1\nb,2,5,3,\n",
               "--capacity=4"),
           0);
  expect_error("id,lower,upper,size,gaps\na,0,9,4,2:5\n",
               "INVALID_ARGUMENT: Improperly formed gap: 2:5");
}

static void given_offsets_are_kept(void) {
  CHECK_EQ(
      RUN("id,lower,upper,size,offset\na,0,2,4,4\nb,1,3,4,0\n", "--capacity=8"),
      0);
  CHECK_STR(read_text(out_path),
            "id,lower,upper,size,offset\na,0,2,4,4\nb,1,3,4,0\n");
  CHECK_EQ(
      RUN("id,lower,upper,size,offset\na,0,2,4,2\nb,1,3,4,0\n", "--capacity=8"),
      1);
  CHECK_EQ(RUN("id,lower,upper,size,offset\na,0,2,4,-1\n", "--capacity=8"), 1);
  /* An extension: an empty cell leaves its buffer free. */
  CHECK_EQ(
      RUN("id,lower,upper,size,offset\na,0,2,4,4\nb,1,3,4,\n", "--capacity=8"),
      0);
  CHECK_STR(read_text(out_path),
            "id,lower,upper,size,offset\na,0,2,4,4\nb,1,3,4,0\n");
}

static void errors_have_minimallocs_words(void) {
  expect_error("id,lower,upper\na,0,2\n",
               "NOT_FOUND: A required column is missing");
  expect_error("id, lower,upper,size\na,0,2,4\n",
               "NOT_FOUND: A required column is missing");
  expect_error("id,lower,upper,size,id\na,0,2,4,a\n",
               "INVALID_ARGUMENT: Duplicate column names");
  expect_error("id,lower,upper,size\na,0,2,4,5\n",
               "INVALID_ARGUMENT: Too many fields");
  expect_error("id,lower,upper,size\na,0,2\n",
               "INVALID_ARGUMENT: Too many fields");
  expect_error("id,lower,upper,size\na,0,two,4\n",
               "INVALID_ARGUMENT: Improperly formed integer");
  expect_error("id,lower,upper,size,alignment\na,0,2,4,x\n",
               "INVALID_ARGUMENT: Improperly formed alignment: x");
  expect_error("id,lower,upper,size,hint\na,0,2,4,x\n",
               "INVALID_ARGUMENT: Improperly formed hint");
  make_files();
  (void)unlink(in_path);
  char missing[] = "--input=/nonexistent/a.csv", name[] = "minimalloc";
  char *argv[] = {name, missing};
  CHECK_EQ(cmd_solve(2, argv), 1);
}

static void what_crashes_minimalloc_is_answered(void) {
  CHECK_EQ(RUN("id,lower,upper,size\na,2,2,4\nb,1,3,4\n", "--capacity=4"), 0);
  CHECK_EQ(RUN("id,lower,upper,size\na,0,2,0\nb,0,2,4\n", "--capacity=4"), 0);
  expect_error("id,lower,upper,size\na,3,2,4\n", "ends before it begins");
  expect_error("id,lower,upper,size,alignment\na,0,2,4,0\n",
               "Improperly formed alignment: 0");
  expect_error("id,lower,upper,size\na,0,2,-4\n", "Improperly formed integer");
  expect_error("\nid,lower,upper,size\na,0,2,4\n", "A required column");
}

static void line_ends_and_blanks_do_not_matter(void) {
  CHECK_EQ(RUN("id,lower,upper,size\r\na, 0 ,2,4\r\nb,-1,3,4", "--capacity=8"),
           0);
  CHECK_STR(read_text(out_path),
            "id,lower,upper,size,offset\na,0,2,4,0\nb,-1,3,4,4\n");
  CHECK_EQ(RUN(TWO "\nthe rest is ignored", "--capacity=8"), 0);
  CHECK_EQ(RUN("id,lower,upper,size\nx,0,1,1\nx,0,1,1\n", "--capacity=8"), 0);
}

static void empty_files_give_a_header(void) {
  CHECK_EQ(RUN("", "--capacity=8"), 0);
  CHECK_STR(read_text(out_path), "id,lower,upper,size,offset\n");
  CHECK_EQ(RUN("id,lower,upper,size\n", "--capacity=8"), 0);
  CHECK_STR(read_text(out_path), "id,lower,upper,size,offset\n");
}

static void an_output_that_cannot_be_written_is_not_a_failure(void) {
  CHECK_EQ(RUN(TWO, "--capacity=8", "--output="), 0);
  CHECK_EQ(RUN(TWO, "--capacity=8", "--output=/nonexistent/x"), 0);
}

static void heuristics_have_names(void) {
  for (size_t i = 0; ash_place_heuristic_name(i); i++) {
    char flag[64];
    (void)snprintf(flag, sizeof flag, "--heuristic=%s",
                   ash_place_heuristic_name(i));
    CHECK_EQ(RUN(TWO, "--capacity=8", flag), 0);
  }
  CHECK_EQ(RUN(TWO, "--capacity=8", "--heuristic=magic"), 1);
}

static void help_is_abseils_under_its_name(void) {
  CHECK_EQ(RUN(TWO, "--help"), 1);
  CHECK_EQ(run_as("solve", TWO, (const char *const[]){"--help", NULL}), 0);
}

#define TESTS(X)                                                               \
  X(solves_and_writes_the_offset_last)                                         \
  X(flags_are_read_like_abseils)                                               \
  X(durations_need_a_unit)                                                     \
  X(infeasible_is_not_found)                                                   \
  X(minimize_capacity_finds_the_smallest)                                      \
  X(columns_come_in_any_order_and_under_other_names)                           \
  X(extra_columns_appear_when_they_say_something)                              \
  X(gaps_free_the_memory_in_between)                                           \
  X(given_offsets_are_kept)                                                    \
  X(errors_have_minimallocs_words)                                             \
  X(what_crashes_minimalloc_is_answered)                                       \
  X(line_ends_and_blanks_do_not_matter)                                        \
  X(empty_files_give_a_header)                                                 \
  X(an_output_that_cannot_be_written_is_not_a_failure)                         \
  X(heuristics_have_names)                                                     \
  X(help_is_abseils_under_its_name)
TEST_MAIN(TESTS)
