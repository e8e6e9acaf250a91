/* start.h - what start-up code of every processor does before main. */
#ifndef START_H
#define START_H

#include <stdint.h>

extern uint32_t __stack_limit[], __stack_top[];

static inline uint32_t *stack_pointer(void) {
  uint32_t *sp;
#if defined(__arm__)
  __asm__ volatile("mov %0, sp" : "=r"(sp));
#else
  __asm__ volatile("mv %0, sp" : "=r"(sp));
#endif
  return sp;
}

int main(void);

/* Copies initialised data, clears the rest, runs main, ends the program. */
void start_program(void);

#endif
