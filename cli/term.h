/* term.h - what the terminal can show: colour, Unicode, how many columns. */
#ifndef CLI_TERM_H
#define CLI_TERM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct term {
  FILE *out;
  bool unicode, colour;
  uint32_t width;
} term;

/* `color` is --color: NULL and "auto" mean a terminal without NO_COLOR. False
 * if it is no word we know. Unicode where the locale says UTF-8, unless
 * `ascii`. */
bool term_open(term *t, FILE *out, const char *color, bool ascii);

bool term_wants_colour(FILE *out, const char *color);

/* Bytes that a terminal may take for commands, or that have no fixed width,
 * become '?'. */
char term_safe(char c);

#endif
