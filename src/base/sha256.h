/* sha256.h - FIPS 180-4 SHA-256. */
#ifndef ASH_BASE_SHA256_H
#define ASH_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

typedef struct ash_sha256 {
  uint32_t state[8];
  uint64_t bytes;
  uint8_t block[64];
} ash_sha256;

void ash_sha256_init(ash_sha256 *h);
void ash_sha256_add(ash_sha256 *h, const void *bytes, size_t count);
void ash_sha256_end(ash_sha256 *h, uint8_t digest[32]);

/* The first `digits` (at most 64) lower-case hex digits, NUL-ended. */
void ash_sha256_hex(ash_sha256 *h, char *text, size_t digits);

#endif
