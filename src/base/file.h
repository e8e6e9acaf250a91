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
/* The same for a file that another one names: `name` in the folder of `beside`
 * or below it. Only regular files are read: no links, no pipes, no devices. */
ash_status ash_file_read_beside(ash_ctx *ctx, ash_file *out, const char *beside,
                                const char *name);
/* Is there nothing of that name? */
bool ash_file_is_missing(ash_ctx *ctx, const char *beside, const char *name);
void ash_file_drop(ash_file *file);

/* A set of files that appears complete or not at all: each is written beside
 * its final name, under a name of its own, and all are renamed by `commit`. A
 * commit that fails puts back what it replaced; one whose process is killed
 * leaves the old set, the new one, or one whose first header is absent, and the
 * next commit of the same files removes what it left. `abandon`, always called
 * at the end, removes what is still temporary and folders made in vain. */
typedef struct ash_output {
  ash_ctx *ctx;
  ash_zone *zone; /* names live here */
  struct {
    struct ash_output_file {
      const char *path, *temporary; /* temporary NULL: in place */
      const char *aside;            /* where the file that was there goes */
      bool is_aside;                /* .. and is                          */
      int lock;                     /* on the temporary file, or -1       */
    } * items;
    size_t capacity;
  } files;
  struct {
    const char **items;
    size_t capacity;
  } folders; /* made on the way */
  size_t file_count, folder_count;
  int folder_error; /* errno of the last folder that could not be made */
} ash_output;

void ash_output_init(ash_output *out, ash_ctx *ctx, ash_zone *zone);
/* Parent folders of `path` are made as needed. */
ash_status ash_output_add(ash_output *out, const char *path, const void *bytes,
                          size_t count);
ash_status ash_output_commit(ash_output *out);
void ash_output_abandon(ash_output *out);

#endif
