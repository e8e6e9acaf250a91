/* text.c - words, numbers, memory and the end of a run. */
#include "verify.h"

#include <stdarg.h>
#include <stdio.h>
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

void release(verify *v, const chunk *mark) {
  while (v->chunks != mark) {
    chunk *next = v->chunks->next;
    free(v->chunks);
    v->chunks = next;
  }
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

bool cut_word(source *s, const char *skip, const char *ends) {
  s->line += s->cut == '\n';
  for (size_t n = strspn(s->at, skip); n > 0; n--)
    s->line += *s->at++ == '\n';
  s->word = s->at;
  s->at += strcspn(s->at, ends);
  s->cut = *s->at;
  if (s->cut)
    *s->at++ = '\0';
  return *s->word != '\0';
}

int64_t number_of(verify *v, const source *s, const char *text, int64_t least,
                  int64_t most) {
  char *end;
  const long long value = strtoll(text, &end, 10);
  if (end == text || end[strspn(end, " \t")])
    malformed(v, s, "'%.40s' where a number was expected", text);
  if (value < least || value > most)
    malformed(v, s, "%lld is not between %lld and %lld", value,
              (long long)least, (long long)most);
  return value;
}

bool next_word(verify *v) {
  return cut_word(&v->certificate, " \t\r\n", " \t\r\n");
}

bool is_word(const verify *v, const char *word) {
  return strcmp(v->certificate.word, word) == 0;
}

void expect_word(verify *v, const char *word) {
  (void)next_word(v);
  if (!is_word(v, word))
    malformed(v, &v->certificate, "'%.40s' where '%s' was expected",
              v->certificate.word, word);
}

int64_t next_number(verify *v, int64_t least, int64_t most) {
  (void)next_word(v);
  return number_of(v, &v->certificate, v->certificate.word, least, most);
}

int by_first(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

int64_t gcd(int64_t a, int64_t b) {
  while (b) {
    const int64_t r = a % b;
    a = b;
    b = r;
  }
  return a;
}

int64_t round_up(int64_t at, int64_t align) {
  return (at + align - 1) / align * align;
}
