/* npz.h - NumPy's files: one array (.npy) or several (.npz, a zip file of
 * .npy), in and out. Test vectors come this way.
 *
 * Reading takes nothing on trust: every size is checked against the bytes that
 * are there, checksums are verified, and a file may not unfold to more than
 * NPZ_BYTES_MAX. */
#ifndef ASH_CLI_NPZ_H
#define ASH_CLI_NPZ_H

#include "ashlar/graph.h"

enum { NPZ_RANK_MAX = 8, NPZ_ARRAYS_MAX = 4096 };
#define NPZ_BYTES_MAX ((uint64_t)1 << 30)

/* Always C order (the last dimension varies fastest) and the machine's own
 * byte order, whatever the file had. */
typedef struct npz_array {
  char *name;    /* without .npy; "" in a bare .npy file */
  ash_type type; /* bool, (u)int8..64, float16/32/64     */
  uint32_t rank; /* 0: one value                         */
  uint64_t dims[NPZ_RANK_MAX];
  void *data;
  size_t bytes;
} npz_array;

typedef struct npz_file {
  npz_array *arrays;
  size_t count;
  char error[200]; /* what is wrong, after a failure */
} npz_file;

/* Both forms, told apart by their first bytes. After a failure the file is
 * empty but for `error`; npz_drop is harmless then. */
bool npz_read(npz_file *out, const void *bytes, size_t count);
bool npz_load(npz_file *out, const char *path);
void npz_drop(npz_file *file);

/* The first array of that name, or NULL. */
const npz_array *npz_find(const npz_file *file, const char *name);

/* Bytes of one element, 0 for types NumPy files cannot hold. */
size_t npz_type_bytes(ash_type type);

/* An .npz, not compressed; the same arrays give the same bytes. The result of
 * npz_write is freed with free(). False: no memory, or a type, rank or size
 * that cannot be written. */
bool npz_write(void **out, size_t *out_count, const npz_array *arrays,
               size_t count);
/* `error` has 200 bytes. */
bool npz_save(const char *path, const npz_array *arrays, size_t count,
              char *error);

#endif
