/* semihost.c - Arm's semihosting interface, which RISC-V has taken over: an
 * operation and a block of arguments, then a breakpoint that the host
 * recognises. */
#include "semihost.h"

enum {
  SYS_OPEN = 0x01,
  SYS_WRITE0 = 0x04,
  SYS_READ = 0x06,
  SYS_GET_CMDLINE = 0x15,
  SYS_EXIT_EXTENDED = 0x20,
  OPEN_READ_BINARY = 1,
  STOPPED_BY_EXIT = 0x20026
};

/* Aligned so that the three instructions below are in one page. */
static __attribute__((noinline, aligned(64))) intptr_t call(intptr_t operation,
                                                            const void *block) {
#if defined(__arm__)
  register intptr_t r0 __asm__("r0") = operation;
  register const void *r1 __asm__("r1") = block;
  __asm__ volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
#else
  register intptr_t a0 __asm__("a0") = operation;
  register const void *a1 __asm__("a1") = block;
  /* Must be 32 bits wide, in one page. */
  __asm__ volatile(".option push\n"
                   ".option norvc\n"
                   "slli x0, x0, 0x1f\n"
                   "ebreak\n"
                   "srai x0, x0, 7\n"
                   ".option pop"
                   : "+r"(a0)
                   : "r"(a1)
                   : "memory");
  return a0;
#endif
}

static size_t length(const char *s) {
  size_t n = 0;
  while (s[n])
    n++;
  return n;
}

void sh_text(const char *text) {
  (void)call(SYS_WRITE0, text);
}

void sh_number(uint64_t number) {
  char digits[24];
  size_t at = sizeof digits;
  digits[--at] = '\0';
  do
    digits[--at] = (char)('0' + number % 10);
  while ((number /= 10) != 0);
  sh_text(digits + at);
}

void sh_exit(int code) {
  const intptr_t block[2] = {STOPPED_BY_EXIT, code};
  (void)call(SYS_EXIT_EXTENDED, block);
  for (;;) {
  }
}

void sh_argument(int k, char *to, size_t bytes) {
  static char line[512];
  const intptr_t block[2] = {(intptr_t)line, (intptr_t)sizeof line};
  const char *p = line;
  size_t n = 0;
  to[0] = '\0';
  if (call(SYS_GET_CMDLINE, block) != 0)
    return;
  while (k-- > 0) {
    while (*p && *p != ' ')
      p++;
    while (*p == ' ')
      p++;
  }
  while (p[n] && p[n] != ' ' && n + 1 < bytes) {
    to[n] = p[n];
    n++;
  }
  to[n] = '\0';
}

int sh_open(const char *path) {
  const intptr_t block[3] = {(intptr_t)path, OPEN_READ_BINARY,
                             (intptr_t)length(path)};
  return (int)call(SYS_OPEN, block);
}

size_t sh_read(int file, void *to, size_t bytes) {
  const intptr_t block[3] = {file, (intptr_t)to, (intptr_t)bytes};
  return bytes - (size_t)call(SYS_READ, block);
}
