/* bind.c - a module of which every region is bound: each wrong buffer has its
 * own answer, nothing is half bound, staged constants arrive through the
 * hydrate function, which this program may replace, and callbacks see every
 * operator of the file. Then it runs the recorded images. */
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

#define SCRATCH DIGITS_ARENA_DTCM
#define STAGED  DIGITS_ARENA_CONST_SRAM

static uint8_t scratch[DIGITS_ARENA_DTCM_SIZE + 1] __attribute__((aligned(16)));
static uint8_t staged[DIGITS_ARENA_CONST_SRAM_SIZE]
    __attribute__((aligned(16)));
static digits_context ctx;
static int hydrated, refuse, calls, last_op = -1;

#ifdef OWN_HYDRATE
int digits_hydrate(digits_context *c) {
  hydrated++;
  if (refuse)
    return 77;
  memcpy(c->region[STAGED], digits_constants(c, STAGED),
         DIGITS_ARENA_CONST_SRAM_SIZE);
  return DIGITS_OK;
}
#endif

static int check_one(void) {
  const size_t size = DIGITS_ARENA_DTCM_SIZE;
  CHECK(digits_init(&ctx) == DIGITS_UNBOUND);
  CHECK(digits_bind_arena(NULL, SCRATCH, scratch, size) == DIGITS_NULL_CONTEXT);
  CHECK(digits_bind_arena(&ctx, DIGITS_REGION_COUNT, scratch, size) ==
        DIGITS_UNKNOWN_REGION);
  CHECK(digits_bind_arena(&ctx, SCRATCH, NULL, size) == DIGITS_NULL_BUFFER);
  CHECK(digits_bind_arena(&ctx, SCRATCH, scratch, size - 1) ==
        DIGITS_UNDERSIZED);
  CHECK(digits_bind_arena(&ctx, SCRATCH, scratch + 1, size) ==
        DIGITS_MISALIGNED);
  CHECK(digits_bind_arena(&ctx, SCRATCH, scratch, size) == DIGITS_OK);
  CHECK(digits_init(&ctx) == DIGITS_UNBOUND);
  CHECK(digits_run(&ctx) == DIGITS_NOT_INITIALISED);
  return 0;
}

static int check_all(void) {
  void *buffers[DIGITS_REGION_COUNT] = {0};
  size_t bytes[DIGITS_REGION_COUNT] = {0};
  buffers[SCRATCH] = scratch;
  bytes[SCRATCH] = DIGITS_ARENA_DTCM_SIZE;
  memset(&ctx, 0, sizeof ctx);
  CHECK(digits_bind_arenas(NULL, buffers, bytes, DIGITS_REGION_COUNT) ==
        DIGITS_NULL_CONTEXT);
  CHECK(digits_bind_arenas(&ctx, NULL, bytes, DIGITS_REGION_COUNT) ==
        DIGITS_NULL_ARGUMENT);
  CHECK(digits_bind_arenas(&ctx, buffers, bytes, DIGITS_REGION_COUNT + 1) ==
        DIGITS_WRONG_COUNT);
  CHECK(digits_bind_arenas(&ctx, buffers, bytes, DIGITS_REGION_COUNT) ==
        DIGITS_NULL_BUFFER);
  CHECK(ctx.region[SCRATCH] == NULL);
  buffers[STAGED] = staged;
  bytes[STAGED] = DIGITS_ARENA_CONST_SRAM_SIZE;
  CHECK(digits_bind_arenas(&ctx, buffers, bytes, DIGITS_REGION_COUNT) ==
        DIGITS_OK);
  return 0;
}

static void count_calls(void *user, uint32_t op, int done) {
  *(int *)user += done;
  last_op = (int)op;
}

static int run_images(void) {
  const digits_tensor in = digits_input(&ctx, 0), out = digits_output(&ctx, 0);
  CHECK(in.bytes == DIGITS_INPUT_0_BYTES && in.rank == 4 && in.shape[1] == 8);
  CHECK(out.elements == DIGITS_OUTPUT_0_ELEMENTS);
  CHECK(in.scale == DIGITS_INPUT_0_SCALE);
  CHECK(in.zero_point == DIGITS_INPUT_0_ZERO_POINT);
  while (fread(in.data, in.bytes, 1, stdin) == 1) {
    CHECK(digits_run(&ctx) == DIGITS_OK);
    CHECK(fwrite(out.data, out.bytes, 1, stdout) == 1);
  }
  return 0;
}

int main(void) {
  if (check_one() || check_all())
    return 1;
#ifdef OWN_HYDRATE
  refuse = 1;
  CHECK(digits_init(&ctx) == 77);
  CHECK(digits_run(&ctx) == DIGITS_NOT_INITIALISED);
  refuse = 0;
#endif
  CHECK(digits_init(&ctx) == DIGITS_OK);
  CHECK(memcmp(staged, digits_constants(&ctx, STAGED), sizeof staged) == 0);
  CHECK(digits_constants(&ctx, SCRATCH) == NULL);
#ifdef OWN_HYDRATE
  CHECK(hydrated == 2);
#endif
  ctx.callback = count_calls;
  ctx.user = &calls;
  CHECK(digits_run(&ctx) == DIGITS_OK);
  ctx.callback = NULL;
  CHECK(calls == DIGITS_STEP_COUNT - 1 && last_op == 11); /* one is a view */
  return run_images() | (refuse + hydrated < 0);
}
