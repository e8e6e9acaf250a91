/* number.c - see number.h. */
#include "base/number.h"
#include "base/checked.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int digit_of(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return 99;
}

bool ash_number_u64(uint64_t *out, const char *text, const char **end) {
  const bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  const int radix = hex ? 16 : 10;
  const char *p = hex ? text + 2 : text;
  uint64_t value = 0;
  *out = 0;
  *end = text;
  if (digit_of(*p) >= radix)
    return false;
  for (; digit_of(*p) < radix; p++)
    if (!ash_mul_u64(&value, value, (uint64_t)radix) ||
        !ash_add_u64(&value, value, (uint64_t)digit_of(*p)))
      return false;
  *out = value;
  *end = p;
  return true;
}

bool ash_number_i64(int64_t *out, const char *text) {
  const bool negative = *text == '-';
  const char *digits = text + (*text == '-' || *text == '+'), *end;
  uint64_t size;
  *out = 0;
  if (!ash_number_u64(&size, digits, &end) || *end)
    return false;
  if (size > (uint64_t)INT64_MAX + negative)
    return false;
  *out = negative ? (int64_t)(0 - size) : (int64_t)size;
  return true;
}

static bool read_special(double *out, const char *text) {
  static const struct {
    const char *text;
    double value;
  } special[] = {{".inf", INFINITY},
                 {"+.inf", INFINITY},
                 {"-.inf", -INFINITY},
                 {".nan", NAN}};
  for (size_t i = 0; i < sizeof special / sizeof *special; i++) {
    if (strcmp(text, special[i].text) != 0)
      continue;
    *out = special[i].value;
    return true;
  }
  return false;
}

/* [sign] digits [. digits] [e [sign] digits], with a digit somewhere. */
static bool is_decimal(const char *p) {
  size_t digits = 0;
  p += *p == '-' || *p == '+';
  for (; isdigit((unsigned char)*p); p++)
    digits++;
  p += *p == '.';
  for (; isdigit((unsigned char)*p); p++)
    digits++;
  if (digits && (*p == 'e' || *p == 'E')) {
    p++;
    p += *p == '-' || *p == '+';
    digits = 0;
    for (; isdigit((unsigned char)*p); p++)
      digits++;
  }
  return digits && *p == '\0';
}

bool ash_number_double(double *out, const char *text) {
  char copy[128];
  const size_t count = strlen(text);
  *out = 0;
  if (read_special(out, text))
    return true;
  if (count >= sizeof copy || !is_decimal(text))
    return false;
  memcpy(copy, text, count + 1);
  char *end;
  *out = strtod(copy, &end);
  if (*end == '.') { /* the program has chosen a locale with a comma */
    *end = ',';
    *out = strtod(copy, &end);
  }
  return *end == '\0';
}
