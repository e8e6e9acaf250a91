/* embedded.h - files built into the program by tools/embed.c: an array of
 * these, ended by one whose name is NULL. */
#ifndef ASH_BASE_EMBEDDED_H
#define ASH_BASE_EMBEDDED_H

#include <stddef.h>

typedef struct ash_embedded {
  const char *name; /* of the file, without its folder */
  const char *text; /* also NUL-ended                  */
  size_t bytes;     /* without that NUL                */
} ash_embedded;

#endif
