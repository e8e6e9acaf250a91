/* write.c - generated files to disk, all or none. */
#include "ashlar/compile.h"

#include "base/file.h"

#include <string.h>

/* A name that leads out of the folder is none. */
static bool stays_inside(const char *name) {
  for (const char *at = name; (at = strstr(at, "..")) != NULL; at += 2)
    if ((at == name || at[-1] == '/') && (at[2] == '/' || at[2] == '\0'))
      return false;
  return *name && *name != '/';
}

static bool are_whole(const ash_generated *files, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!files[i].name || !stays_inside(files[i].name) ||
        (files[i].count && !files[i].bytes))
      return false;
  return true;
}

ash_status ash_write_files(ash_ctx *ctx, const char *folder,
                           const ash_generated *files, size_t file_count) {
  ASH_NEED(ctx, ctx && folder && (files || file_count == 0) &&
                    are_whole(files, file_count));
  ash_output out;
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  ash_status status = ASH_OK;
  ash_output_init(&out, ctx, &ctx->scratch);
  for (size_t i = 0; i < file_count && status == ASH_OK; i++) {
    const char *path =
        ash_zone_format(&ctx->scratch, "%s/%s", folder, files[i].name);
    status = path ? ash_output_add(&out, path, files[i].bytes, files[i].count)
                  : ash_nomem(ctx);
  }
  if (status == ASH_OK)
    status = ash_output_commit(&out);
  ash_output_abandon(&out);
  ash_zone_rewind(&ctx->scratch, mark);
  return status;
}
