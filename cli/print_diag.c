/* print_diag.c - see print_diag.h. */
#include "print_diag.h"

#include "term.h"

#include <stdlib.h>
#include <string.h>

/* The line has "error ASH1234" somewhere: the first such word is coloured. */
static void print_coloured(FILE *out, const char *line, ash_severity severity) {
  static const struct {
    const char *word, *colour;
  } style[] = {{"note", "\033[1;36m"},
               {"warning", "\033[1;35m"},
               {"error", "\033[1;31m"}};
  char mark[24];
  (void)snprintf(mark, sizeof mark, "%s ASH", style[severity].word);
  const char *at = strstr(line, mark);
  if (!at) {
    (void)fprintf(out, "%s\n", line);
    return;
  }
  const size_t word = strlen(style[severity].word);
  (void)fprintf(out, "%.*s%s%.*s\033[0m%s\n", (int)(at - line), line,
                style[severity].colour, (int)word, at, at + word);
}

static void print_one(FILE *out, const ash_diag *diag, bool colour) {
  char line[512];
  char *text = line;
  const size_t want = ash_diag_format(line, sizeof line, diag);
  if (want >= sizeof line) { /* long messages are rare; a cut one is better
                                than none */
    char *longer = malloc(want + 1);
    if (longer) {
      (void)ash_diag_format(longer, want + 1, diag);
      text = longer;
    }
  }
  if (colour)
    print_coloured(out, text, diag->severity);
  else
    (void)fprintf(out, "%s\n", text);
  if (text != line)
    free(text);
}

void print_diags_as(ash_ctx *ctx, FILE *out, const char *color) {
  size_t count;
  const ash_diag *diags = ash_ctx_diags(ctx, &count);
  const bool colour = term_wants_colour(out, color);
  for (size_t i = 0; i < count; i++)
    print_one(out, &diags[i], colour);
  ash_ctx_forget(ctx);
}

void print_diags(ash_ctx *ctx, FILE *out) {
  print_diags_as(ctx, out, NULL);
}

int exit_code_of(ash_status status) {
  switch (status) {
  case ASH_OK:
    return 0;
  case ASH_NOFIT:
    return 20;
  case ASH_MISUSE:
    return 64;
  case ASH_MALFORMED:
  case ASH_LIMIT:
    return 65;
  case ASH_UNSUPPORTED:
    return 69;
  case ASH_INTERNAL:
    return 70;
  case ASH_NOMEM:
  case ASH_IO:
    return 74;
  }
  return 70;
}
