/* test_compare.c - the judgement of `ashlar test`, and the builds it makes. */
#include "check.h"
#include "run/compare.h"
#include "run/host_build.h"

#include <fcntl.h>
#include <math.h>
#include <unistd.h>

static comparison compare_one(ash_type type, const void *got, const void *want,
                              double tolerance) {
  comparison c = {0};
  compare_arrays(&c, type, got, want, 1, tolerance);
  CHECK_EQ(c.count, 1);
  return c;
}

static void integers_are_compared_exactly(void) {
  const int64_t big = INT64_MAX, near = INT64_MAX - 1, low = INT64_MIN;
  const uint64_t top = UINT64_MAX, none = 0;
  const int8_t minus = -128, plus = 127;
  CHECK_EQ(compare_one(ASH_INT64, &big, &big, 0).errors, 0);
  CHECK_EQ(compare_one(ASH_INT64, &big, &near, 0.5).errors, 1);
  CHECK(compare_one(ASH_INT64, &big, &near, 0.5).max_difference == 1);
  CHECK_EQ(compare_one(ASH_INT64, &big, &near, 1).errors, 0);
  CHECK(compare_one(ASH_INT64, &low, &big, 0).max_difference > 1e19);
  CHECK_EQ(compare_one(ASH_UINT64, &top, &none, 0).errors, 1);
  CHECK(compare_one(ASH_INT8, &minus, &plus, 0).max_difference == 255);
  CHECK(compare_one(ASH_UINT8, &minus, &plus, 0).max_difference == 1);
}

static uint64_t float_errors(float got, float want, double tolerance) {
  const double a = (double)got, b = (double)want;
  const uint64_t errors =
      compare_one(ASH_FLOAT32, &got, &want, tolerance).errors;
  CHECK_EQ(compare_one(ASH_FLOAT64, &a, &b, tolerance).errors, errors);
  return errors;
}

static void floats_are_compared_with_a_relative_tolerance(void) {
  CHECK_EQ(float_errors(1000.5f, 1000, 1e-3), 0);
  CHECK_EQ(float_errors(1002, 1000, 1e-3), 1);
  CHECK_EQ(float_errors(0.0005f, 0, 1e-3), 0); /* absolute below 1 */
  CHECK_EQ(float_errors(0.002f, 0, 1e-3), 1);
  CHECK_EQ(float_errors(0.0f, -0.0f, 0), 0);
}

static void nan_and_infinity_equal_only_themselves(void) {
  CHECK_EQ(float_errors(NAN, NAN, 0), 0);
  CHECK_EQ(float_errors(NAN, 1, 1e9), 1);
  CHECK_EQ(float_errors(1, NAN, 1e9), 1);
  CHECK_EQ(float_errors(INFINITY, INFINITY, 0), 0);
  CHECK_EQ(float_errors(-INFINITY, INFINITY, 1), 1);
  CHECK_EQ(float_errors(1, INFINITY, 1), 1);
  CHECK_EQ(float_errors(INFINITY, 1, 1), 1);
}

