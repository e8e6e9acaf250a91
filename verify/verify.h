/* verify.h - ashlar-verify: checks answers with certificates. Written from
 * docs/certificates.md alone; nothing of the compiler is included here.
 *
 * Whatever is wrong ends the run through v->out: broken() where a claim does
 * not follow, malformed() where a file is not what it should be. */
#ifndef VERIFY_H
#define VERIFY_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { VERIFIED = 0, BROKEN = 1, USAGE = 64, MALFORMED = 65 };

/* A text that is read word by word. */
typedef struct source {
  FILE *file;
  const char *name;
  long line;
  char word[64]; /* the last one read                                        */
} source;

typedef struct chunk chunk;

typedef struct verify {
  jmp_buf out;
  chunk *chunks; /* all memory                                               */
  source certificate;
  char message[400]; /* what was verified, or where it breaks                */
} verify;

_Noreturn void broken(verify *v, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
_Noreturn void malformed(verify *v, const source *s, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Zeroed memory, freed at the end; `more` moves an array to a larger one. */
void *get(verify *v, size_t count, size_t size);
void *more(verify *v, void *old, size_t *capacity, size_t count, size_t size);

/* Numbers that change, and how they were. */
typedef struct trail {
  struct change {
    int64_t *where, old;
  } * items;
  size_t count, capacity;
} trail;
void set(verify *v, trail *t, int64_t *where, int64_t to);
void take_back(trail *t, size_t mark);

/* The next word; false: the end of the file. */
bool next_word(verify *v, source *s);
void expect_word(verify *v, source *s, const char *word);
bool is_word(const source *s, const char *word);
int64_t next_number(verify *v, source *s, int64_t least, int64_t most);
void read_head(verify *v, const char *kind); /* of a certificate */
char *read_whole(verify *v, source *s, size_t *count);

/* ---- packing ------------------------------------------------------------- */

typedef struct gap { /* [lower, upper): only bytes [lo, hi) are occupied */
  int64_t lower, upper, lo, hi;
} gap;

typedef struct buffer {
  const char *id;
  int64_t lower, upper, size, align;
  int64_t offset; /* FREE, or where it must lie                             */
  const gap *gaps;
  size_t gap_count;
} buffer;

typedef struct problem {
  buffer *buffers;
  size_t count;
} problem;

#define FREE  INT64_MIN
#define LIMIT ((int64_t)1 << 61) /* sums of sizes stay below this */

problem read_csv(verify *v, source *s, bool is_answer);

/* The height of an answer, after a look at everything that may be wrong. */
int64_t check_answer(verify *v, const problem *p, const problem *answer);

/* What buffer b occupies at a time: bytes [lo, hi) of itself. */
bool occupies(const buffer *b, int64_t time, int64_t *lo, int64_t *hi);

/* Reads the evidence that nothing is lower than the bound. */
void check_bound(verify *v, const problem *p, int64_t bound);
void check_plain(verify *v, const problem *p, int64_t bound);
void check_clauses(verify *v, const problem *p, int64_t bound);
/* "end", or "drop": the section says nothing. */
bool ends_section(const source *c);
/* "blocks" of a section: buffers, in the order of the file, none twice. */
uint32_t *read_blocks(verify *v, const problem *p, uint32_t *count);

static inline int64_t gcd(int64_t a, int64_t b) {
  while (b) {
    const int64_t r = a % b;
    a = b;
    b = r;
  }
  return a;
}
static inline int64_t round_up(int64_t at, int64_t align) {
  return (at + align - 1) / align * align;
}

/* ---- plans --------------------------------------------------------------- */

typedef struct json json;
struct json {
  const char *key, *text; /* NULL: none                                     */
  int64_t number;
  bool is_number;
  json *first, *next; /* members of an object or a list                     */
};

json *read_json(verify *v, source *s);
json *member(const json *j, const char *key);
int64_t number_at(verify *v, const json *j, const char *key, int64_t least);
const char *text_at(const json *j, const char *key);
void check_plan(verify *v, const json *plan);

/* ---- the whole ----------------------------------------------------------- */

/* Each returns an exit code; v->message says the rest. */
int verify_packing(verify *v, source *problem_file, source *answer);
int verify_plan(verify *v, source *plan);

#endif
