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

enum { VERIFIED = 0, BROKEN = 1, USAGE = 64, MALFORMED = 65 };

/* A text, which is cut into words in place. */
typedef struct source {
  char *at; /* what was not read yet                                        */
  const char *name;
  char *word; /* the last one read                                          */
  char cut;   /* what followed it                                           */
  long line;
} source;

typedef struct chunk chunk;

typedef struct verify {
  jmp_buf out;
  chunk *chunks; /* all memory                                               */
  source certificate;
  char message[400]; /* what was verified, or where it breaks                */
} verify;

/* Each returns an exit code; v->message says the rest. */
int verify_packing(verify *v, source *problem_file, source *answer);
int verify_plan(verify *v, source *plan);

_Noreturn void broken(verify *v, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
_Noreturn void malformed(verify *v, const source *s, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Zeroed memory, freed at the end, or back to where v->chunks was; `more` moves
 * an array to a larger one. */
void *get(verify *v, size_t count, size_t size);
void release(verify *v, const chunk *mark);
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

/* A word up to one of `ends`, after what is skipped; false: it is empty. */
bool cut_word(source *s, const char *skip, const char *ends);
int64_t number_of(verify *v, const source *s, const char *text, int64_t least,
                  int64_t most);

/* Words of the certificate. */
bool next_word(verify *v);
bool is_word(const verify *v, const char *word);
void expect_word(verify *v, const char *word);
int64_t next_number(verify *v, int64_t least, int64_t most);

static inline int64_t larger(int64_t a, int64_t b) {
  return a > b ? a : b;
}
int by_first(const void *a, const void *b); /* members of type int64_t */

/* ---- packing ------------------------------------------------------------- */

typedef struct gap { /* [lower, upper): only bytes [lo, hi) are occupied */
  int64_t lower, upper, lo, hi;
} gap;

typedef struct buffer {
  const char *id;
  int64_t lower, upper, size, align;
  int64_t offset; /* FREE, or where it must lie                             */
  gap *gaps;
  size_t gap_count;
} buffer;

typedef struct problem {
  buffer *buffers;
  size_t count, capacity;
} problem;

#define FREE  INT64_MIN
#define LIMIT ((int64_t)1 << 61) /* sums of sizes stay below this */

problem read_csv(verify *v, source *s, bool is_answer);
/* What buffer b occupies at a time: bytes [lo, hi) of itself. */
bool occupies(const buffer *b, int64_t time, int64_t *lo, int64_t *hi);
/* Reads the evidence that nothing is lower than the bound. */
void check_bound(verify *v, const problem *p, int64_t bound);
void check_refutation(verify *v, const problem *p, int64_t capacity);

int64_t gcd(int64_t a, int64_t b);
int64_t round_up(int64_t at, int64_t align);

/* ---- plans --------------------------------------------------------------- */

typedef struct json json;
struct json {
  const char *key, *text; /* NULL: none                                     */
  int64_t number;
  bool is_number;
  json *first, *next; /* members of an object or a list                     */
};

json *read_json(verify *v, source *s);
const json *member(const json *j, const char *key);
const json *first_of(const json *j, const char *key); /* of a list          */
int64_t number_at(verify *v, const json *j, const char *key, int64_t least);
const char *text_at(const json *j, const char *key);
/* "order" of a certificate: no order of the plan's kind is better. */
void check_order(verify *v, const json *plan);

#endif
