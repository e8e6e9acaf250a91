/* tflite_flex.c - options of custom operators: a FlexBuffers map with numbers.
 * Values lie in front of their types; offsets count backwards. Every read is
 * inside the bytes, or the map is as if it were empty. */
#include "read/tflite/tflite_detect.h"

#include <string.h>

enum {
  FLEX_INT = 1,
  FLEX_UINT = 2,
  FLEX_FLOAT = 3,
  FLEX_INDIRECT = 5, /* the same three again, behind an offset */
  FLEX_MAP = 9,
  FLEX_BOOL = 26
};

/* An unsigned number of `width` bytes; 0 outside. */
static uint64_t bits_at(const ash_flex *f, uint64_t at, uint32_t width) {
  uint64_t x = 0;
  if (at > f->count || width > f->count - at)
    return 0;
  for (uint32_t i = 0; i < width; i++)
    x |= (uint64_t)f->bytes[at + i] << (8 * i);
  return x;
}

/* What an offset at `at` points to; the end where it points outside. */
static uint64_t target(const ash_flex *f, uint64_t at, uint32_t width) {
  const uint64_t back = bits_at(f, at, width);
  return back == 0 || back > at ? f->count : at - back;
}

static double number_at(const ash_flex *f, uint64_t at, uint32_t type,
                        uint32_t width) {
  const uint64_t x = bits_at(f, at, width);
  const uint32_t low = (uint32_t)x;
  double wide;
  float narrow;
  memcpy(&wide, &x, sizeof wide);
  memcpy(&narrow, &low, sizeof narrow);
  if (type == FLEX_FLOAT)
    return width == 8 ? wide : width == 4 ? (double)narrow : 0;
  if (type != FLEX_INT || width > 7)
    return (double)x;
  const uint64_t half = (uint64_t)1 << (8 * width - 1);
  return x < half ? (double)x : (double)x - 2 * (double)half;
}

/* Value `i` of the map's vector at `map`. */
static bool value_of(const ash_flex *f, uint64_t map, uint64_t size,
                     uint32_t width, uint64_t i, double *out) {
  const uint32_t packed = (uint32_t)bits_at(f, map + size * width + i, 1);
  uint64_t at = map + i * width;
  uint32_t type = packed >> 2;
  if (type > FLEX_INDIRECT && type <= FLEX_INDIRECT + FLEX_FLOAT) {
    at = target(f, at, width);
    width = 1u << (packed & 3);
    type -= FLEX_INDIRECT;
  }
  *out = number_at(f, at, type == FLEX_BOOL ? FLEX_UINT : type, width);
  return type == FLEX_INT || type == FLEX_UINT || type == FLEX_FLOAT ||
         type == FLEX_BOOL;
}

static bool is_key(const ash_flex *f, uint64_t at, const char *name) {
  const uint64_t n = strlen(name) + 1;
  return at <= f->count && n <= f->count - at &&
         memcmp(f->bytes + at, name, n) == 0;
}

double ash_flex_number(const ash_flex *f, const char *name, double otherwise) {
  if (f->count < 3)
    return otherwise;
  const uint32_t root = f->bytes[f->count - 1];
  const uint32_t packed = f->bytes[f->count - 2];
  const uint32_t width = 1u << (packed & 3);
  if (packed >> 2 != FLEX_MAP || root == 0 || root > 8 || root + 2 > f->count)
    return otherwise;
  const uint64_t map = target(f, f->count - 2 - root, root);
  if (map >= f->count || map < 3 * (uint64_t)width)
    return otherwise;
  const uint64_t size = bits_at(f, map - width, width);
  const uint32_t key_width =
      (uint32_t)bits_at(f, map - 2 * (uint64_t)width, width);
  const uint64_t keys = target(f, map - 3 * (uint64_t)width, width);
  if (size > f->count || key_width == 0 || key_width > 8 || keys >= f->count)
    return otherwise;
  for (uint64_t i = 0; i < size; i++) {
    double x;
    if (is_key(f, target(f, keys + i * key_width, key_width), name) &&
        value_of(f, map, size, width, i, &x))
      return x;
  }
  return otherwise;
}
