/* compare.c - see compare.h. */
#include "compare.h"

#include <math.h>
#include <string.h>

static float half_value(uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const float fraction = (float)(bits & 1023);
  const float sign = bits >> 15 ? -1.0f : 1.0f;
  if (exponent == 31)
    return bits & 1023 ? NAN : sign * INFINITY;
  if (exponent == 0)
    return sign * ldexpf(fraction, -24);
  return sign * ldexpf(fraction + 1024.0f, exponent - 25);
}

#define LOAD(T, data, index)                                                   \
  T value;                                                                     \
  memcpy(&value, (const T *)(data) + (index), sizeof value)

double element_value(ash_type type, const void *data, uint64_t index) {
  switch (type) {
  case ASH_INT8: {
    LOAD(int8_t, data, index);
    return value;
  }
  case ASH_BOOL:
  case ASH_UINT8: {
    LOAD(uint8_t, data, index);
    return value;
  }
  case ASH_INT16: {
    LOAD(int16_t, data, index);
    return value;
  }
  case ASH_UINT16: {
    LOAD(uint16_t, data, index);
    return value;
  }
  case ASH_INT32: {
    LOAD(int32_t, data, index);
    return value;
  }
  case ASH_UINT32: {
    LOAD(uint32_t, data, index);
    return value;
  }
  case ASH_INT64: {
    LOAD(int64_t, data, index);
    return (double)value;
  }
  case ASH_UINT64: {
    LOAD(uint64_t, data, index);
    return (double)value;
  }
  case ASH_FLOAT32: {
    LOAD(float, data, index);
    return (double)value;
  }
  case ASH_FLOAT64: {
    LOAD(double, data, index);
    return value;
  }
  case ASH_FLOAT16: {
    LOAD(uint16_t, data, index);
    return (double)half_value(value);
  }
  default:
    return 0;
  }
}

#define STORE(T, data, index, x)                                               \
  do {                                                                         \
    const T stored = (T)(x);                                                   \
    memcpy((T *)(data) + (index), &stored, sizeof stored);                     \
    if ((double)stored != (x))                                                 \
      return false;                                                            \
  } while (0)

static bool store_value(ash_type type, void *data, uint64_t i, double x) {
  const bool is_float = type == ASH_FLOAT32 || type == ASH_FLOAT64;
  if (!is_float && !(x >= -9.2e18 && x <= 9.2e18))
    return false;
  switch (type) {
  case ASH_INT8:
    STORE(int8_t, data, i, x);
    return true;
  case ASH_BOOL:
  case ASH_UINT8:
    STORE(uint8_t, data, i, x < 0 ? -1.0 : x);
    return x >= 0;
  case ASH_INT16:
    STORE(int16_t, data, i, x);
    return true;
  case ASH_INT32:
    STORE(int32_t, data, i, x);
    return true;
  case ASH_INT64:
    STORE(int64_t, data, i, x);
    return true;
  case ASH_FLOAT64:
    memcpy((double *)data + i, &x, sizeof x);
    return true;
  case ASH_FLOAT32: {
    const float f = (float)x;
    memcpy((float *)data + i, &f, sizeof f);
    return true;
  }
  default:
    return false;
  }
}

bool convert_elements(ash_type to_type, void *to, ash_type from_type,
                      const void *from, uint64_t count) {
  if (to_type == from_type) {
    memcpy(to, from, (size_t)(count * ash_type_bits(to_type) / 8));
    return true;
  }
  for (uint64_t i = 0; i < count; i++)
    if (!store_value(to_type, to, i, element_value(from_type, from, i)))
      return false;
  return true;
}

static bool is_float(ash_type type) {
  return type == ASH_FLOAT32 || type == ASH_FLOAT64 || type == ASH_FLOAT16;
}

static bool within(ash_type type, double got, double want, double tolerance,
                   double *difference) {
  *difference = 0;
  if (got == want || (isnan(got) && isnan(want)))
    return true;
  *difference = isnan(got) || isnan(want) ? INFINITY : fabs(got - want);
  if (!is_float(type))
    return tolerance >= 1 && *difference <= tolerance;
  return *difference <= tolerance * fmax(1.0, fabs(want));
}

void compare_arrays(comparison *c, ash_type type, const void *got,
                    const void *want, uint64_t count, double tolerance) {
  for (uint64_t i = 0; i < count; i++) {
    double difference;
    const double a = element_value(type, got, i);
    const double b = element_value(type, want, i);
    c->errors += !within(type, a, b, tolerance, &difference);
    c->max_difference = fmax(c->max_difference, difference);
  }
  c->count += count;
}
