/* board.c - the camera's program on a board: then how much RAM it took. */
#include "camera.h"
#include "model.h"
#include "semihost.h"
#include "start.h"

enum { PAINT = 0x5A5A5A5A, RAM_START = 0x20000000 };

static void say(const char *what, uint64_t bytes) {
  sh_text(what);
  sh_number(bytes);
  sh_text("\n");
}

/* Runs on a stack that is painted before; the bytes of it that changed. */
static __attribute__((noinline)) uint32_t watch_on_painted_stack(int *status) {
  uint32_t *const top = stack_pointer();
  for (volatile uint32_t *p = __stack_limit; p < top; p++)
    *p = PAINT;
  *status = watch();
  const volatile uint32_t *p = __stack_limit;
  while (p < top && *p == PAINT)
    p++;
  return (uint32_t)((uintptr_t)__stack_top - (uintptr_t)p);
}

int main(void) {
  int status = 0;
  const uint32_t stack = watch_on_painted_stack(&status);
  const uint32_t data = (uint32_t)((uintptr_t)__stack_limit - RAM_START);
  say("arena ", MODEL_ARENA_SRAM_SIZE);
  say("context ", sizeof(model_context));
  say("other ", data - MODEL_ARENA_SRAM_SIZE - sizeof(model_context));
  say("stack ", stack);
  return status;
}
