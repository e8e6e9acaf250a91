/* compare.c - see compare.h. Integers stay integers all the way: a double
 * cannot tell large 64-bit values apart. */
#include "run/compare.h"

#include <math.h>
#include <string.h>

/* Of an integer type: `bits` sign-extended to 64. */
typedef struct number {
  bool is_float, is_signed;
  double real;
  uint64_t bits;
} number;

static bool is_float(ash_type type) {
  return type == ASH_FLOAT32 || type == ASH_FLOAT64 || type == ASH_FLOAT16 ||
         type == ASH_BFLOAT16;
}

static bool is_signed(ash_type type) {
  return type == ASH_INT8 || type == ASH_INT16 || type == ASH_INT32 ||
         type == ASH_INT64;
}

static bool is_integer(ash_type type) { /* an integer of whole bytes */
  return is_signed(type) || type == ASH_BOOL || type == ASH_UINT8 ||
         type == ASH_UINT16 || type == ASH_UINT32 || type == ASH_UINT64;
}

/* ---- loading ------------------------------------------------------------- */

static double half_value(uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const double fraction = bits & 1023;
  const double sign = bits >> 15 ? -1 : 1;
  if (exponent == 31)
    return bits & 1023 ? (double)NAN : sign * (double)INFINITY;
  if (exponent == 0)
    return sign * ldexp(fraction, -24);
  return sign * ldexp(fraction + 1024, exponent - 25);
}

static double load_float(ash_type type, const uint8_t *p) {
  uint16_t half;
  float single;
  double value;
  if (type == ASH_FLOAT16) {
    memcpy(&half, p, sizeof half);
    return half_value(half);
  }
  if (type == ASH_BFLOAT16) { /* the upper half of a float */
    memcpy(&half, p, sizeof half);
    const uint32_t bits = (uint32_t)half << 16;
    memcpy(&single, &bits, sizeof single);
    return (double)single;
  }
  if (type == ASH_FLOAT32) {
    memcpy(&single, p, sizeof single);
    return (double)single;
  }
  memcpy(&value, p, sizeof value);
  return value;
}

static uint64_t load_bits(const uint8_t *p, uint32_t bytes) {
  uint16_t u16;
  uint32_t u32;
  uint64_t u64;
  switch (bytes) {
  case 1:
    return *p;
  case 2:
    memcpy(&u16, p, sizeof u16);
    return u16;
  case 4:
    memcpy(&u32, p, sizeof u32);
    return u32;
  default:
    memcpy(&u64, p, sizeof u64);
    return u64;
  }
}

/* Data may lie at any address. Types without an element of their own (int4)
 * read as zero. */
static number load(ash_type type, const void *data, uint64_t index) {
  const uint32_t bytes = ash_type_bits(type) / 8;
  const uint8_t *p = (const uint8_t *)data + index * bytes;
  number n = {.is_float = is_float(type), .is_signed = is_signed(type)};
  if (n.is_float)
    n.real = load_float(type, p);
  else if (is_integer(type))
    n.bits = load_bits(p, bytes);
  if (n.is_signed) {
    const uint64_t sign = (uint64_t)1 << (8 * bytes - 1);
    n.bits = (n.bits ^ sign) - sign;
  }
  return n;
}

static bool is_negative(number n) {
  return n.is_signed && n.bits >> 63;
}

static double real_of(number n) {
  if (n.is_float)
    return n.real;
  return is_negative(n) ? -(double)(0 - n.bits) : (double)n.bits;
}

double element_value(ash_type type, const void *data, uint64_t index) {
  return real_of(load(type, data, index));
}

/* ---- conversion ---------------------------------------------------------- */

/* A real without fraction as an integer; false if it has one, or beyond 64
 * bits. */
static bool make_integer(number *n) {
  const double two63 = 9223372036854775808.0, x = n->real;
  if (!n->is_float)
    return true;
  if (!(x >= -two63 && x < 2 * two63) || x != floor(x))
    return false;
  *n = (number){.is_signed = x < 0,
                .bits = x < 0 ? (uint64_t)(int64_t)x : (uint64_t)x};
  return true;
}