static void halves_have_their_value(void) {
  static const struct {
    uint16_t bits;
    double value;
  } cases[] = {{0x3c00, 1},
               {0xc000, -2},
               {0x7bff, 65504},
               {0x0001, 0x1p-24},
               {0x03ff, 1023 * 0x1p-24},
               {0x8000, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    CHECK(element_value(ASH_FLOAT16, &cases[i].bits, 0) == cases[i].value);
  const uint16_t special[] = {0x7c00, 0xfc00, 0x7e00};
  CHECK(element_value(ASH_FLOAT16, special, 0) == (double)INFINITY);
  CHECK(element_value(ASH_FLOAT16, special, 1) == -(double)INFINITY);
  CHECK(isnan(element_value(ASH_FLOAT16, special, 2)));
}

static bool converts(ash_type to, ash_type from, const void *value,
                     double expected) {
  unsigned char out[9];
  if (!convert_elements(to, out + 1, from, value, 1)) /* unaligned */
    return false;
  CHECK(element_value(to, out + 1, 0) == expected);
  return true;
}

static void conversions_keep_the_value_or_fail(void) {
  const double whole = -128, wide = -129, part = 0.5, huge = 1e300,
               two63 = 0x1p63, nan = NAN;
  const int64_t minus = -1, big = 300;
  const uint64_t top = UINT64_MAX;
  const uint8_t byte = 200;
  CHECK(converts(ASH_INT8, ASH_FLOAT64, &whole, -128));
  CHECK(!converts(ASH_INT8, ASH_FLOAT64, &wide, 0));
  CHECK(!converts(ASH_INT8, ASH_FLOAT64, &part, 0));
  CHECK(!converts(ASH_INT64, ASH_FLOAT64, &huge, 0));
  CHECK(!converts(ASH_INT64, ASH_FLOAT64, &two63, 0));
  CHECK(converts(ASH_UINT64, ASH_FLOAT64, &two63, 0x1p63));
  CHECK(!converts(ASH_INT32, ASH_FLOAT64, &nan, 0));
  CHECK(!converts(ASH_UINT8, ASH_INT64, &minus, 0));
  CHECK(!converts(ASH_UINT64, ASH_INT64, &minus, 0));
  CHECK(converts(ASH_INT8, ASH_INT64, &minus, -1));
  CHECK(!converts(ASH_UINT8, ASH_INT64, &big, 0));
  CHECK(converts(ASH_INT16, ASH_INT64, &big, 300));
  CHECK(converts(ASH_UINT16, ASH_INT64, &big, 300));
  CHECK(!converts(ASH_INT64, ASH_UINT64, &top, 0));
  CHECK(!converts(ASH_INT8, ASH_UINT8, &byte, 0));
  CHECK(converts(ASH_FLOAT32, ASH_UINT8, &byte, 200));
  CHECK(!converts(ASH_FLOAT16, ASH_UINT8, &byte, 0)); /* not supported */
}

/* ---- builds -------------------------------------------------------------- */

static const ash_generated module[] = {
    {"part.h", "int part(void);\n", 16},
    {"part.c", "#include \"part.h\"\nint part(void) { return 7; }\n", 46}};

/* Builds `main_text` with the module; stderr is not for the test's log. */
static bool make(host_build *b, const char *main_text) {
  ash_ctx *ctx;
  CHECK_EQ(ash_ctx_new(&ctx, NULL), ASH_OK);
  fflush(stderr);
  const int saved = dup(2), null = open("/dev/null", O_WRONLY);
  dup2(null, 2);
  const bool made = host_build_make(b, ctx, module, 2, main_text);
  dup2(saved, 2);
  close(saved), close(null);
  ash_ctx_free(ctx);
  return made;
}

static const char program[] =
    "#include \"part.h\"\n"
    "#include <stdio.h>\n"
    "int main(int argc, char **argv) {\n"
    "  if (argc > 1 && argv[1][0] == 'f') return part();\n"
    "  if (argc > 1 && argv[1][0] == 'l') for (;;) part();\n"
    "  FILE *f = argc > 1 ? fopen(argv[1], \"wb\") : 0;\n"
    "  return f && fprintf(f, \"%s\", argv[2]) > 0 && !fclose(f) ? 0 : 1;\n"
    "}\n";

static void programs_are_built_run_and_removed(void) {
  host_build b = {{0}, {0}};
  char path[256], folder[64], text[32] = {0};
  CHECK(make(&b, program));
  memcpy(folder, b.folder, sizeof folder);
  host_build_path(&b, path, sizeof path, "out");
  const char *const args[] = {path, "a 'b' $c", NULL}; /* no shell */
  CHECK(host_build_run(&b, args, 20));
  FILE *f = fopen(path, "rb");
  CHECK(f != NULL && fread(text, 1, 31, f) > 0 && fclose(f) == 0);
  CHECK_STR(text, "a 'b' $c");
  host_build_drop(&b);
  CHECK_EQ(access(folder, F_OK), -1);
}

static void failures_and_endless_loops_are_noticed(void) {
  host_build b = {{0}, {0}};
  CHECK(make(&b, program));
  fflush(stderr);
  const int saved = dup(2), null = open("/dev/null", O_WRONLY);
  dup2(null, 2);
  const char *const fails[] = {"f", NULL}, *const loops[] = {"l", NULL};
  const bool failed = host_build_run(&b, fails, 20);
  const bool looped = host_build_run(&b, loops, 1);
  dup2(saved, 2);
  close(saved), close(null);
  host_build_drop(&b);
  CHECK(!failed && !looped);
}

static void c_that_does_not_compile_is_refused(void) {
  host_build b = {{0}, {0}};
  char folder[64];
  CHECK(!make(&b, "int main(void) { return nothing; }\n"));
  memcpy(folder, b.folder, sizeof folder);
  host_build_drop(&b);
  CHECK_EQ(access(folder, F_OK), -1);
}

static void a_compiler_that_was_asked_for_is_not_replaced(void) {
  host_build b = {{0}, {0}};
  CHECK_EQ(setenv("CC", "/no/such/compiler -O1", 1), 0);
  const bool wrong = make(&b, program);
  host_build_drop(&b);
  CHECK_EQ(setenv("CC", "cc -O1", 1), 0);
  const bool right = make(&b, program);
  host_build_drop(&b);
  CHECK_EQ(unsetenv("CC"), 0);
  CHECK(!wrong && right);
}

#define TESTS(X)                                                               \
  X(integers_are_compared_exactly)                                             \
  X(floats_are_compared_with_a_relative_tolerance)                             \
  X(nan_and_infinity_equal_only_themselves)                                    \
  X(halves_have_their_value)                                                   \
  X(conversions_keep_the_value_or_fail)                                        \
  X(programs_are_built_run_and_removed)                                        \
  X(failures_and_endless_loops_are_noticed)                                    \
  X(c_that_does_not_compile_is_refused)                                        \
  X(a_compiler_that_was_asked_for_is_not_replaced)
TEST_MAIN(TESTS)
