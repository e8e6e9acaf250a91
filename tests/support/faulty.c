/* faulty.c - see faulty.h. */
#include "faulty.h"

#include <stdlib.h>

static void *resize(void *user, void *ptr, size_t old_bytes, size_t new_bytes) {
  faulty *f = user;
  if (new_bytes == 0) {
    f->live_bytes -= old_bytes;
    free(ptr);
    return NULL;
  }
  if (++f->calls == f->fail_at)
    return NULL;
  void *moved = realloc(ptr, new_bytes);
  if (moved)
    f->live_bytes += new_bytes - old_bytes;
  return moved;
}

ash_allocator faulty_allocator(faulty *f) {
  return (ash_allocator){.resize = resize, .user = f};
}
