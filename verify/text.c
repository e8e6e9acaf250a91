/* text.c - words, numbers, memory and the end of a run. */
#include "verify.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct chunk {
  chunk *next;
  max_align_t bytes[];
};

void *get(verify *v, size_t count, size_t size) {
  if (size && count > (SIZE_MAX - sizeof(chunk)) / size)
    malformed(v, NULL, "too large for the memory");
  chunk *c = calloc(1, sizeof *c + count * size);
  if (!c)
    malformed(v, NULL, "out of memory");
  c->next = v->chunks;
  v->chunks = c;
  return c->bytes;
}

void *more(verify *v, void *old, size_t *capacity, size_t count, size_t size) {
  if (count < *capacity)
    return old;
  const size_t larger = *capacity ? *capacity * 2 : 64;
  void *array = get(v, larger, size);
  if (*capacity)
    memcpy(array, old, *capacity * size);
  *capacity = larger;
  return array;
}

void set(verify *v, trail *t, int64_t *where, int64_t to) {
  t->items = more(v, t->items, &t->capacity, t->count, sizeof *t->items);
  t->items[t->count++] = (struct change){where, *where};
  *where = to;
}

void take_back(trail *t, size_t mark) {
  while (t->count > mark) {
    const struct change c = t->items[--t->count];
    *c.where = c.old;
  }
}

__attribute__((format(printf, 4, 0))) static _Noreturn void
end_run(verify *v, const source *s, int code, const char *fmt, va_list args) {
  const size_t most = sizeof v->message;
  int used = 0;
  if (s)
    used = snprintf(v->message, most, "%.60s:%ld: ", s->name, s->line);
  (void)vsnprintf(v->message + used, most - (size_t)used, fmt, args);
  longjmp(v->out, code);
}

void broken(verify *v, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  end_run(v, &v->certificate, BROKEN, fmt, args);
}

void malformed(verify *v, const source *s, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  end_run(v, s, MALFORMED, fmt, args);
}

bool next_word(verify *v, source *s) {
  size_t count = 0;
  int c = getc(s->file);
  for (; c != EOF && isspace(c); c = getc(s->file))
    s->line += c == '\n';
  for (; c != EOF && !isspace(c); c = getc(s->file)) {
    if (count + 1 == sizeof s->word)
      malformed(v, s, "a word of more than %zu characters", sizeof s->word - 1);
    s->word[count++] = (char)c;
  }
  if (c != EOF)
    (void)ungetc(c, s->file);
  s->word[count] = '\0';
  return count > 0;
}

bool is_word(const source *s, const char *word) {
  return strcmp(s->word, word) == 0;
}

void expect_word(verify *v, source *s, const char *word) {
  if (!next_word(v, s) || !is_word(s, word))
    malformed(v, s, "'%s' where '%s' was expected", s->word, word);
}

int64_t next_number(verify *v, source *s, int64_t least, int64_t most) {
  char *end = s->word;
  if (!next_word(v, s))
    malformed(v, s, "the file ends where a number was expected");
  const long long value = strtoll(s->word, &end, 10);
  if (*end || isspace((unsigned char)s->word[0]))
    malformed(v, s, "'%s' where a number was expected", s->word);
  if (value < least || value > most)
    malformed(v, s, "%lld is not between %lld and %lld", value,
              (long long)least, (long long)most);
  return value;
}

char *read_whole(verify *v, source *s, size_t *count) {
  size_t capacity = 0;
  char *bytes = NULL;
  *count = 0;
  for (int c = getc(s->file); c != EOF; c = getc(s->file)) {
    bytes = more(v, bytes, &capacity, *count, 1);
    bytes[(*count)++] = (char)c;
  }
  bytes = more(v, bytes, &capacity, *count, 1);
  bytes[*count] = '\0';
  return bytes;
}

static int finish(verify *v, int code) {
  while (v->chunks) {
    chunk *next = v->chunks->next;
    free(v->chunks);
    v->chunks = next;
  }
  return code;
}

/* ---- packing ------------------------------------------------------------- */

void read_head(verify *v, const char *kind) {
  source *c = &v->certificate;
  expect_word(v, c, "ashlar-certificate");
  (void)next_number(v, c, 1, 1);
  expect_word(v, c, kind);
}

static void check_claim(verify *v, const problem *p, const problem *answer) {
  static const char *const says[] = {
      "the answer is right, and nothing is lower than", "nothing is lower than",
      "nothing fits a capacity of"};
  static const char *const claims[] = {"optimal", "bound", "infeasible"};
  source *c = &v->certificate;
  const int64_t height = answer ? check_answer(v, p, answer) : -1;
  read_head(v, "packing");
  expect_word(v, c, "claim");
  (void)next_word(v, c);
  int kind = 0;
  while (kind < 3 && !is_word(c, claims[kind]))
    kind++;
  if (kind == 3)
    malformed(v, c, "'%s' is not a claim", c->word);
  const int64_t value = next_number(v, c, 0, LIMIT);
  if ((kind == 0 && height != value) ||
      (kind == 2 && answer && height <= value))
    broken(v, "claims %lld, but the answer's height is %lld", (long long)value,
           (long long)height);
  check_bound(v, p, kind == 2 ? value + 1 : value);
  (void)snprintf(v->message, sizeof v->message, "%s %lld", says[kind],
                 (long long)value);
}

int verify_packing(verify *v, source *problem_file, source *answer) {
  const int code = setjmp(v->out);
  if (code)
    return finish(v, code);
  const problem p = read_csv(v, problem_file, false);
  problem a = {0};
  if (answer)
    a = read_csv(v, answer, true);
  check_claim(v, &p, answer ? &a : NULL);
  if (next_word(v, &v->certificate))
    malformed(v, &v->certificate, "'%s' after the end", v->certificate.word);
  return finish(v, VERIFIED);
}

int verify_plan(verify *v, source *plan) {
  const int code = setjmp(v->out);
  if (code)
    return finish(v, code);
  check_plan(v, read_json(v, plan));
  return finish(v, VERIFIED);
}
