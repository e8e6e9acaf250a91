/* firmware.c - the least that links for bare metal and uses the model. */
#include "digits.h"

static digits_context ctx;

int main(void);
void _start(void);

void *memcpy(void *to, const void *from, size_t count) {
  uint8_t *t = to;
  const uint8_t *f = from;
  while (count--)
    *t++ = *f++;
  return to;
}

void *memset(void *to, int value, size_t count) {
  uint8_t *t = to;
  while (count--)
    *t++ = (uint8_t)value;
  return to;
}

int main(void) {
  return digits_init(&ctx) || digits_run(&ctx);
}

void _start(void) {
  (void)main();
  for (;;)
    ;
}
