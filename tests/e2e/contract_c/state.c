/* state.c - state has its first values after init, keeps what was written over
 * runs, and has its first values again after reset. */
#include "state.h"

#include <stdio.h>
#include <string.h>

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: not (%s)\n", __FILE__, __LINE__, #condition);    \
      return 1;                                                                \
    }                                                                          \
  } while (0)

static state_context ctx;

static float run_first(float x) {
  float value;
  const state_tensor in = state_input(&ctx, 0);
  memset(in.data, 0, in.bytes);
  memcpy(in.data, &x, sizeof x);
  if (state_run(&ctx) != STATE_OK)
    return -1.0f;
  memcpy(&value, state_output(&ctx, 0).data, sizeof value);
  return value;
}

static void put(float value, uint32_t offset) {
  memcpy(ctx.region[STATE_ARENA_STATE_DTCM] + offset, &value, sizeof value);
}

int main(void) {
  CHECK(state_run(NULL) == STATE_NULL_CONTEXT);
  CHECK(state_reset(NULL) == STATE_NULL_CONTEXT);
  CHECK(state_init(NULL) == STATE_NULL_CONTEXT);
  CHECK(state_run(&ctx) == STATE_NOT_INITIALISED);
  CHECK(state_reset(&ctx) == STATE_NOT_INITIALISED);
  CHECK(state_input(&ctx, 0).data == NULL);
  CHECK(state_init(&ctx) == STATE_OK);
  CHECK(state_input(&ctx, 1).data == NULL);
  CHECK(STATE_STATE_COUNT == 1 && STATE_ARENA_STATE_DTCM_SIZE == 32);
  CHECK(run_first(10.0f) == 11.0f);
  put(100.0f, 0);
  CHECK(run_first(10.0f) == 110.0f);
  put(0.5f, 16);
  CHECK(run_first(10.0f) == 110.5f);
  CHECK(run_first(10.0f) == 110.5f);
  CHECK(state_reset(&ctx) == STATE_OK);
  CHECK(run_first(10.0f) == 11.0f);
  return 0;
}
