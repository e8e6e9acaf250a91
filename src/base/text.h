/* text.h - append-only text with a sticky error: callers write a whole section
 * without looking at results and ask once, at the end. The text grows in
 * memory so that a file is written only when everything went well. */
#ifndef ASH_BASE_TEXT_H
#define ASH_BASE_TEXT_H

#include "base/ctx.h"

typedef struct ash_text {
  const ash_allocator *mem;
  char *bytes; /* not NUL-ended */
  size_t count, capacity;
  uint32_t indent; /* levels of two spaces put before each line */
  bool failed;
} ash_text;

void ash_text_init(ash_text *t, const ash_allocator *mem);
void ash_text_drop(ash_text *t);
void ash_text_put(ash_text *t, const char *bytes, size_t count);
/* NULL, a string for which there was no memory, is an error as well. */
void ash_text_string(ash_text *t, const char *text);
void ash_text_format(ash_text *t, const char *fmt, ...) ASH_PRINTF(2, 3);
/* Indentation, the formatted text, a newline. */
void ash_text_line(ash_text *t, const char *fmt, ...) ASH_PRINTF(2, 3);
void ash_text_blank(ash_text *t);
ash_status ash_text_check(ash_ctx *ctx, const ash_text *t);

/* A C identifier, in any locale. */
bool ash_text_is_identifier(const char *text);

/* Bytes of the well-formed UTF-8 sequence at `p`, 0 if there is none. */
size_t ash_utf8_bytes(const unsigned char *p);
/* Is that sequence a control character, or one that changes the direction of
 * the text around it? Neither may reach a terminal or a page. */
bool ash_utf8_is_control(const unsigned char *p, size_t bytes);
/* Puts a '?' in the place of each of these, and of bytes that are not UTF-8;
 * `kept`: characters that stay nevertheless. */
void ash_text_clean(char *text, const char *kept);

/* Shortest decimal that reads back as the same float or double, in a form C
 * accepts; independent of the locale. Not finite: INFINITY, -INFINITY, NAN. */
void ash_text_float(ash_text *t, float value);
void ash_text_double(ash_text *t, double value);

/* ---- text that is handed on ----------------------------------------------
 * Piece by piece, through a small buffer: it may be larger than the memory. */

/* Takes a piece; false: it cannot. */
typedef bool ash_stream_write(void *user, const char *bytes, size_t count);

typedef struct ash_stream {
  ash_stream_write *write;
  void *user;
  bool failed; /* the writer did not take everything */
  char bytes[1 << 14];
  size_t count;
} ash_stream;

void ash_stream_init(ash_stream *s, ash_stream_write *write, void *user);
/* A short piece. */
void ash_stream_put(ash_stream *s, const char *fmt, ...) ASH_PRINTF(2, 3);
void ash_stream_flush(ash_stream *s);

#endif
