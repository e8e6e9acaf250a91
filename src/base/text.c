/* text.c - see text.h. */
#include "base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ash_text_init(ash_text *t, const ash_allocator *mem) {
  *t = (ash_text){.mem = mem};
}

void ash_text_drop(ash_text *t) {
  if (t->bytes)
    (void)t->mem->resize(t->mem->user, t->bytes, t->capacity, 0);
  *t = (ash_text){.mem = t->mem};
}

static bool reserve(ash_text *t, size_t more) {
  if (t->failed)
    return false;
  if (more <= t->capacity - t->count)
    return true;
  size_t capacity = t->capacity ? t->capacity : 1024;
  while (capacity - t->count < more && capacity < SIZE_MAX / 2)
    capacity *= 2;
  char *grown = t->mem->resize(t->mem->user, t->bytes, t->capacity, capacity);
  if (!grown) {
    t->failed = true;
    return false;
  }
  t->bytes = grown;
  t->capacity = capacity;
  return true;
}

void ash_text_put(ash_text *t, const char *bytes, size_t count) {
  if (!count || !reserve(t, count))
    return;
  memcpy(t->bytes + t->count, bytes, count);
  t->count += count;
}

void ash_text_string(ash_text *t, const char *text) {
  t->failed |= text == NULL;
  ash_text_put(t, text, text ? strlen(text) : 0);
}

static void put_format(ash_text *t, const char *fmt, va_list ap)
    ASH_PRINTF(2, 0);
static void put_format(ash_text *t, const char *fmt, va_list ap) {
  va_list again;
  va_copy(again, ap);
  const int need = vsnprintf(NULL, 0, fmt, again);
  va_end(again);
  if (need < 0 || !reserve(t, (size_t)need + 1)) {
    t->failed = true;
    return;
  }
  (void)vsnprintf(t->bytes + t->count, (size_t)need + 1, fmt, ap);
  t->count += (size_t)need;
}

void ash_text_format(ash_text *t, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  put_format(t, fmt, ap);
  va_end(ap);
}

void ash_text_line(ash_text *t, const char *fmt, ...) {
  for (uint32_t i = 0; i < t->indent; i++)
    ash_text_put(t, "  ", 2);
  va_list ap;
  va_start(ap, fmt);
  put_format(t, fmt, ap);
  va_end(ap);
  ash_text_put(t, "\n", 1);
}

void ash_text_blank(ash_text *t) {
  ash_text_put(t, "\n", 1);
}

ash_status ash_text_check(ash_ctx *ctx, const ash_text *t) {
  return t->failed ? ash_nomem(ctx) : ASH_OK;
}

/* The decimal point is the locale's; ours is always a dot. */
static void put_number(ash_text *t, char *digits) {
  bool integral = true;
  for (char *p = digits; *p; p++) {
    if (*p == ',')
      *p = '.';
    if (*p == '.' || *p == 'e')
      integral = false;
  }
  ash_text_string(t, digits);
  if (integral)
    ash_text_string(t, ".0");
}

static bool put_special(ash_text *t, double value) {
  if (isfinite(value))
    return false;
  ash_text_string(t, isnan(value) ? "NAN"
                     : value < 0  ? "-INFINITY"
                                  : "INFINITY");
  return true;
}

void ash_text_float(ash_text *t, float value) {
  char digits[40];
  if (put_special(t, value))
    return;
  for (int precision = 6; precision <= 9; precision++) {
    (void)snprintf(digits, sizeof digits, "%.*g", precision, (double)value);
    if (strtof(digits, NULL) == value)
      break;
  }
  put_number(t, digits);
}

void ash_text_double(ash_text *t, double value) {
  char digits[40];
  if (put_special(t, value))
    return;
  for (int precision = 6; precision <= 17; precision++) {
    (void)snprintf(digits, sizeof digits, "%.*g", precision, value);
    if (strtod(digits, NULL) == value)
      break;
  }
  put_number(t, digits);
}

/* ---- characters -----------------------------------------------------------
 */

bool ash_text_is_identifier(const char *text) {
  for (const char *c = text; *c; c++) {
    const bool digit = *c >= '0' && *c <= '9';
    if (!(*c >= 'a' && *c <= 'z') && !(*c >= 'A' && *c <= 'Z') && *c != '_' &&
        (!digit || c == text))
      return false;
  }
  return *text != '\0';
}

size_t ash_utf8_bytes(const unsigned char *p) {
  static const struct {
    unsigned char low, high, second_low, second_high, more;
  } form[] = {{0x00, 0x7f, 0x00, 0x00, 0}, {0xc2, 0xdf, 0x80, 0xbf, 1},
              {0xe0, 0xe0, 0xa0, 0xbf, 2}, {0xe1, 0xec, 0x80, 0xbf, 2},
              {0xed, 0xed, 0x80, 0x9f, 2}, {0xee, 0xef, 0x80, 0xbf, 2},
              {0xf0, 0xf0, 0x90, 0xbf, 3}, {0xf1, 0xf3, 0x80, 0xbf, 3},
              {0xf4, 0xf4, 0x80, 0x8f, 3}};
  for (size_t i = 0; i < ASH_COUNT_OF(form); i++) {
    if (p[0] < form[i].low || p[0] > form[i].high)
      continue;
    if (form[i].more &&
        (p[1] < form[i].second_low || p[1] > form[i].second_high))
      return 0;
    for (size_t k = 2; k <= form[i].more; k++)
      if ((p[k] & 0xc0) != 0x80)
        return 0;
    return form[i].more + 1u;
  }
  return 0;
}

bool ash_utf8_is_control(const unsigned char *p, size_t bytes) {
  if (bytes == 1)
    return p[0] < 0x20 || p[0] == 0x7f;
  if (bytes == 2) /* C1, U+061C */
    return (p[0] == 0xc2 && p[1] < 0xa0) || (p[0] == 0xd8 && p[1] == 0x9c);
  if (bytes != 3 || p[0] != 0xe2)
    return false;
  if (p[1] == 0x80) /* U+200E, U+200F, U+2028 to U+202E */
    return p[2] == 0x8e || p[2] == 0x8f || (p[2] >= 0xa8 && p[2] <= 0xae);
  return p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9; /* U+2066 to U+2069 */
}

void ash_text_clean(char *text, const char *kept) {
  unsigned char *to = (unsigned char *)text;
  for (const unsigned char *p = to; *p;) {
    const size_t n = ash_utf8_bytes(p);
    const bool stays = n == 1 && strchr(kept, *p) != NULL;
    if (n == 0 || (ash_utf8_is_control(p, n) && !stays))
      *to++ = '?';
    else
      for (size_t i = 0; i < n; i++)
        *to++ = p[i];
    p += n ? n : 1;
  }
  *to = '\0';
}

/* ---- text that is handed on ---------------------------------------------- */

enum { PIECE_MOST = 128 };

void ash_stream_init(ash_stream *s, ash_stream_write *write, void *user) {
  *s = (ash_stream){.write = write, .user = user};
}

void ash_stream_flush(ash_stream *s) {
  if (s->count && !s->failed)
    s->failed = !s->write(s->user, s->bytes, s->count);
  s->count = 0;
}

void ash_stream_put(ash_stream *s, const char *fmt, ...) {
  va_list args;
  if (s->count + PIECE_MOST > sizeof s->bytes)
    ash_stream_flush(s);
  va_start(args, fmt);
  const int length = vsnprintf(s->bytes + s->count, PIECE_MOST, fmt, args);
  va_end(args);
  ASH_ASSERT(0 <= length && length < PIECE_MOST);
  s->count += (size_t)length;
}
