/* combined.c - one model with everything: variables, staged weights, scratch in
 * two memories, arenas of the program. Two instances run in turn, each with its
 * state; then both start again. The exit code is the line that went wrong. */
#include "net.h"
#include "record.h"

#include <string.h>

#ifdef __arm__
#define IN_SRAM __attribute__((section(".sram_bss")))
#else
#define IN_SRAM
#endif

#define MUST(fact)                                                             \
  do {                                                                         \
    if (!(fact))                                                               \
      return __LINE__;                                                         \
  } while (0)

enum { INSTANCES = 2 };

#ifdef NET_EXTERNAL_ARENAS
#define ALIGNED      __attribute__((aligned(16)))
#define ROUND(bytes) (((bytes) + 15u) / 16u * 16u)
static ALIGNED uint8_t dtcm[INSTANCES][ROUND(NET_ARENA_DTCM_SIZE)];
static ALIGNED uint8_t state[INSTANCES][ROUND(NET_ARENA_STATE_DTCM_SIZE)];
static ALIGNED uint8_t weights[INSTANCES][ROUND(NET_ARENA_CONST_DTCM_SIZE)];
static ALIGNED IN_SRAM uint8_t sram[INSTANCES][ROUND(NET_ARENA_SRAM_SIZE)];

static int bind(net_context *ctx, int i) {
  MUST(net_init(ctx) == NET_UNBOUND);
  MUST(net_bind_arena(ctx, NET_ARENA_DTCM, dtcm[i], NET_ARENA_DTCM_SIZE - 1) ==
       NET_UNDERSIZED);
  MUST(net_bind_arena(ctx, NET_ARENA_SRAM, sram[i] + 1, sizeof sram[i]) ==
       NET_MISALIGNED);
  MUST(net_bind_arena(ctx, NET_ARENA_DTCM, dtcm[i], sizeof dtcm[i]) == NET_OK);
  MUST(net_bind_arena(ctx, NET_ARENA_SRAM, sram[i], sizeof sram[i]) == NET_OK);
  MUST(net_bind_arena(ctx, NET_ARENA_STATE_DTCM, state[i], sizeof state[i]) ==
       NET_OK);
  MUST(net_bind_arena(ctx, NET_ARENA_CONST_DTCM, weights[i],
                      sizeof weights[i]) == NET_OK);
  memset(state[i], 0x55, sizeof state[i]); /* init must not rely on it */
  return 0;
}
#else
static int bind(net_context *ctx, int i) {
  (void)ctx, (void)i;
  return 0;
}
#endif

/* One run; the caller may use scratch memory in between. */
static int run_case(net_context *ctx, int i, int k) {
#ifdef NET_EXTERNAL_ARENAS
  memset(dtcm[i], 0xAA, sizeof dtcm[i]);
  memset(sram[i], 0xAA, sizeof sram[i]);
#endif
  (void)i;
  const net_tensor in = net_input(ctx, 0);
  MUST(in.bytes == sizeof record_in[k]);
  memcpy(in.data, record_in[k], in.bytes);
  MUST(net_run(ctx) == NET_OK);
  const net_tensor out = net_output(ctx, 0);
  MUST(out.bytes == sizeof record_out[k]);
  MUST(memcmp(out.data, record_out[k], out.bytes) == 0);
  return 0;
}

/* The second instance is one case behind the first. */
static int run_in_turn(net_context *ctx, int instances) {
  for (int k = 0; k <= RECORD_CASES; k++)
    for (int i = 0; i < instances; i++) {
      if (k - i < 0 || k - i >= RECORD_CASES)
        continue;
      const int wrong = run_case(&ctx[i], i, k - i);
      if (wrong)
        return wrong;
    }
  return 0;
}

int main(void) {
  static net_context ctx[INSTANCES];
#ifdef NET_EXTERNAL_ARENAS
  const int instances = INSTANCES;
#else
  const int instances = 1;
#endif
  for (int i = 0; i < instances; i++) {
    const int wrong = bind(&ctx[i], i);
    if (wrong)
      return wrong;
    MUST(net_init(&ctx[i]) == NET_OK);
  }
  for (int again = 0; again < 3; again++) {
    const int wrong = run_in_turn(ctx, instances);
    if (wrong)
      return wrong;
    for (int i = 0; i < instances; i++) /* both start the state again */
      MUST((again ? net_init(&ctx[i]) : net_reset(&ctx[i])) == NET_OK);
  }
  return 0;
}
