/* prefix.c - the C identifier that names of a module start with. */
#include "ashlar/compile.h"

#include "base/ctx.h"

#include <ctype.h>
#include <string.h>

/* C tells apart the first 63 characters of a name; what follows the prefix
 * needs half of them. */
enum { PREFIX_MAX = 32 };

const char *ash_default_prefix(ash_ctx *ctx, const char *path) {
  if (!(ctx && path))
    return NULL;
  const char *slash = strrchr(path, '/');
  char *name = ash_zone_format(&ctx->keep, "m_%s", slash ? slash + 1 : path);
  if (!name)
    return "model";
  char *start = isalpha((unsigned char)name[2]) ? name + 2 : name;
  char *dot = strrchr(start, '.');
  if (dot && dot != start)
    *dot = '\0';
  for (char *p = start; *p; p++)
    *p = isalnum((unsigned char)*p) ? (char)tolower((unsigned char)*p) : '_';
  if (strlen(start) > PREFIX_MAX)
    start[PREFIX_MAX] = '\0';
  return start;
}
