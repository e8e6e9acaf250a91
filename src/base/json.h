/* json.h - append-only JSON on top of ash_text: two-space indentation, keys in
 * the order they are written, commas and nesting kept right by the writer.
 *
 *   ash_json_open(&j, NULL, '{');
 *   ash_json_string(&j, "model", name);
 *   ash_json_open(&j, "arenas", '[');
 *   ...
 *   ash_json_close(&j, ']');
 *   ash_json_close(&j, '}');
 *
 * `key` is NULL inside arrays and at the top. */
#ifndef ASH_BASE_JSON_H
#define ASH_BASE_JSON_H

#include "base/text.h"

typedef struct ash_json {
  ash_text *text;
  bool first;   /* nothing written yet in this container */
  bool inlined; /* the innermost container stays on one line */
} ash_json;

void ash_json_init(ash_json *j, ash_text *text);
void ash_json_open(ash_json *j, const char *key, char bracket);
/* A container written on one line; it must hold only plain values. */
void ash_json_open_inline(ash_json *j, const char *key, char bracket);
void ash_json_close(ash_json *j, char bracket);
void ash_json_string(ash_json *j, const char *key, const char *value);
void ash_json_int(ash_json *j, const char *key, int64_t value);
void ash_json_uint(ash_json *j, const char *key, uint64_t value);
void ash_json_double(ash_json *j, const char *key, double value);
void ash_json_float(ash_json *j, const char *key, float value);
void ash_json_bool(ash_json *j, const char *key, bool value);
void ash_json_null(ash_json *j, const char *key);

#endif
