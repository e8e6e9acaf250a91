/* start.c - the tables of the linker script, then main. */
#include "start.h"

#include "semihost.h"

typedef struct range {
  uint32_t *from, *to, *end; /* load address; place; end of the place */
} range;

/* Made by the linker script. */
extern const range __copy_table[], __copy_table_end[];
extern const range __zero_table[], __zero_table_end[];

void start_program(void) {
  for (const range *r = __copy_table; r < __copy_table_end; r++)
    for (uint32_t *from = r->from, *to = r->to; to < r->end;)
      *to++ = *from++;
  for (const range *r = __zero_table; r < __zero_table_end; r++)
    for (uint32_t *to = r->to; to < r->end;)
      *to++ = 0;
  sh_exit(main());
}
