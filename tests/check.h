/* check.h - the whole test framework. A test file lists its cases once:
 *   #define TESTS(X) X(first_case) X(second_case)
 *   TEST_MAIN(TESTS)
 * and `main` runs them all, or those named on the command line. Cases may
 * SKIP("why"). The exit code says whether any failed; each case is a line
 * "ok NAME", "FAILED NAME" or "skipped NAME: why", which tests/run counts. */
#ifndef ASH_TESTS_CHECK_H
#define ASH_TESTS_CHECK_H
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static jmp_buf check_escape;

#define CHECK(cond)                                                            \
  do {                                                                         \
    if (!(cond)) {                                                             \
      fprintf(stderr, "%s:%d: not (%s)\n", __FILE__, __LINE__, #cond);         \
      longjmp(check_escape, 1);                                                \
    }                                                                          \
  } while (0)
#define CHECK_EQ(a, b)                                                         \
  do {                                                                         \
    const long long check_a = (long long)(a), check_b = (long long)(b);        \
    if (check_a != check_b) {                                                  \
      fprintf(stderr, "%s:%d: %s = %lld, want %s = %lld\n", __FILE__,          \
              __LINE__, #a, check_a, #b, check_b);                             \
      longjmp(check_escape, 1);                                                \
    }                                                                          \
  } while (0)
#define CHECK_STR(a, b)                                                        \
  do {                                                                         \
    const char *check_a = (a), *check_b = (b);                                 \
    if (strcmp(check_a, check_b) != 0) {                                       \
      fprintf(stderr, "%s:%d: got\n%s\nwant\n%s\n", __FILE__, __LINE__,        \
              check_a, check_b);                                               \
      longjmp(check_escape, 1);                                                \
    }                                                                          \
  } while (0)
#define SKIP(why)                                                              \
  do {                                                                         \
    check_skip_reason = (why);                                                 \
    longjmp(check_escape, 2);                                                  \
  } while (0)

static const char *check_skip_reason = "";

typedef struct check_case {
  const char *name;
  void (*run)(void);
} check_case;

static inline int check_wanted(const char *name, int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], name) == 0)
      return 1;
  return argc < 2;
}

static inline int check_main(const check_case *cases, size_t count, int argc,
                             char **argv) {
  volatile int failed = 0;
  for (volatile size_t i = 0; i < count; i++) {
    if (!check_wanted(cases[i].name, argc, argv))
      continue;
    switch (setjmp(check_escape)) {
    case 0:
      cases[i].run();
      printf("ok %s\n", cases[i].name);
      break;
    case 2:
      printf("skipped %s: %s\n", cases[i].name, check_skip_reason);
      break;
    default:
      printf("FAILED %s\n", cases[i].name);
      failed = 1;
    }
    fflush(stdout);
  }
  return failed;
}

#define TEST_ENTRY(name) {#name, name},
#define TEST_MAIN(TESTS)                                                       \
  int main(int argc, char **argv) {                                            \
    static const check_case cases[] = {TESTS(TEST_ENTRY)};                     \
    return check_main(cases, sizeof cases / sizeof *cases, argc, argv);        \
  }
#endif
