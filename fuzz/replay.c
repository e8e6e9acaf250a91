/* replay.c - runs a fuzz target over files and folders without a fuzzer, so
 * that every finding of the past is a test. A folder's files run by name. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The bytes get a block of exactly their size: sanitizers see one too many. */
static int replay_file(const char *path) {
  FILE *f = fopen(path, "rb");
  if (!f || fseek(f, 0, SEEK_END) != 0)
    return 1;
  const long end = ftell(f);
  const size_t count = end < 0 ? 0 : (size_t)end;
  uint8_t *bytes = malloc(count ? count : 1);
  rewind(f);
  const int read = bytes && fread(bytes, 1, count, f) == count;
  (void)fclose(f);
  if (read)
    (void)LLVMFuzzerTestOneInput(bytes, count);
  free(bytes);
  return !read;
}

static int replay_folder(const char *path) {
  struct dirent **entries;
  char name[4096];
  int failed = 0, replayed = 0;
  const int count = scandir(path, &entries, NULL, alphasort);
  if (count < 0)
    return replay_file(path);
  for (int i = 0; i < count; i++) {
    if (entries[i]->d_name[0] != '.') {
      (void)snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
      failed |= replay_file(name);
      replayed++;
    }
    free(entries[i]);
  }
  free(entries);
  printf("ok replayed %d files of %s\n", replayed, path);
  return failed;
}

int main(int argc, char **argv) {
  int failed = 0;
  for (int i = 1; i < argc; i++)
    failed |= replay_folder(argv[i]);
  return failed;
}
