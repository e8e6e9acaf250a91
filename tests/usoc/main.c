/* main.c - runs a module on the SoC of tests/tools/usoc.c: inputs and expected
 * outputs come from cases.h (CASES, and the arrays inputs and outputs); exits
 * with the number of bytes that differ, at most 80. */
#include "ash_dma_usoc.h"
#include "cases.h"
#include "digits.h"

static digits_context ctx;

/* The processor does not reach L3, so everything goes by DMA. */
static void move(void *to, const void *from, uint32_t bytes) {
  const ash_dma_job job = {to, from, bytes, 1, 1, 0, 0, 0, 0, 0};
  ash_dma_usoc.wait(0, ash_dma_usoc.start(0, &job, 0));
}

static int run_case(int i) {
  static uint8_t got[DIGITS_OUTPUT_0_BYTES];
  int wrong = 0;
  move(digits_input(&ctx, 0).data, inputs[i], DIGITS_INPUT_0_BYTES);
  if (digits_run(&ctx) != DIGITS_OK)
    return 1;
  move(got, digits_output(&ctx, 0).data, DIGITS_OUTPUT_0_BYTES);
  for (unsigned k = 0; k < DIGITS_OUTPUT_0_BYTES; k++)
    wrong += got[k] != outputs[i][k];
  return wrong;
}

static int run(void) {
  int wrong = 0;
  ctx.dma = &ash_dma_usoc;
  if (digits_init(&ctx) != DIGITS_OK)
    return 81;
#ifdef TOUCH_L3 /* what the model of the SoC must notice */
  return *(volatile uint8_t *)digits_input(&ctx, 0).data;
#endif
  for (int i = 0; i < CASES; i++)
    wrong += run_case(i);
  return wrong < 80 ? wrong : 80;
}

void *memset(void *to, int byte, size_t n) {
  uint8_t *d = to;
  while (n--)
    *d++ = (uint8_t)byte;
  return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t n) {
  uint8_t *d = to;
  const uint8_t *s = from;
  while (n--)
    *d++ = *s++;
  return to;
}

void start_c(void);
void start_c(void) {
  volatile uint32_t *control = (volatile uint32_t *)(uintptr_t)0x1A200000u;
  control[0] = (uint32_t)run();
  for (;;) {
  }
}

void _start(void);
__attribute__((naked, section(".init"))) void _start(void) {
  __asm__ volatile("la sp, _stack\n j start_c");
}
