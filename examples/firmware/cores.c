/* cores.c - the other cores: harts that sleep until a software interrupt of the
 * CLINT is pending (QEMU's virt), or the second Cortex-M33 of an SSE-200
 * (mps2-an521), which waits for an event. */
#include "cores.h"

#include "ash_cores_bare.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))

enum { CORES = 4, STACK_WORDS = 2048 };

/* One for each core but the first. */
__attribute__((aligned(16),
               used)) static uint32_t stacks[CORES - 1][STACK_WORDS];

static ash_cores_bare cores;
static const ash_cores port = {ash_cores_bare_run, &cores};

__attribute__((used, noreturn)) static void serve(uint32_t core) {
  for (;;)
    ash_cores_bare_serve(&cores, core);
}

#ifdef __riscv
#define SOFTWARE_INTERRUPT(hart) REGISTER(0x2000000u + 4u * (hart))

static void wake(uint32_t core) {
  SOFTWARE_INTERRUPT(core) = 1;
}

/* Interrupts are off: a pending one ends the sleep and no more. */
static void nap(uint32_t core) {
  __asm__ volatile("wfi" ::: "memory");
  SOFTWARE_INTERRUPT(core) = 0;
  __asm__ volatile("fence" ::: "memory");
}

/* Memory is not ready before the first wake. */
__attribute__((naked, used)) void second_start(void) {
  __asm__ volatile("csrsi mie, 8\n"
                   "1: wfi\n"
                   "csrr t0, mip\n"
                   "andi t0, t0, 8\n"
                   "beqz t0, 1b\n"
                   ".option push\n"
                   ".option norelax\n"
                   "la gp, __global_pointer$\n"
                   ".option pop\n"
                   "csrr a0, mhartid\n"
                   "la sp, %0\n"
                   "li t0, %1\n"
                   "mul t0, t0, a0\n"
                   "add sp, sp, t0\n"
                   "tail %2\n" ::"i"(stacks),
                   "i"(STACK_WORDS * 4), "i"(serve));
}

static void start_others(void) {
  __asm__ volatile("csrsi mie, 8");
  for (uint32_t k = 1; k < cores.count; k++)
    wake(k);
}
#else
#define INITSVTOR1 REGISTER(0x50021114)
#define CPUWAIT    REGISTER(0x50021118)

static void wake(uint32_t core) {
  (void)core;
  __asm__ volatile("dsb\n sev" ::: "memory");
}

static void nap(uint32_t core) {
  (void)core;
  __asm__ volatile("wfe" ::: "memory");
}

__attribute__((noreturn)) static void second_reset(void) {
  serve(1);
}

typedef void handler(void);

__attribute__((aligned(512), used)) static const struct {
  uint32_t *stack;
  handler *exceptions[15];
} second_vectors = {&stacks[0][STACK_WORDS], {second_reset}};

static void start_others(void) {
  INITSVTOR1 = (uint32_t)(uintptr_t)&second_vectors;
  __asm__ volatile("dsb" ::: "memory");
  CPUWAIT = 0;
}
#endif

const ash_cores *cores_start(uint32_t count) {
  cores.count = count < CORES ? count : CORES;
  cores.wake = wake;
  cores.sleep = nap;
  __sync_synchronize();
  start_others();
  return &port;
}
