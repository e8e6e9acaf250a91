/* json.c - see json.h. */
#include "base/json.h"

#include <inttypes.h>
#include <math.h>

void ash_json_init(ash_json *j, ash_text *text) {
  *j = (ash_json){.text = text, .first = true};
}

static void new_line(ash_json *j) {
  ash_text_blank(j->text);
  for (uint32_t i = 0; i < j->text->indent; i++)
    ash_text_put(j->text, "  ", 2);
}

/* Of a sequence of at most three bytes: all control characters are. */
static uint32_t code_point(const unsigned char *p, size_t bytes) {
  uint32_t c = bytes == 1 ? p[0] : p[0] & (0x3fu >> (bytes - 1));
  for (size_t i = 1; i < bytes; i++)
    c = c << 6 | (p[i] & 0x3fu);
  return c;
}

static void put_quoted(ash_text *t, const char *value) {
  const unsigned char *p = (const unsigned char *)value;
  ash_text_put(t, "\"", 1);
  while (*p) {
    const size_t n = ash_utf8_bytes(p);
    if (*p == '"' || *p == '\\')
      ash_text_format(t, "\\%c", *p);
    else if (n == 0) /* not text: shown as a replacement character */
      ash_text_string(t, "\\ufffd");
    else if (ash_utf8_is_control(p, n))
      ash_text_format(t, "\\u%04x", (unsigned)code_point(p, n));
    else
      ash_text_put(t, (const char *)p, n);
    p += n ? n : 1;
  }
  ash_text_put(t, "\"", 1);
}

/* Comma, line and key: everything before a value. */
static void lead(ash_json *j, const char *key) {
  if (!j->first)
    ash_text_put(j->text, ",", 1);
  if (j->inlined && !j->first)
    ash_text_put(j->text, " ", 1);
  if (!j->inlined && j->text->indent)
    new_line(j);
  j->first = false;
  if (!key)
    return;
  put_quoted(j->text, key);
  ash_text_put(j->text, ": ", 2);
}

void ash_json_open(ash_json *j, const char *key, char bracket) {
  lead(j, key);
  ash_text_put(j->text, &bracket, 1);
  j->text->indent++;
  j->first = true;
}

void ash_json_open_inline(ash_json *j, const char *key, char bracket) {
  ash_json_open(j, key, bracket);
  j->inlined = true;
}

void ash_json_close(ash_json *j, char bracket) {
  j->text->indent--;
  if (!j->first && !j->inlined)
    new_line(j);
  ash_text_put(j->text, &bracket, 1);
  j->first = false;
  j->inlined = false;
  if (j->text->indent == 0)
    ash_text_blank(j->text);
}

void ash_json_string(ash_json *j, const char *key, const char *value) {
  if (!value) {
    ash_json_null(j, key);
    return;
  }
  lead(j, key);
  put_quoted(j->text, value);
}

void ash_json_int(ash_json *j, const char *key, int64_t value) {
  lead(j, key);
  ash_text_format(j->text, "%" PRId64, value);
}

void ash_json_uint(ash_json *j, const char *key, uint64_t value) {
  lead(j, key);
  ash_text_format(j->text, "%" PRIu64, value);
}

void ash_json_double(ash_json *j, const char *key, double value) {
  lead(j, key);
  if (isfinite(value))
    ash_text_double(j->text, value);
  else
    ash_text_string(j->text, "null");
}

void ash_json_float(ash_json *j, const char *key, float value) {
  lead(j, key);
  if (isfinite(value))
    ash_text_float(j->text, value);
  else
    ash_text_string(j->text, "null");
}

void ash_json_bool(ash_json *j, const char *key, bool value) {
  lead(j, key);
  ash_text_string(j->text, value ? "true" : "false");
}

void ash_json_null(ash_json *j, const char *key) {
  lead(j, key);
  ash_text_string(j->text, "null");
}
