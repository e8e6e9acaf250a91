/* start.c - the tables of the linker script, then main. */
#include "start.h"

#include "semihost.h"

typedef struct range {
  const uint32_t *from; /* load address; null: zeros */
  uint32_t *to, *end;
} range;

/* Made by the board's linker script, and by the fragment that Ashlar writes. */
extern const range __ranges[], __ranges_end[];
extern const range model_ranges[], model_ranges_end[];

static void fill(const range *r, const range *end) {
  for (; r < end; r++) {
    const uint32_t *from = r->from;
    for (uint32_t *to = r->to; to < r->end; to++)
      *to = from ? *from++ : 0;
  }
}

void start_program(void) {
  fill(__ranges, __ranges_end);
  fill(model_ranges, model_ranges_end);
  sh_exit(main());
}
