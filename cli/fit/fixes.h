/* fixes.h - what makes a model fit a device: options that were tried. */
#ifndef CLI_FIXES_H
#define CLI_FIXES_H

#include "session.h"

enum { FIXES_MAX = 16 };

typedef struct fix {
  char option[160];    /* as on the command line     */
  const char *meaning; /* in words, half a sentence  */
  bool fits;
  uint64_t scratch; /* bytes of all scratch arenas  */
  uint64_t stored;  /* bytes of constants and state */
} fix;

/* Plans in every way that may help and keeps those that fit, at most `most`.
 * Returns how many. */
size_t find_fixes(session *s, fix *out, size_t most, const char *path,
                  const ash_device *device);

#endif
