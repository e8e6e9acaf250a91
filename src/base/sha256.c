/* sha256.c - see sha256.h. */
#include "base/sha256.h"

#include <string.h>

static const uint32_t round_constant[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotr(uint32_t x, unsigned n) {
  return x >> n | x << (32 - n);
}

static void expand(uint32_t w[64], const uint8_t block[64]) {
  for (size_t i = 0; i < 16; i++)
    w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
           (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
  for (unsigned i = 16; i < 64; i++) {
    const uint32_t a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + w[i - 7] + (rotr(a, 7) ^ rotr(a, 18) ^ a >> 3) +
           (rotr(b, 17) ^ rotr(b, 19) ^ b >> 10);
  }
}

static void compress(uint32_t state[8], const uint8_t block[64]) {
  uint32_t w[64], s[8];
  expand(w, block);
  memcpy(s, state, sizeof s);
  for (unsigned i = 0; i < 64; i++) {
    const uint32_t e = s[4], a = s[0];
    const uint32_t t1 = s[7] + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) +
                        ((e & s[5]) ^ (~e & s[6])) + round_constant[i] + w[i];
    const uint32_t t2 = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) +
                        ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
    memmove(s + 1, s, 7 * sizeof *s);
    s[4] += t1;
    s[0] = t1 + t2;
  }
  for (unsigned i = 0; i < 8; i++)
    state[i] += s[i];
}

void ash_sha256_init(ash_sha256 *h) {
  static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372,
                                    0xa54ff53a, 0x510e527f, 0x9b05688c,
                                    0x1f83d9ab, 0x5be0cd19};
  memset(h, 0, sizeof *h);
  memcpy(h->state, start, sizeof start);
}

void ash_sha256_add(ash_sha256 *h, const void *bytes, size_t count) {
  const uint8_t *p = bytes;
  while (count) {
    const size_t used = (size_t)(h->bytes % 64);
    if (used == 0 && count >= 64) { /* whole blocks need no copy */
      compress(h->state, p);
      h->bytes += 64, p += 64, count -= 64;
      continue;
    }
    const size_t take = count < 64 - used ? count : 64 - used;
    memcpy(h->block + used, p, take);
    h->bytes += take, p += take, count -= take;
    if (used + take == 64)
      compress(h->state, h->block);
  }
}

void ash_sha256_end(ash_sha256 *h, uint8_t digest[32]) {
  static const uint8_t pad[64] = {0x80};
  const uint64_t bits = h->bytes * 8;
  const size_t used = (size_t)(h->bytes % 64);
  uint8_t length[8];
  ash_sha256_add(h, pad, used < 56 ? 56 - used : 120 - used);
  for (unsigned i = 0; i < 8; i++)
    length[i] = (uint8_t)(bits >> (56 - 8 * i));
  ash_sha256_add(h, length, sizeof length);
  for (unsigned i = 0; i < 32; i++)
    digest[i] = (uint8_t)(h->state[i / 4] >> (24 - 8 * (i % 4)));
}

void ash_sha256_hex(ash_sha256 *h, char *text, size_t digits) {
  uint8_t digest[32];
  ash_sha256_end(h, digest);
  for (size_t i = 0; i < digits && i < 64; i++)
    text[i] = "0123456789abcdef"[digest[i / 2] >> (i % 2 ? 0 : 4) & 15];
  text[digits < 64 ? digits : 64] = '\0';
}
