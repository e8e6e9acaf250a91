/* trace_main.c - runs the digits in tiles with traced transfers, twice: with
 * room for all events, which are written to a file, and with little room. */
#include "ash_dma_host.h"
#include "ash_dma_trace.h"
#include "digits.h"

#include <inttypes.h>
#include <stdio.h>

enum { ROOM = 4000 };

static ash_dma_event events[ROOM];
static ash_dma_trace trace = {.events = events, .room = ROOM};

/* Begins shortly before it wraps around, and goes on with each look. */
static uint32_t ticks(void *of) {
  static uint32_t clock = 0xfffffff0;
  (void)of;
  return clock += 10;
}

static void layer(void *user, uint32_t op, int done) {
  (void)user;
  ash_dma_trace_layer(&trace, op, done);
}

static void put(void *to, char c) {
  (void)fputc(c, to);
}

int main(int argc, char **argv) {
  static digits_context ctx;
  static const char *const names[] = {"first \"layer\"", NULL, "third\n"};
  const ash_dma traced = {ash_dma_trace_start, ash_dma_trace_wait, &trace};
  ash_dma_host *const host = ash_dma_host_new(ASH_DMA_LAZY);
  trace.port = ash_dma_host_port(host);
  trace.clock = ticks;
  ctx.dma = &traced;
  if (argc != 2 || digits_init(&ctx) != DIGITS_OK)
    return 1;
  ash_dma_trace_clear(&trace); /* without what init moves */
  trace.local = ctx.region[DIGITS_ARENA_L1];
  trace.local_bytes = DIGITS_ARENA_L1_SIZE;
  ctx.callback = layer;
  const uint64_t bytes = ash_dma_host_bytes(host);
  if (digits_run(&ctx) != DIGITS_OK || ash_dma_host_error(host, 1))
    return 2;
  const ash_dma_times t = ash_dma_trace_times(&trace);
  printf("moved %" PRIu64 " loaded %" PRIu64 " stored %" PRIu64 "\n",
         ash_dma_host_bytes(host) - bytes, t.loaded, t.stored);
  printf("layers %" PRIu64 " starting %" PRIu64 " waiting %" PRIu64
         " computing %" PRIu64 "\n",
         t.layers, t.starting, t.waiting, t.computing);
  FILE *file = fopen(argv[1], "w");
  if (!file)
    return 3;
  ash_dma_trace_write(&trace, names, 3, put, file);
  if (fclose(file))
    return 3;
  const uint32_t all = trace.count;
  trace.room = 10;
  ash_dma_trace_clear(&trace);
  if (digits_run(&ctx) != DIGITS_OK)
    return 4;
  printf("events %" PRIu32 " kept %" PRIu32 " lost %" PRIu32 "\n", all,
         trace.count, trace.lost);
  ash_dma_host_drop(host);
  return 0;
}
