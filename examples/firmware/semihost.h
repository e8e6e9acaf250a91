/* semihost.h - the host's services for a program in an emulator or under a
 * debugger: text, files, exit code. A product has none of this. */
#ifndef SEMIHOST_H
#define SEMIHOST_H

#include <stddef.h>
#include <stdint.h>

void sh_text(const char *text);
void sh_number(uint64_t number); /* decimal */
/* Does not return. */
void sh_exit(int code);

/* Argument k of the command line, 0: the program; `to` is left empty if there
 * is none. */
void sh_argument(int k, char *to, size_t bytes);

/* Files of the host. A negative handle: cannot be opened. */
int sh_open(const char *path);
/* Bytes really read. */
size_t sh_read(int file, void *to, size_t bytes);

#endif
