/* faults.c - preloaded by tests/e2e/faults: the allocation that FAULT_MALLOC
 * counts fails, whoever asks; the process dies before the rename that
 * FAULT_RENAME counts. FAULT_COUNT names a file for the number of allocations.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long allocations, renames, fail_at, kill_at;
static int is_ready;

static void *(*real_malloc)(size_t);
static void *(*real_calloc)(size_t, size_t);
static void *(*real_realloc)(void *, size_t);
static int (*real_rename)(const char *, const char *);

/* dlsym may allocate before its answer is known. */
static char early[4096];
static size_t early_used;

static long number(const char *name) {
  const char *text = getenv(name);
  return text ? atol(text) : 0;
}

static void find(void *out, const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  memcpy(out, &found, sizeof found);
}

static void report(void) {
  const char *path = getenv("FAULT_COUNT");
  is_ready = 0;
  FILE *file = path ? fopen(path, "w") : NULL;
  if (file) {
    fprintf(file, "%ld %ld\n", allocations, renames);
    fclose(file);
  }
}

__attribute__((constructor)) static void start(void) {
  find(&real_calloc, "calloc");
  find(&real_malloc, "malloc");
  find(&real_realloc, "realloc");
  find(&real_rename, "rename");
  fail_at = number("FAULT_MALLOC");
  kill_at = number("FAULT_RENAME");
  atexit(report);
  is_ready = 1;
}

static int fails(void) {
  if (!is_ready || ++allocations != fail_at)
    return 0;
  errno = ENOMEM;
  return 1;
}

void *malloc(size_t size) {
  if (!real_malloc)
    find(&real_malloc, "malloc");
  return fails() ? NULL : real_malloc(size);
}

void *calloc(size_t count, size_t size) {
  if (!real_calloc) {
    void *out = early + early_used;
    early_used += (count * size + 15) / 16 * 16;
    return early_used <= sizeof early ? out : NULL;
  }
  return fails() ? NULL : real_calloc(count, size);
}

void *realloc(void *old, size_t size) {
  if (!real_realloc)
    find(&real_realloc, "realloc");
  return fails() ? NULL : real_realloc(old, size);
}

int rename(const char *from, const char *to) {
  if (++renames == kill_at)
    (void)kill(getpid(), SIGKILL);
  return real_rename(from, to);
}
