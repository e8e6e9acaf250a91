/* file.c - whole files in and out. See file.h. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { READ_CHUNK = 64 * 1024, TEMPORARIES_MAX = 10000 };
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

/* `path` names a regular file, and nothing after its first `folder` bytes is a
 * link. */
static ash_status check_beside(ash_ctx *ctx, char *path, size_t folder) {
  struct stat info;
  for (char *p = path + folder;; p++) {
    const char was = *p;
    if (was != '/' && was != '\0')
      continue;
    *p = '\0';
    const bool exists = lstat(path, &info) == 0;
    *p = was;
    if (!exists)
      return fail_file(ctx, ASH_D_file_open, path, "cannot open");
    if (S_ISLNK(info.st_mode))
      return ash_fail(ctx, ASH_IO, ASH_D_file_open, at_file(path),
                      "this is a link, a file beside the model was expected");
    if (was == '\0')
      break;
  }
  return S_ISREG(info.st_mode)
             ? ASH_OK
             : ash_fail(ctx, ASH_IO, ASH_D_file_open, at_file(path),
                        "this is not a regular file");
}

/* `name` in the folder of `beside`, which has `*folder` bytes; in
 * ctx->scratch. */
static char *path_beside(ash_ctx *ctx, const char *beside, const char *name,
                         size_t *folder) {
  const char *slash = strrchr(beside, '/');
  *folder = slash ? (size_t)(slash - beside) + 1 : 0;
  return ash_zone_format(&ctx->scratch, "%.*s%s", (int)*folder, beside, name);
}

bool ash_file_is_missing(ash_ctx *ctx, const char *beside, const char *name) {
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  struct stat info;
  size_t folder;
  const char *path = path_beside(ctx, beside, name, &folder);
  const bool missing = !ctx->scratch.failed && lstat(path, &info) != 0 &&
                       (errno == ENOENT || errno == ENOTDIR);
  ash_zone_rewind(&ctx->scratch, mark);
  return missing;
}

ash_status ash_file_read_beside(ash_ctx *ctx, ash_file *out, const char *beside,
                                const char *name) {
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  size_t folder;
  char *path = path_beside(ctx, beside, name, &folder);
  *out = (ash_file){.mem = &ctx->mem};
  ash_status status = ash_zone_check(ctx, &ctx->scratch);
  if (status == ASH_OK)
    status = check_beside(ctx, path, folder);
  if (status == ASH_OK)
    status = ash_file_read(ctx, out, path);
  ash_zone_rewind(&ctx->scratch, mark);
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

/* Folders that did not exist are remembered, to go again if all fails. */
static ash_status make_parents(ash_output *out, const char *path) {
  char *part = ash_zone_string(out->zone, path);
  if (!part)
    return ash_nomem(out->ctx);
  out->folder_error = 0;
  for (char *p = part + 1; *p; p++) {
    if (*p != '/')
      continue;
    *p = '\0';
    errno = 0;
    if (mkdir(part, 0777) == 0) { /* else the file will not open */
      const char *made = ash_zone_string(out->zone, part);
      if (!made || !ASH_GROW(out->zone, &out->folders, out->folder_count))
        return ash_nomem(out->ctx);
      out->folders.items[out->folder_count++] = made;
    } else if (errno != EEXIST && (errno != ENOENT || !out->folder_error)) {
      out->folder_error = errno; /* no parent: its own error is the reason */
    }
    *p = '/';
  }
  return ASH_OK;
}

/* Is it still the file of that name? */
static bool has_name(int fd, const char *name) {
  struct stat own, there;
  return fstat(fd, &own) == 0 && stat(name, &there) == 0 &&
         own.st_dev == there.st_dev && own.st_ino == there.st_ino;
}

/* Owners of temporary files keep them locked, and the system opens the lock of
 * one who dies: what can be locked is a leftover. */
static void remove_leftover(const char *name) {
  const int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return;
  if (flock(fd, LOCK_EX | LOCK_NB) == 0 && has_name(fd, name))
    (void)remove(name);
  (void)close(fd);
}

/* Keeps a new file locked; -1: files cannot be locked here. False: somebody
 * takes it for a leftover, because it was not locked yet. */
static bool keep_locked(struct ash_output_file *file, FILE *stream) {
  const bool locked = flock(fileno(stream), LOCK_EX | LOCK_NB) == 0;
  if (!locked && errno == EWOULDBLOCK)
    return false;
  file->lock = locked ? dup(fileno(stream)) : -1;
  return has_name(fileno(stream), file->temporary);
}

static FILE *open_new(struct ash_output_file *file) {
  FILE *stream = fopen(file->temporary, "wbx");
  if (!stream || keep_locked(file, stream))
    return stream;
  if (file->lock >= 0)
    (void)close(file->lock);
  file->lock = -1;
  (void)fclose(stream);
  errno = EEXIST;
  return NULL;
}

/* A new file beside the final one, of a name that nobody else uses: others may
 * be writing the same files at the same time. */
static FILE *open_temporary(ash_output *out, struct ash_output_file *file) {
  for (unsigned i = 0; i < TEMPORARIES_MAX; i++) {
    file->temporary = ash_zone_format(out->zone, "%s.ashlar-%u", file->path, i);
    if (!file->path || !file->temporary)
      return NULL;
    FILE *stream = open_new(file);
    if (stream || errno != EEXIST)
      return stream;
    remove_leftover(file->temporary);
    stream = open_new(file);
    if (stream || errno != EEXIST)
      return stream;
  }
  return NULL;
}

static ash_status write_whole(ash_ctx *ctx, const char *path, FILE *stream,
                              const void *bytes, size_t count) {
  const bool wrote = count == 0 || fwrite(bytes, 1, count, stream) == count;
  const bool closed = fclose(stream) == 0;
  return wrote && closed
             ? ASH_OK
             : fail_file(ctx, ASH_D_file_write, path, "cannot write");
}

ash_status ash_output_add(ash_output *out, const char *path, const void *bytes,
                          size_t count) {
  struct ash_output_file *file;
  if (!ASH_GROW(out->zone, &out->files, out->file_count))
    return ash_nomem(out->ctx);
  file = &out->files.items[out->file_count];
  *file = (struct ash_output_file){.path = ash_zone_string(out->zone, path),
                                   .lock = -1};
  ASH_TRY(make_parents(out, path));
  FILE *stream = open_temporary(out, file);
  ASH_TRY(ash_zone_check(out->ctx, out->zone));
  if (!stream && errno == ENOENT && out->folder_error)
    errno = out->folder_error; /* why there is no such folder */
  if (!stream)
    return fail_file(out->ctx, ASH_D_file_write, path, "cannot write");
  out->file_count++;
  return write_whole(out->ctx, path, stream, bytes, count);
}

/* ---- all or nothing ------------------------------------------------------ */

/* What stands in the way and cannot be replaced is found before anything is. */
static ash_status check_targets(ash_output *out) {
  for (size_t i = 0; i < out->file_count; i++) {
    struct stat info;
    const char *path = out->files.items[i].path;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
      errno = S_ISDIR(info.st_mode) ? EISDIR : EEXIST;
      return fail_file(out->ctx, ASH_D_file_write, path, "cannot replace");
    }
  }
  return ASH_OK;
}

