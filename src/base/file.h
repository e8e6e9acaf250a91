/* file.h - whole files in and out; the only stdio in the library. */
#ifndef ASH_BASE_FILE_H
#define ASH_BASE_FILE_H

#include "base/ctx.h"

typedef struct ash_file {
  const ash_allocator *mem;
  uint8_t *bytes;
  size_t count;
} ash_file;

/* Reads `path` whole. `out` must be dropped, also after a failure. */
ash_status ash_file_read(ash_ctx *ctx, ash_file *out, const char *path);
void ash_file_drop(ash_file *file);

/* A set of files that appears complete or not at all: each is written beside
 * its final name, and all are renamed by `commit`. `abandon` (also after a
 * failed commit) removes what is still temporary. */
typedef struct ash_output {
  ash_ctx *ctx;
  ash_zone *zone; /* names live here */
  struct {
    struct ash_output_file {
      const char *path, *temporary;
    } *items;
    size_t capacity;
  } files;
  size_t file_count;
} ash_output;

void ash_output_init(ash_output *out, ash_ctx *ctx, ash_zone *zone);
/* Parent folders of `path` are made as needed. */
ash_status ash_output_add(ash_output *out, const char *path, const void *bytes,
                          size_t count);
ash_status ash_output_commit(ash_output *out);
void ash_output_abandon(ash_output *out);

#endif
