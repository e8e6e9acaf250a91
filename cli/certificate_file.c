/* certificate_file.c - see certificate_file.h. Certificates may be larger than
 * the memory, so they are not kept there. */
#include "certificate_file.h"

#include <errno.h>
#include <string.h>

const char *certificate_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

bool certificate_open(certificate_file *c, const char *path) {
  *c = (certificate_file){.path = path};
  const int length = snprintf(c->part, sizeof c->part, "%s.part", path);
  if (length > 0 && (size_t)length < sizeof c->part)
    c->file = fopen(c->part, "wb");
  else
    errno = ENAMETOOLONG;
  if (!c->file)
    fprintf(stderr, "%s: the certificate cannot be written: %s\n", path,
            strerror(errno));
  return c->file != NULL;
}

bool certificate_write(void *user, const char *bytes, size_t count) {
  certificate_file *c = user;
  return fwrite(bytes, 1, count, c->file) == count;
}

bool certificate_close(certificate_file *c, bool whole) {
  const bool closed = fclose(c->file) == 0;
  if (whole && closed && rename(c->part, c->path) == 0)
    return true;
  if (whole)
    fprintf(stderr, "%s: the certificate cannot be written: %s\n", c->path,
            strerror(errno));
  (void)remove(c->part);
  return false;
}