/* The old file steps aside, under a name that is as much ours as the
 * temporary one. */
static bool put_aside(struct ash_output_file *file) {
  if (rename(file->path, file->aside) != 0)
    return errno == ENOENT;
  file->is_aside = true;
  return true;
}

static bool put_in_place(struct ash_output_file *file) {
  if (rename(file->temporary, file->path) != 0)
    return false;
  file->temporary = NULL;
  return true;
}

/* The file without which no other is of use: a header, if there is one. */
static size_t find_gate(const ash_output *out) {
  for (size_t i = 0; i < out->file_count; i++) {
    const char *end = strrchr(out->files.items[i].path, '.');
    if (end && strcmp(end, ".h") == 0)
      return i;
  }
  return 0;
}

/* Who dies on the way leaves the old set, the new one, or one without its gate,
 * which does not compile. A single file is replaced at once. Returns the file
 * at which it failed, or NULL. */
static struct ash_output_file *replace_all(ash_output *out) {
  struct ash_output_file *files = out->files.items;
  const size_t gate = find_gate(out);
  if (out->file_count > 1 && !put_aside(&files[gate]))
    return &files[gate];
  for (size_t i = 0; i < out->file_count; i++)
    if (i != gate && (!put_aside(&files[i]) || !put_in_place(&files[i])))
      return &files[i];
  return put_in_place(&files[gate]) ? NULL : &files[gate];
}

/* One set at a time is put in place in a folder, that of the first file; -1:
 * folders cannot be locked here. */
static int lock_folder(const ash_output *out) {
  const char *path = out->files.items[0].path;
  const char *slash = strrchr(path, '/');
  const char *folder =
      slash ? ash_zone_format(out->zone, "%.*s", (int)(slash - path + 1), path)
            : ".";
  const int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  if (fd >= 0 && flock(fd, LOCK_EX) != 0) {
    (void)close(fd);
    return -1;
  }
  return fd;
}

/* With the lock the names are ours alone. */
static ash_status name_asides(ash_output *out, bool locked) {
  for (size_t i = 0; i < out->file_count; i++) {
    struct ash_output_file *file = &out->files.items[i];
    file->aside = locked
                      ? ash_zone_format(out->zone, "%s.ashlar-old", file->path)
                      : ash_zone_format(out->zone, "%s-old", file->temporary);
  }
  return ash_zone_check(out->ctx, out->zone);
}

/* As it was before: new files go, old ones come back. */
static void take_back(ash_output *out) {
  for (size_t i = out->file_count; i-- > 0;) {
    struct ash_output_file *file = &out->files.items[i];
    if (!file->temporary)
      (void)remove(file->path);
    if (file->is_aside)
      (void)rename(file->aside, file->path);
    file->is_aside = false;
  }
}

/* The old files go, with those that somebody who died put aside. */
static void forget_old(ash_output *out, bool locked) {
  for (size_t i = 0; i < out->file_count; i++)
    if (out->files.items[i].is_aside || locked)
      (void)remove(out->files.items[i].aside);
}

static ash_status commit(ash_output *out, bool locked) {
  ASH_TRY(check_targets(out));
  ASH_TRY(name_asides(out, locked));
  const struct ash_output_file *failed = replace_all(out);
  if (failed) {
    const ash_status status =
        fail_file(out->ctx, ASH_D_file_write, failed->path,
                  "cannot put the finished file in place");
    take_back(out);
    return status;
  }
  forget_old(out, locked);
  out->folder_count = 0;
  return ASH_OK;
}

ash_status ash_output_commit(ash_output *out) {
  if (out->file_count == 0)
    return ASH_OK;
  const int lock = lock_folder(out);
  const ash_status status = commit(out, lock >= 0);
  if (lock >= 0)
    (void)close(lock);
  return status;
}

void ash_output_abandon(ash_output *out) {
  for (size_t i = 0; i < out->file_count; i++) {
    if (out->files.items[i].temporary)
      (void)remove(out->files.items[i].temporary);
    if (out->files.items[i].lock >= 0)
      (void)close(out->files.items[i].lock);
  }
  for (size_t i = out->folder_count; i-- > 0;)
    (void)rmdir(out->folders.items[i]);
  out->file_count = out->folder_count = 0;
}
