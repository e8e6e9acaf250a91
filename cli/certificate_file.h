/* certificate_file.h - a file that is written piece by piece and appears under
 * its name only when it is whole. */
#ifndef CLI_CERTIFICATE_FILE_H
#define CLI_CERTIFICATE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct certificate_file {
  const char *path;
  char part[4096]; /* its name until then */
  FILE *file;
} certificate_file;

/* Without its folder. */
const char *certificate_name(const char *path);
/* False after saying on stderr what is wrong. */
bool certificate_open(certificate_file *c, const char *path);
/* An ash_place_write. */
bool certificate_write(void *user, const char *bytes, size_t count);
/* Gives the file its name, or removes it if it is not `whole`. */
bool certificate_close(certificate_file *c, bool whole);

#endif
