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

static bool cannot_open(const char *path, const char *what) {
  fprintf(stderr, "%s: error: cannot %s: %s\n", path, what, strerror(errno));
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
    return cannot_open(path, "open");
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

file_kind kind_of(const char *bytes, size_t count) {
  if (count >= 8 && memcmp(bytes + 4, "TFL3", 4) == 0)
    return FILE_TFLITE;
  /* A protobuf that starts with the small number of ONNX's IR version. */
  if (count > 3 && bytes[0] == 0x08 && bytes[1] > 0 && bytes[1] < 64 &&
      (bytes[2] == 0x12 || bytes[2] == 0x3a || bytes[2] == 0x42))
    return FILE_ONNX;
  return FILE_OTHER;
}

bool refuse_model(const char *path, const char *bytes, size_t count) {
  if (kind_of(bytes, count) == FILE_OTHER)
    return false;
  fprintf(stderr,
          "%s: error: this is a model, a plan was expected\n  hint: make one: "
          "ashlar plan %s --json plan.json\n",
          path, path);
  return true;
}

bool same_file(const char *a, const char *b) {
  struct stat first, second;
  return stat(a, &first) == 0 && stat(b, &second) == 0 &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

bool write_whole(const char *path, const void *bytes, size_t count) {
  FILE *f = fopen(path, "wb");
  if (!f)
    return cannot_open(path, "write");
  const bool wrote = fwrite(bytes, 1, count, f) == count;
  return (fclose(f) == 0 && wrote) || complain(path, "cannot be written");
}
