/* start_riscv.c - RISC-V in machine mode: stack, FPU, traps, and `minstret`,
 * which counts instructions. */
#include "counter.h"
#include "semihost.h"
#include "start.h"

/* A trap ends the program with 64 + its cause. */
__attribute__((used, aligned(4))) static void trap(void) {
  uintptr_t cause;
  __asm__ volatile("csrr %0, mcause" : "=r"(cause));
  sh_text("trap\n");
  sh_exit((int)(64 + (cause & 63)));
}

__attribute__((used)) void start_riscv(void) {
  start_program();
}

/* What all harts but the first do, if the program has nothing for them
 * (cores.c). */
__attribute__((naked, weak, used)) void second_start(void) {
  __asm__ volatile("1: wfi\n"
                   "j 1b\n");
}

/* mstatus 0x6600: floating point and vectors are on. */
__attribute__((naked, section(".vectors"), used)) void _start(void) {
  __asm__ volatile("li t0, 0x6600\n"
                   "csrs mstatus, t0\n"
                   "csrr t0, mhartid\n"
                   "bnez t0, 1f\n"
                   ".option push\n"
                   ".option norelax\n"
                   "la gp, __global_pointer$\n"
                   ".option pop\n"
                   "la sp, __stack_top\n"
                   "la t0, %0\n"
                   "csrw mtvec, t0\n"
                   "j start_riscv\n"
                   "1: tail second_start\n" ::"i"(trap));
}

static uint64_t start;

static uint64_t instructions(void) {
#if __riscv_xlen == 64
  uint64_t n;
  __asm__ volatile("csrr %0, minstret" : "=r"(n));
  return n;
#else
  uint32_t low, high, again;
  do {
    __asm__ volatile("csrr %0, minstreth" : "=r"(high));
    __asm__ volatile("csrr %0, minstret" : "=r"(low));
    __asm__ volatile("csrr %0, minstreth" : "=r"(again));
  } while (high != again);
  return (uint64_t)high << 32 | low;
#endif
}

void counter_start(void) {
  start = instructions();
}

uint64_t counter_read(void) {
  return instructions() - start;
}

void counter_stop(void) {}
