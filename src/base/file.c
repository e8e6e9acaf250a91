/* file.c - whole files in and out. See file.h. */
#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { READ_CHUNK = 64 * 1024 };
static const size_t file_bytes_max = (size_t)2 << 30;

static ash_loc at_file(const char *path) {
  ash_loc loc = ASH_NOWHERE;
  loc.file = path;
  return loc;
}

static ash_status fail_file(ash_ctx *ctx, ash_diag_id id, const char *path,
                            const char *what) {
  return ash_fail(ctx, ASH_IO, id, at_file(path), "%s: %s", what,
                  strerror(errno));
}

static bool resize_file(ash_file *file, size_t *capacity, size_t wanted) {
  uint8_t *moved =
      file->mem->resize(file->mem->user, file->bytes, *capacity, wanted);
  if (!moved)
    return false;
  file->bytes = moved;
  *capacity = wanted;
  return true;
}

/* Files whose size is known are read in one piece; pipes grow. */
static ash_status read_stream(ash_ctx *ctx, ash_file *out, const char *path,
                              FILE *stream, size_t expected) {
  size_t capacity = 0;
  ash_status status = ASH_OK;
  if (!resize_file(out, &capacity, expected ? expected + 1 : READ_CHUNK))
    return ash_nomem(ctx);
  for (;;) {
    out->count +=
        fread(out->bytes + out->count, 1, capacity - out->count, stream);
    if (out->count < capacity)
      break;
    if (capacity >= file_bytes_max)
      status = ash_fail(ctx, ASH_LIMIT, ASH_D_file_limit, at_file(path),
                        "the file is larger than 2 GiB");
    else if (!resize_file(out, &capacity, capacity * 2))
      status = ash_nomem(ctx);
    if (status != ASH_OK)
      break;
  }
  if (status == ASH_OK && ferror(stream))
    status = fail_file(ctx, ASH_D_file_read, path, "cannot read");
  /* From here on `count` is also what the allocator is told. */
  const size_t keep = out->count ? out->count : 1;
  if (keep < capacity)
    (void)resize_file(out, &capacity, keep);
  if (status != ASH_OK || capacity != keep) {
    (void)out->mem->resize(out->mem->user, out->bytes, capacity, 0);
    *out = (ash_file){.mem = out->mem};
    return status != ASH_OK ? status : ash_nomem(ctx);
  }
  return ASH_OK;
}

ash_status ash_file_read(ash_ctx *ctx, ash_file *out, const char *path) {
  *out = (ash_file){.mem = &ctx->mem};
  struct stat info;
  if (stat(path, &info) != 0)
    return fail_file(ctx, ASH_D_file_open, path, "cannot open");
  if (S_ISDIR(info.st_mode))
    return ash_fail(ctx, ASH_IO, ASH_D_file_open, at_file(path),
                    "this is a directory, a file was expected");
  if ((uint64_t)info.st_size > file_bytes_max)
    return ash_fail(ctx, ASH_LIMIT, ASH_D_file_limit, at_file(path),
                    "the file is larger than 2 GiB");
  FILE *stream = fopen(path, "rb");
  if (!stream)
    return fail_file(ctx, ASH_D_file_open, path, "cannot open");
  const ash_status status =
      read_stream(ctx, out, path, stream, (size_t)info.st_size);
  (void)fclose(stream);
  return status;
}

void ash_file_drop(ash_file *file) {
  if (file->bytes)
    (void)file->mem->resize(file->mem->user, file->bytes,
                            file->count ? file->count : 1, 0);
  *file = (ash_file){.mem = file->mem};
}

/* ---- output ------------------------------------------------------------- */

void ash_output_init(ash_output *out, ash_ctx *ctx, ash_zone *zone) {
  *out = (ash_output){.ctx = ctx, .zone = zone};
}

static void make_parents(char *path) {
  for (char *p = path + 1; *p; p++) {
    if (*p != '/')
      continue;
    *p = '\0';
    (void)mkdir(path, 0777); /* a real failure shows when the file opens */
    *p = '/';
  }
}

static ash_status write_whole(ash_ctx *ctx, const char *path, const char *name,
                              const void *bytes, size_t count) {
  FILE *stream = fopen(name, "wb");
  if (!stream)
    return fail_file(ctx, ASH_D_file_write, path, "cannot write");
  const bool wrote = count == 0 || fwrite(bytes, 1, count, stream) == count;
  const bool closed = fclose(stream) == 0;
  if (wrote && closed)
    return ASH_OK;
  const ash_status status =
      fail_file(ctx, ASH_D_file_write, path, "cannot write");
  (void)remove(name);
  return status;
}

ash_status ash_output_add(ash_output *out, const char *path, const void *bytes,
                          size_t count) {
  char *temporary = ash_zone_format(out->zone, "%s.ashlar-tmp", path);
  const char *kept = ash_zone_string(out->zone, path);
  if (!temporary || !kept || !ASH_GROW(out->zone, &out->files, out->file_count))
    return ash_nomem(out->ctx);
  make_parents(temporary);
  ASH_TRY(write_whole(out->ctx, path, temporary, bytes, count));
  out->files.items[out->file_count++] =
      (struct ash_output_file){kept, temporary};
  return ASH_OK;
}

ash_status ash_output_commit(ash_output *out) {
  for (size_t i = 0; i < out->file_count; i++) {
    struct ash_output_file *file = &out->files.items[i];
    if (rename(file->temporary, file->path) != 0)
      return fail_file(out->ctx, ASH_D_file_write, file->path,
                       "cannot rename the finished file");
    file->temporary = NULL;
  }
  return ASH_OK;
}

void ash_output_abandon(ash_output *out) {
  for (size_t i = 0; i < out->file_count; i++)
    if (out->files.items[i].temporary)
      (void)remove(out->files.items[i].temporary);
  out->file_count = 0;
}
