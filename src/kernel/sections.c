/* sections.c - the sections of a file of runtime/: several small kernels share
 * a file, and a module carries those that it uses. */
#include "kernel/runtime_files.h"

#include <string.h>

static const char mark[] = "/* kernel";

static bool is_mark(const char *line) {
  const size_t n = sizeof mark - 1;
  return strncmp(line, mark, n) == 0 &&
         (line[n] == ' ' || strncmp(line + n, "s ", 2) == 0);
}

/* From the line at `text` to the next mark or the end. */
static ash_section section_at(const char *text) {
  const char *next = text, *end = text;
  while (*next && (next == text || !is_mark(next))) {
    const size_t n = strcspn(next, "\n");
    const char *stop = next + n + (next[n] == '\n');
    if (n > 0)
      end = stop;
    next = stop;
  }
  return (ash_section){text, next, (size_t)(end - text)};
}

ash_section ash_section_first(const ash_embedded *file) {
  return section_at(file->text);
}

ash_section ash_section_after(const ash_section *section) {
  return section_at(section->next);
}

static bool is_letter(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
}

bool ash_section_is_for(const ash_section *section, const char *kernel) {
  if (!is_mark(section->text))
    return true;
  const char *p = strchr(section->text + sizeof mark - 1, ' ');
  const char *const end = p + strcspn(p, ":*\n");
  const size_t n = strlen(kernel);
  while (p < end) {
    size_t word = 0;
    while (is_letter(p[word]))
      word++;
    if (word > 0 && word == n && strncmp(p, kernel, n) == 0)
      return true;
    p += word ? word : 1;
  }
  return false;
}
