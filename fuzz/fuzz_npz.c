/* fuzz_npz.c - any bytes as .npy or .npz. What is read must be writable, and
 * read back as it was. Needs cli/npz/npz.c, npz_write.c, npy.c, inflate.c and
 * crc32.c (target ashlar_cli). */
#include "npz/npz.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void compare(const npz_file *a, const npz_file *b) {
  if (a->count != b->count)
    abort();
  for (size_t i = 0; i < a->count; i++) {
    const npz_array *x = &a->arrays[i], *y = &b->arrays[i];
    if (x->type != y->type || x->rank != y->rank || x->bytes != y->bytes ||
        strcmp(x->name, y->name) != 0 ||
        memcmp(x->dims, y->dims, sizeof x->dims) != 0 ||
        memcmp(x->data, y->data, x->bytes) != 0)
      abort();
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
  npz_file one, two;
  void *written;
  size_t written_count;
  if (!npz_read(&one, bytes, count)) {
    if (!one.error[0])
      abort();
    return 0;
  }
  if (npz_write(&written, &written_count, one.arrays, one.count)) {
    if (!npz_read(&two, written, written_count))
      abort();
    compare(&one, &two);
    npz_drop(&two);
    free(written);
  }
  npz_drop(&one);
  return 0;
}
