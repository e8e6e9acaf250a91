/* ref_number.c - loading and storing elements of any type. */
#include "ref/ref_any.h"

#include <math.h>
#include <string.h>

static double half_value(uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const double fraction = bits & 1023;
  const double sign = bits >> 15 ? -1 : 1;
  if (exponent == 31)
    return bits & 1023 ? (double)NAN : sign * (double)INFINITY;
  return exponent == 0 ? sign * ldexp(fraction, -24)
                       : sign * ldexp(fraction + 1024, exponent - 25);
}

static uint32_t float_bits(double x) {
  const float f = (float)x;
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  return bits;
}

/* To the nearest, ties to even, on the value rounded to float first. */
static uint16_t half_bits(double x) {
  const double y = (double)(float)x;
  const uint16_t sign = (uint16_t)(float_bits(x) >> 16 & 0x8000);
  const double size = fabs(y);
  if (isnan(y))
    return (uint16_t)(sign | 0x7e00);
  if (size >= 65520)
    return (uint16_t)(sign | 0x7c00);
  int exponent;
  (void)frexp(size, &exponent); /* size = [0.5, 1) * 2^exponent */
  if (exponent < -13)
    exponent = -13;
  const double steps = nearbyint(ldexp(size, 11 - exponent));
  const uint32_t whole = (uint32_t)steps; /* up to 2048 */
  if (whole < 1024)
    return (uint16_t)(sign | whole);
  return (uint16_t)(sign | (((uint32_t)(exponent + 14) << 10) + whole - 1024));
}

static uint16_t brain_bits(double x) {
  const uint32_t bits = float_bits(x);
  if (isnan(x))
    return (uint16_t)(bits >> 16 | 0x40);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static double brain_value(uint16_t bits) {
  const uint32_t wide = (uint32_t)bits << 16;
  float f;
  memcpy(&f, &wide, sizeof f);
  return (double)f;
}

ash_number ash_ref_number_get(const ash_tensor *t, const void *data,
                              uint64_t at) {
  switch (t->type) {
  case ASH_FLOAT32:
    return (ash_number){.real = true, .x = (double)((const float *)data)[at]};
  case ASH_FLOAT64:
    return (ash_number){.real = true, .x = ((const double *)data)[at]};
  case ASH_FLOAT16:
    return (ash_number){.real = true,
                        .x = half_value(((const uint16_t *)data)[at])};
  case ASH_BFLOAT16:
    return (ash_number){.real = true,
                        .x = brain_value(((const uint16_t *)data)[at])};
  default:
    return (ash_number){.is_unsigned = t->type == ASH_UINT64,
                        .i = ash_ref_get(t, data, at)};
  }
}

static double real_of(ash_number n) {
  if (n.real)
    return n.x;
  return n.is_unsigned ? (double)(uint64_t)n.i : (double)n.i;
}

/* Beyond the type: 0, as nothing better is agreed upon. */
static int64_t integer_of(ash_type type, ash_number n) {
  static const double two63 = 9223372036854775808.0;
  if (!n.real)
    return n.i;
  if (type == ASH_UINT64 && n.x >= two63)
    return n.x < 2 * two63 ? (int64_t)(uint64_t)n.x : 0;
  return n.x >= -two63 && n.x < two63 ? (int64_t)n.x : 0;
}

void ash_ref_number_put(const ash_tensor *t, void *data, uint64_t at,
                        ash_number n) {
  switch (t->type) {
  case ASH_FLOAT32:
    ((float *)data)[at] = (float)real_of(n);
    break;
  case ASH_FLOAT64:
    ((double *)data)[at] = real_of(n);
    break;
  case ASH_FLOAT16:
    ((uint16_t *)data)[at] = half_bits(real_of(n));
    break;
  case ASH_BFLOAT16:
    ((uint16_t *)data)[at] = brain_bits(real_of(n));
    break;
  case ASH_BOOL:
    ((uint8_t *)data)[at] = n.real ? n.x != 0 : n.i != 0;
    break;
  default:
    ash_ref_put(t, data, at, integer_of(t->type, n));
  }
}

/* ---- saturation ---------------------------------------------------------- */

static int64_t least(ash_type type) {
  const bool natural =
      type == ASH_UINT8 || type == ASH_UINT16 || type == ASH_UINT32;
  return natural ? 0 : -((int64_t)1 << (ash_type_bits(type) - 2)) * 2;
}

static int64_t most(ash_type type) {
  const bool natural =
      type == ASH_UINT8 || type == ASH_UINT16 || type == ASH_UINT32;
  return natural ? ((int64_t)1 << ash_type_bits(type)) - 1 : -(least(type) + 1);
}

ash_number ash_ref_number_saturate(ash_type type, ash_number n) {
  if (type == ASH_BOOL || ash_type_is_float(type))
    return n;
  if (isnan(n.x) || n.x >= (double)most(type))
    return (ash_number){.i = most(type)};
  return (ash_number){.i = n.x <= (double)least(type) ? least(type)
                                                      : (int64_t)n.x};
}
