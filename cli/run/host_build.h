/* host_build.h - builds generated C with the machine's own compiler, in a
 * temporary folder, and runs it. */
#ifndef CLI_HOST_BUILD_H
#define CLI_HOST_BUILD_H

#include "ashlar/compile.h"

typedef struct host_build {
  char folder[64];
  char program[96];
} host_build;

/* Makes the folder, writes the files and `main_text` into it and compiles them
 * all with $CC, cc, gcc or clang. False after saying what went wrong. */
bool host_build_make(host_build *b, ash_ctx *ctx, const ash_generated *files,
                     size_t file_count, const char *main_text);

/* Runs the program with up to three arguments; true if it exits with 0 within
 * `seconds`. */
bool host_build_run(const host_build *b, const char *const *args,
                    unsigned seconds);

/* "<folder>/name" */
void host_build_path(const host_build *b, char *out, size_t size,
                     const char *name);

/* Removes the folder and all in it. */
void host_build_drop(host_build *b);

#endif
