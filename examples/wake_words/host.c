/* host.c - the camera's program on this machine: text goes to stdout. */
#include "camera.h"
#include "semihost.h"

#include <inttypes.h>
#include <stdio.h>

void sh_text(const char *text) {
  (void)fputs(text, stdout);
}

void sh_number(uint64_t number) {
  printf("%" PRIu64, number);
}

int main(void) {
  return watch();
}
