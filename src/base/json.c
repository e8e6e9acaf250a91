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

/* Bytes of the well-formed UTF-8 sequence at `p`, 0 if there is none. */
static size_t utf8_bytes(const unsigned char *p) {
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

static void put_quoted(ash_text *t, const char *value) {
  const unsigned char *p = (const unsigned char *)value;
  ash_text_put(t, "\"", 1);
  while (*p) {
    const size_t n = utf8_bytes(p);
    if (*p == '"' || *p == '\\')
      ash_text_format(t, "\\%c", *p);
    else if (n == 0) /* not text: shown as a replacement character */
      ash_text_string(t, "\\ufffd");
    else if (*p < 0x20 || *p == 0x7f)
      ash_text_format(t, "\\u%04x", *p);
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
