/* check.h - the test framework. A test file lists its cases once:
 *   #define TESTS(X) X(first_case) X(second_case)
 *   TEST_MAIN(TESTS)
 * and its program runs them:
 *   test_x              all of them
 *   test_x CASE...      those; a name that is unknown is an error (64)
 *   test_x --list       none: it prints their names
 * Cases may SKIP("why"). Each case is a line "ok NAME", "FAILED NAME" or
 * "skipped NAME: why", which tests/run counts. The exit code is 1 if a case
 * failed or if there are none. */
#ifndef ASH_TESTS_CHECK_H
#define ASH_TESTS_CHECK_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(cond)                                                            \
  do {                                                                         \
    if (!(cond))                                                               \
      check_failed(__FILE__, __LINE__, "not (%s)", #cond);                     \
  } while (0)
#define CHECK_EQ(a, b)                                                         \
  do {                                                                         \
    const long long check_a = (long long)(a), check_b = (long long)(b);        \
    if (check_a != check_b)                                                    \
      check_failed(__FILE__, __LINE__, "%s = %lld, want %s = %lld", #a,        \
                   check_a, #b, check_b);                                      \
  } while (0)
#define CHECK_STR(a, b)                                                        \
  do {                                                                         \
    const char *check_a = (a), *check_b = (b);                                 \
    if (strcmp(check_a, check_b) != 0)                                         \
      check_failed(__FILE__, __LINE__, "got\n%s\nwant\n%s", check_a, check_b); \
  } while (0)
#define SKIP(why) check_skipped(why)

/* A case; tables of them end with one that has no name. */
typedef struct check_case {
  const char *name;
  void (*run)(void);
} check_case;

/* End the case that runs; outside of cases, the program. */
#ifdef __GNUC__
__attribute__((format(printf, 3, 4)))
#endif
_Noreturn void
check_failed(const char *file, int line, const char *format, ...);
_Noreturn void check_skipped(const char *why);

/* Runs the cases of `tables`, which ends with NULL. Returns the exit code. */
int check_main(const check_case *const *tables, int argc, char **argv);

#define TEST_ENTRY(name) {#name, name},
#define TEST_MAIN(TESTS)                                                       \
  int main(int argc, char **argv) {                                            \
    static const check_case cases[] = {TESTS(TEST_ENTRY){NULL, NULL}};         \
    return check_main((const check_case *const[]){cases, NULL}, argc, argv);   \
  }
#endif
