/* json_out.h - the few JSON answers that the program writes itself (--json of
 * commands whose answer is no plan). Plans come from the library. */
#ifndef CLI_JSON_OUT_H
#define CLI_JSON_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A text in quotes; NULL is null. Bytes that are no UTF-8 go out as they are:
 * names come from model files, where the library has made them sound. */
void json_text(FILE *out, const char *text);
/* "key": value, with a comma before all but the first. */
void json_key(FILE *out, bool *first, const char *key);
void json_key_text(FILE *out, bool *first, const char *key, const char *text);
void json_key_uint(FILE *out, bool *first, const char *key, uint64_t value);
void json_key_bool(FILE *out, bool *first, const char *key, bool value);

#endif
