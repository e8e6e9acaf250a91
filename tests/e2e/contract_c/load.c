/* load.c - constants from a file: load FILE, then run the recorded images.
 * Wrong files are refused first, each for its reason. */
#include "digits.h"

#include <stdio.h>
#include <string.h>

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: not (%s)\n", __FILE__, __LINE__, #condition);    \
      return 1;                                                                \
    }                                                                          \
  } while (0)

#define SIZE (CONSTANT_SIZE + 32)

static uint8_t file[SIZE + 16] __attribute__((aligned(16)));
static uint8_t spare[SIZE + 16] __attribute__((aligned(16)));
static digits_context ctx;

static int load(const uint8_t *bytes, size_t size) {
  return digits_load_constants(&ctx, CONSTANT, bytes, size);
}

/* What is said of a file with one byte changed. */
static int load_changed(size_t at) {
  memcpy(spare, file, SIZE);
  spare[at] ^= 1;
  return load(spare, SIZE);
}

static int check_refusals(void) {
  CHECK(digits_init(&ctx) == DIGITS_CONSTANTS_MISSING);
  CHECK(digits_load_constants(NULL, CONSTANT, file, SIZE) ==
        DIGITS_NULL_CONTEXT);
  CHECK(digits_load_constants(&ctx, 0, file, SIZE) == DIGITS_UNKNOWN_REGION);
  CHECK(digits_load_constants(&ctx, DIGITS_REGION_COUNT, file, SIZE) ==
        DIGITS_UNKNOWN_REGION);
  CHECK(load(NULL, SIZE) == DIGITS_NULL_BUFFER);
  CHECK(load(file, 31) == DIGITS_NOT_CONSTANTS);
  CHECK(load(file, SIZE - 1) == DIGITS_UNDERSIZED);
  for (size_t i = 0; i < 32; i++)
    CHECK(load_changed(i) ==
          (i < 12 ? DIGITS_NOT_CONSTANTS : DIGITS_OTHER_CONSTANTS));
  for (size_t i = 32; i < SIZE; i += 97)
    CHECK(load_changed(i) == DIGITS_CORRUPT_CONSTANTS);
  CHECK(load_changed(SIZE - 1) == DIGITS_CORRUPT_CONSTANTS);
#ifdef IN_PLACE
  memcpy(spare + 1, file, SIZE);
  CHECK(load(spare + 1, SIZE) == DIGITS_MISALIGNED);
#endif
  CHECK(digits_init(&ctx) == DIGITS_CONSTANTS_MISSING);
  return 0;
}

static int run_images(void) {
  const digits_tensor in = digits_input(&ctx, 0), out = digits_output(&ctx, 0);
  while (fread(in.data, in.bytes, 1, stdin) == 1) {
    CHECK(digits_run(&ctx) == DIGITS_OK);
    CHECK(fwrite(out.data, out.bytes, 1, stdout) == 1);
  }
  return 0;
}

int main(int argc, char **argv) {
  FILE *f = argc == 2 ? fopen(argv[1], "rb") : 0;
  CHECK(f && fread(file, 1, sizeof file, f) == SIZE);
  CHECK(fclose(f) == 0);
  if (check_refusals())
    return 1;
  CHECK(load(file, SIZE) == DIGITS_OK);
  CHECK(digits_init(&ctx) == DIGITS_OK);
#ifndef IN_PLACE
  memset(file, 0, sizeof file); /* staged: the copy is enough from now on */
#endif
  return run_images();
}