static bool fits(number n, ash_type type, uint32_t bits) {
  const uint32_t used = is_signed(type) ? bits - 1 : bits;
  if (is_negative(n))
    return is_signed(type) && ~n.bits >> (bits - 1) == 0;
  return used == 64 || n.bits >> used == 0;
}

static bool store_integer(ash_type type, uint8_t *p, number n) {
  const uint32_t bits = ash_type_bits(type);
  if (!make_integer(&n) || !fits(n, type, bits))
    return false;
  const uint8_t u8 = (uint8_t)n.bits;
  const uint16_t u16 = (uint16_t)n.bits;
  const uint32_t u32 = (uint32_t)n.bits;
  const void *const from[] = {&u8, &u16, &u32, &n.bits};
  memcpy(p,
         from[bits == 8    ? 0
              : bits == 16 ? 1
              : bits == 32 ? 2
                           : 3],
         bits / 8);
  return true;
}

/* To the nearest, ties to even. */
static void store_brain(uint8_t *p, float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  bits += isnan(x) ? 0 : 0x7fff + (bits >> 16 & 1);
  const uint16_t half = (uint16_t)(bits >> 16 | (isnan(x) ? 0x40u : 0u));
  memcpy(p, &half, sizeof half);
}

static bool store(ash_type type, void *data, uint64_t index, number n) {
  uint8_t *p = (uint8_t *)data + index * (ash_type_bits(type) / 8);
  const double x = real_of(n);
  const float single = (float)x;
  if (is_integer(type))
    return store_integer(type, p, n);
  if (type == ASH_FLOAT32)
    memcpy(p, &single, sizeof single);
  else if (type == ASH_FLOAT64)
    memcpy(p, &x, sizeof x);
  else if (type == ASH_BFLOAT16)
    store_brain(p, single);
  return type == ASH_FLOAT32 || type == ASH_FLOAT64 || type == ASH_BFLOAT16;
}

bool convert_elements(ash_type to_type, void *to, ash_type from_type,
                      const void *from, uint64_t count) {
  if (to_type == from_type) {
    memcpy(to, from, (size_t)(count * ash_type_bits(to_type) / 8));
    return true;
  }
  for (uint64_t i = 0; i < count; i++)
    if (!store(to_type, to, i, load(from_type, from, i)))
      return false;
  return true;
}

/* ---- comparison ---------------------------------------------------------- */

static bool integers_within(number got, number want, double tolerance,
                            double *difference) {
  const bool less = got.is_signed ? (int64_t)got.bits < (int64_t)want.bits
                                  : got.bits < want.bits;
  const uint64_t apart = less ? want.bits - got.bits : got.bits - want.bits;
  *difference = (double)apart;
  return apart == 0 || (tolerance >= 1 && *difference <= tolerance);
}

/* An infinite difference is never small enough, although an infinite `want`
 * would make the limit infinite, too. */
static bool float_within(double got, double want, double tolerance,
                         double *difference) {
  *difference = 0;
  if (got == want || (isnan(got) && isnan(want)))
    return true;
  *difference = isnan(got) || isnan(want) ? (double)INFINITY : fabs(got - want);
  return isfinite(*difference) &&
         *difference <= tolerance * fmax(1.0, fabs(want));
}

void compare_arrays(comparison *c, ash_type type, const void *got,
                    const void *want, uint64_t count, double tolerance) {
  for (uint64_t i = 0; i < count; i++) {
    double difference;
    const number a = load(type, got, i), b = load(type, want, i);
    const bool good = a.is_float
                          ? float_within(a.real, b.real, tolerance, &difference)
                          : integers_within(a, b, tolerance, &difference);
    c->errors += !good;
    c->max_difference = fmax(c->max_difference, difference);
  }
  c->count += count;
}
