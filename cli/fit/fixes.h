/* fixes.h - changes of the options that were tried: those that make a model fit
 * a device, and those with which one that fits needs less. */
#ifndef CLI_FIXES_H
#define CLI_FIXES_H

#include "session.h"

enum { FIXES_MAX = 16, FIX_BYTES = 340, FIX_NAME_BYTES = 48 };

/* All inputs or all outputs, and the options that name them. */
typedef struct fix_ends {
  const char *names[ARG_LIST_MAX];
  char text[ARG_LIST_MAX][FIX_NAME_BYTES];
  uint32_t count;
  char option[160];
} fix_ends;

typedef struct fix {
  char option[FIX_BYTES];             /* as on the command line       */
  const char *meaning;                /* in words, half a sentence    */
  uint64_t scratch;                   /* bytes of all scratch arenas  */
  uint64_t stored;                    /* bytes of constants and state */
  uint64_t in_memory[ASH_MEMORY_MAX]; /* scratch, by the device's memory */
  ash_compile_options options; /* may point into `inputs` and `outputs` */
} fix;

/* In the order in which they are tried; the first is number 1. */
typedef struct fixes {
  fix items[FIXES_MAX];
  size_t count;
  fix_ends inputs, outputs;
} fixes;

/* NULL: no memory. Free it with free(). */
fixes *fixes_new(void);

/* Plans in every way that may help, until `most` of them fit. */
void find_fixes(session *s, fixes *out, size_t most, const char *path,
                const ash_device *device);
/* The same for a model that fits: ways that need less than `scratch`. */
void find_savings(session *s, fixes *out, const char *path,
                  const ash_device *device, uint64_t scratch);

/* "  1. --overlap", then what it means and needs, for each. */
void print_fixes(FILE *to, const fixes *f);

#endif
