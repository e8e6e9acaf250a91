/* test_sections.c - files of runtime/ that several kernels share. */
#include "check.h"
#include "kernel/kernel.h"
#include "kernel/runtime_files.h"

#include <stdio.h>

static const char text[] = "/* ash_rt_some.c - kernels */\n"
                           "int all;\n"
                           "\n"
                           "/* kernels a_s8, b_s8: what both need. */\n"
                           "int both;\n"
                           "\n"
                           "\n"
                           "/* kernel a_s8 */\n"
                           "int first;\n"
                           "/* kernel b_s8: the second */\n"
                           "int second; /* kernel c_s8 */\n";

/* The text for one kernel. */
static void text_for(char *out, size_t room, const char *bytes,
                     const char *kernel) {
  const ash_embedded file = {"ash_rt_some.c", bytes, strlen(bytes)};
  size_t n = 0;
  out[0] = '\0';
  for (ash_section s = ash_section_first(&file); s.bytes;
       s = ash_section_after(&s))
    if (ash_section_is_for(&s, kernel) && n + s.bytes < room) {
      memcpy(out + n, s.text, s.bytes);
      n += s.bytes;
      out[n] = '\0';
    }
}

static void a_kernel_has_the_sections_that_name_it(void) {
  char got[sizeof text];
  text_for(got, sizeof got, text, "a_s8");
  CHECK_STR(got, "/* ash_rt_some.c - kernels */\nint all;\n"
                 "/* kernels a_s8, b_s8: what both need. */\nint both;\n"
                 "/* kernel a_s8 */\nint first;\n");
  text_for(got, sizeof got, text, "b_s8");
  CHECK_STR(got, "/* ash_rt_some.c - kernels */\nint all;\n"
                 "/* kernels a_s8, b_s8: what both need. */\nint both;\n"
                 "/* kernel b_s8: the second */\n"
                 "int second; /* kernel c_s8 */\n");
  text_for(got, sizeof got, text, "a_s");
  CHECK_STR(got, "/* ash_rt_some.c - kernels */\nint all;\n");
}

static void a_file_without_marks_is_one_section(void) {
  char got[64];
  text_for(got, sizeof got, "int x;\n\n/* kernels of today */ int y;\n", "k");
  CHECK_STR(got, "int x;\n");
  text_for(got, sizeof got, "int x;\n /* kernel k */\n", "other");
  CHECK_STR(got, "int x;\n /* kernel k */\n");
  text_for(got, sizeof got, "", "k");
  CHECK_STR(got, "");
}

/* Does a section of the file for this kernel define its function? */
static bool defines(const ash_embedded *file, const char *kernel) {
  char head[128];
  snprintf(head, sizeof head, "\nvoid ash_rt_%s(", kernel);
  for (ash_section s = ash_section_first(file); s.bytes;
       s = ash_section_after(&s)) {
    const char *at = strstr(s.text, head);
    if (at && at < s.text + s.bytes)
      return ash_section_is_for(&s, kernel);
  }
  return false;
}

static void every_kernel_is_in_its_file(void) {
  const ash_kernel *k;
  for (size_t i = 0; (k = ash_kernel_at(i)) != NULL; i++) {
    if (!k->file)
      continue;
    const ash_embedded *file = ash_runtime_file(k->file);
    CHECK(file != NULL);
    if (strcmp(k->name, "loop") != 0 && !defines(file, k->name)) {
      fprintf(stderr, "%s is not in %s\n", k->name, k->file);
      CHECK(false);
    }
  }
}

/* Its function that computes lines. */
static const char *lines_of(const ash_kernel *k) {
  static char name[96];
  snprintf(name, sizeof name, "%s_lines", k->name);
  return name;
}

static void kernels_with_lines_have_a_function_for_them(void) {
  const ash_kernel *k;
  for (size_t i = 0; (k = ash_kernel_at(i)) != NULL; i++) {
    const ash_embedded *file = k->file ? ash_runtime_file(k->file) : NULL;
    if (k->lines != (file && defines(file, lines_of(k)))) {
      fprintf(stderr, "%s, or column LINES of %s\n", lines_of(k), k->name);
      CHECK(false);
    }
  }
}

static bool has_kernel(const ash_embedded *file, const ash_section *s) {
  const ash_kernel *k;
  for (size_t i = 0; (k = ash_kernel_at(i)) != NULL; i++)
    if (k->file && strcmp(k->file, file->name) == 0 &&
        (ash_section_is_for(s, k->name) ||
         (k->lines && ash_section_is_for(s, lines_of(k)))))
      return true;
  return false;
}

static void every_section_is_for_a_kernel(void) {
  for (const ash_embedded *f = ash_runtime_files; f->name; f++) {
    ash_section s = ash_section_first(f);
    for (s = ash_section_after(&s); s.bytes; s = ash_section_after(&s))
      CHECK(has_kernel(f, &s));
  }
}

#define TESTS(X)                                                               \
  X(a_kernel_has_the_sections_that_name_it)                                    \
  X(a_file_without_marks_is_one_section)                                       \
  X(every_kernel_is_in_its_file)                                               \
  X(kernels_with_lines_have_a_function_for_them)                               \
  X(every_section_is_for_a_kernel)
TEST_MAIN(TESTS)
