/* files.c - see files.h. */
#include "files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool complain(const char *path, const char *why) {
  fprintf(stderr, "%s: error: %s\n", path, why);
  return false;
}

static bool grow(char **bytes, size_t *capacity) {
  char *more = realloc(*bytes, *capacity * 2);
  if (!more)
    return false;
  *bytes = more;
  *capacity *= 2;
  return true;
}

static bool read_stream(FILE *f, char **bytes, size_t *count) {
  size_t capacity = (size_t)1 << 16;
  *bytes = malloc(capacity);
  *count = 0;
  if (!*bytes)
    return false;
  for (;;) {
    const size_t n = fread(*bytes + *count, 1, capacity - *count, f);
    *count += n;
    if (n == 0)
      return !ferror(f);
    if (*count == capacity && !grow(bytes, &capacity))
      return false;
  }
}

bool read_whole(const char *path, char **bytes, size_t *count) {
  struct stat info;
  *bytes = NULL;
  *count = 0;
  if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
    return complain(path, "this is a directory, a file was expected");
  FILE *f = fopen(path, "rb");
  if (!f)
    return complain(path, strerror(errno));
  const bool done = read_stream(f, bytes, count);
  (void)fclose(f);
  if (done)
    return true;
  free(*bytes);
  *bytes = NULL;
  return complain(path, "cannot be read to its end");
}

void free_whole(char *bytes) {
  free(bytes);
}

bool write_whole(const char *path, const void *bytes, size_t count) {
  FILE *f = fopen(path, "wb");
  if (!f)
    return complain(path, strerror(errno));
  const bool wrote = fwrite(bytes, 1, count, f) == count;
  return (fclose(f) == 0 && wrote) || complain(path, "cannot be written");
}
