/* npy.h - one array as NumPy writes it; used by npz.c. */
#ifndef ASH_CLI_NPY_H
#define ASH_CLI_NPY_H

#include "npz/npz.h"

/* Fills all of `out` but its name; `error` has 200 bytes. */
bool npy_read(npz_array *out, const uint8_t *bytes, size_t count, char *error);

/* The header for an array. False if it cannot be written. */
enum { NPY_HEADER_MAX = 256 };
bool npy_header(char header[NPY_HEADER_MAX], size_t *count,
                const npz_array *array);

/* Copies elements, reversing the bytes of each if the file's order (big or
 * little) is not the machine's. */
void npy_copy(void *to, const void *from, size_t bytes, size_t element,
              bool big);

#endif
