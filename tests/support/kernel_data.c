/* kernel_data.c - see kernel_data.h. */
#include "kernel_data.h"

#include <math.h>

ash_rng kernel_rng;

/* ---- random values ------------------------------------------------------ */

int32_t random_below(int32_t n) {
  return (int32_t)ash_rng_below(&kernel_rng, (uint64_t)n);
}

int32_t random_between(int32_t low, int32_t high) {
  return low + random_below(high - low + 1);
}

int8_t random_s8(void) {
  static const int8_t extreme[] = {-128, 127, -1, 0, 1};
  return (int8_t)(random_below(4) ? random_between(-128, 127)
                                  : extreme[random_below(5)]);
}

void fill_s8(int8_t *to, int32_t count) {
  for (int32_t i = 0; i < count; i++)
    to[i] = random_s8();
}

float random_f32(void) {
  return (float)random_between(-4000, 4000) / (float)(1 << random_below(12));
}

void fill_f32(float *to, int32_t count) {
  for (int32_t i = 0; i < count; i++)
    to[i] = random_f32();
}

void fill_range(int32_t *low, int32_t *high) {
  *low = random_below(2) ? -128 : random_between(-128, 0);
  *high = random_below(2) ? 127 : random_between(*low, 127);
}

/* ---- the plain arithmetic ----------------------------------------------- */

static int32_t plain_high_mul(int32_t a, int32_t b) {
  const int64_t p = (int64_t)a * b;
  const int64_t nudge = p >= 0 ? 1 << 30 : 1 - (1 << 30);
  return (int32_t)((p + nudge) / ((int64_t)1 << 31));
}

int32_t plain_rescale(int32_t x, int32_t m, int32_t e) {
  const int32_t up = e > 0 ? e : 0;
  const int32_t y = plain_high_mul((int32_t)((uint32_t)x << up), m);
  return e > 0 ? y : (int32_t)round(ldexp((double)y, e));
}

int8_t plain_clamp(int64_t x, int32_t low, int32_t high) {
  return (int8_t)(x < low ? low : x > high ? high : x);
}
