/* json_out.c - see json_out.h. */
#include "show/json_out.h"

#include <inttypes.h>

void json_text(FILE *out, const char *text) {
  if (!text) {
    (void)fputs("null", out);
    return;
  }
  (void)fputc('"', out);
  for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
    if (*p == '"' || *p == '\\')
      fprintf(out, "\\%c", *p);
    else if (*p < 0x20 || *p == 0x7f)
      fprintf(out, "\\u%04x", *p);
    else
      (void)fputc(*p, out);
  }
  (void)fputc('"', out);
}

void json_key(FILE *out, bool *first, const char *key) {
  if (!*first)
    (void)fputs(", ", out);
  *first = false;
  json_text(out, key);
  (void)fputs(": ", out);
}

void json_key_text(FILE *out, bool *first, const char *key, const char *text) {
  json_key(out, first, key);
  json_text(out, text);
}

void json_key_uint(FILE *out, bool *first, const char *key, uint64_t value) {
  json_key(out, first, key);
  fprintf(out, "%" PRIu64, value);
}

void json_key_bool(FILE *out, bool *first, const char *key, bool value) {
  json_key(out, first, key);
  (void)fputs(value ? "true" : "false", out);
}
