/* start_arm.c - Cortex-M: vectors, FPU and Helium, faults, and SysTick as a
 * counter of instructions. */
#include "counter.h"
#include "semihost.h"
#include "start.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define CPACR             REGISTER(0xE000ED88)
#define CFSR              REGISTER(0xE000ED28)
#define SYST_CSR          REGISTER(0xE000E010)
#define SYST_RVR          REGISTER(0xE000E014)
#define SYST_CVR          REGISTER(0xE000E018)

enum {
  SYST_MASK = 0xFFFFFF,
  ENABLE_WITH_INTERRUPT = 7,
  /* QEMU's -icount shift: an instruction takes 2^7 ns. */
  INSTRUCTION_NS = 128,
  /* What each interrupt below adds. */
  TICK_INSTRUCTIONS = 5,
};

/* ---- start --------------------------------------------------------------- */

/* A fault ends the program with 64 + the number of the exception. */
static void fault(void) {
  uint32_t exception;
  __asm__ volatile("mrs %0, ipsr" : "=r"(exception));
  sh_text("fault, CFSR ");
  sh_number(CFSR);
  sh_text("\n");
  sh_exit((int)(64 + (exception & 0x1ff)));
}

__attribute__((used, noreturn)) void start_arm(void) {
  CPACR |= 0xFu << 20; /* coprocessors 10 and 11: FPU and Helium */
  __asm__ volatile("dsb\n isb" ::: "memory");
  start_program();
  for (;;) {
  }
}

__attribute__((naked, noreturn)) static void reset(void) {
  __asm__ volatile("ldr r0, =__stack_top\n mov sp, r0\n b start_arm");
}

/* ---- counting -------------------------------------------------------------
 * The timer has 24 bits, enough for five million instructions; an interrupt
 * counts how often it started again. */

volatile uint32_t counter_wraps;

__attribute__((naked)) static void tick(void) {
  __asm__ volatile(".syntax unified\n"
                   "ldr r0, =counter_wraps\n"
                   "ldr r1, [r0]\n"
                   "adds r1, #1\n"
                   "str r1, [r0]\n"
                   "bx lr\n");
}

void counter_start(void) {
  SYST_CSR = 0;
  SYST_RVR = SYST_MASK;
  SYST_CVR = 0;
  counter_wraps = 0;
  SYST_CSR = ENABLE_WITH_INTERRUPT;
}

uint64_t counter_read(void) {
  uint32_t wraps, now;
  do {
    wraps = counter_wraps;
    now = SYST_CVR;
  } while (wraps != counter_wraps);
  const uint64_t ticks = (uint64_t)wraps * (SYST_MASK + 1) + (SYST_MASK - now);
  const uint64_t scaled = (uint64_t)BOARD_MHZ * INSTRUCTION_NS;
  return (ticks * 1000 + scaled / 2) / scaled -
         (uint64_t)wraps * TICK_INSTRUCTIONS;
}

void counter_stop(void) {
  SYST_CSR = 0;
}

typedef void handler(void);

__attribute__((section(".vectors"), used)) static const struct {
  uint32_t *stack;
  handler *exceptions[15];
} vectors = {__stack_top,
             {reset, fault, fault, fault, fault, fault, fault, 0, 0, 0, fault,
              fault, 0, fault, tick}};
