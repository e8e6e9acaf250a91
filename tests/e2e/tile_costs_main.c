/* tile_costs_main.c - runs the tiled module "net" once, on a port that copies
 * and counts. On a host it prints what was moved; the bare RV32 program only
 * leaves, and the emulator counts. */
#include "ash_dma.h"
#include "net.h"

#include <string.h>

enum { SMALL = 4 };

static struct { unsigned long transfers, bytes, rows, small; } moved;

static uint32_t start(void *user, const ash_dma_job *j, uint32_t future) {
  const unsigned long rows = (unsigned long)j->rows * j->planes;
  (void)user;
  moved.transfers++;
  moved.rows += rows;
  moved.bytes += rows * j->bytes;
  moved.small += rows * j->bytes <= SMALL;
  for (uint32_t p = 0; p < j->planes; p++)
    for (uint32_t r = 0; r < j->rows; r++)
      memcpy(j->to + p * j->to_plane + r * j->to_row,
             j->from + p * j->from_plane + r * j->from_row, j->bytes);
  return future ? future : (uint32_t)moved.transfers;
}

static void wait(void *user, uint32_t future) {
  (void)user, (void)future;
}

static int run(void) {
  static const ash_dma port = {start, wait, NULL};
  static net_context ctx;
  ctx.dma = &port;
  if (net_init(&ctx) != NET_OK)
    return 1;
  memset(&moved, 0, sizeof moved); /* without what init moves */
  return net_run(&ctx) == NET_OK ? 0 : 2;
}

#ifdef __riscv
static char stack[1 << 16] __attribute__((aligned(16)));

__attribute__((used, noreturn)) static void body(void) {
  register int code __asm__("a0") = run();
  register int leave __asm__("a7") = 93;
  __asm__ volatile("ecall" ::"r"(code), "r"(leave));
  for (;;)
    ;
}

__attribute__((naked, noreturn)) void _start(void) {
  __asm__ volatile(".option push\n.option norelax\n"
                   "la gp, __global_pointer$\n.option pop\n"
                   "la sp, %0\nli t0, %1\nadd sp, sp, t0\nj body" ::"i"(stack),
                   "i"(sizeof stack));
}
#else
#include <stdio.h>

int main(void) {
  const int code = run();
  printf("transfers %lu\nbytes %lu\nrows %lu\nsmall %lu\n", moved.transfers,
         moved.bytes, moved.rows, moved.small);
  return code;
}
#endif
