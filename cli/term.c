/* term.c - see term.h. */
#include "term.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { WIDTH_DEFAULT = 80, WIDTH_MIN = 40, WIDTH_MAX = 160 };

static bool is_set(const char *name) {
  const char *value = getenv(name);
  return value && *value;
}

bool term_wants_colour(FILE *out, const char *color) {
  const char *term_name = getenv("TERM");
  if (color && strcmp(color, "always") == 0)
    return true;
  if (color && strcmp(color, "never") == 0)
    return false;
  return !is_set("NO_COLOR") &&
         (!term_name || strcmp(term_name, "dumb") != 0) && isatty(fileno(out));
}

/* The first of the three that is set decides, as in the C library. */
static bool locale_is_utf8(void) {
  static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (is_set(names[i])) {
      const char *value = getenv(names[i]);
      return strstr(value, "UTF-8") || strstr(value, "utf8") ||
             strstr(value, "UTF8") || strstr(value, "utf-8");
    }
  return false;
}

static uint32_t columns_of(FILE *out) {
  const char *set = getenv("COLUMNS");
  long width = set ? strtol(set, NULL, 10) : 0;
#ifdef TIOCGWINSZ /* not in the playground */
  struct winsize size = {0};
  if (width <= 0 && isatty(fileno(out)) &&
      ioctl(fileno(out), TIOCGWINSZ, &size) == 0)
    width = size.ws_col;
#endif
  if (width <= 0)
    width = WIDTH_DEFAULT;
  return (uint32_t)(width < WIDTH_MIN   ? WIDTH_MIN
                    : width > WIDTH_MAX ? WIDTH_MAX
                                        : width);
}

bool term_open(term *t, FILE *out, const char *color, bool ascii) {
  t->out = out;
  t->unicode = !ascii && locale_is_utf8();
  t->colour = term_wants_colour(out, color);
  t->width = columns_of(out);
  return !color || strcmp(color, "auto") == 0 || strcmp(color, "always") == 0 ||
         strcmp(color, "never") == 0;
}

char term_safe(char c) {
  return (char)(c >= ' ' && c <= '~' ? c : '?');
}
