/* inflate.h - decompression of deflated data (RFC 1951). */
#ifndef ASH_CLI_INFLATE_H
#define ASH_CLI_INFLATE_H

#include <stdbool.h>
#include <stddef.h>

/* True if `in` is one complete deflate stream that gives exactly `out_count`
 * bytes. Reads and writes nothing outside the two ranges, whatever the input
 * says. */
bool inflate_exactly(void *out, size_t out_count, const void *in,
                     size_t in_count);

#endif
