/* json.c - a JSON text as a tree, for plan files. */
#include "verify.h"

#include <stdlib.h>
#include <string.h>

static void skip(source *s) {
  for (; *s->at && strchr(" \t\r\n", *s->at); s->at++)
    s->line += *s->at == '\n';
}

/* The next character, which must be this one. */
static void take(verify *v, source *s, char c) {
  skip(s);
  if (*s->at != c)
    malformed(v, s, "no JSON here: '%.20s'", s->at);
  s->at++;
}

/* Escapes are kept as they are: names are only compared. */
static const char *read_text(verify *v, source *s) {
  take(v, s, '"');
  char *text = s->at;
  for (; *s->at && *s->at != '"'; s->at++)
    s->at += *s->at == '\\' && s->at[1];
  char *end = s->at;
  take(v, s, '"');
  *end = '\0';
  return text;
}

static json *read_value(verify *v, source *s, int depth) {
  json *j = get(v, 1, sizeof *j), **last = &j->first;
  skip(s);
  const char open = *s->at;
  if (depth > 32)
    malformed(v, s, "too many brackets");
  if (open == '"')
    j->text = read_text(v, s);
  else if (open == '{' || open == '[') {
    s->at++;
    for (skip(s); *s->at != open + 2; skip(s)) {
      const char *key = NULL;
      if (j->first)
        take(v, s, ',');
      if (open == '{') {
        skip(s);
        key = read_text(v, s);
        take(v, s, ':');
      }
      *last = read_value(v, s, depth + 1);
      (*last)->key = key;
      last = &(*last)->next;
    }
    s->at++;
  } else {
    const size_t length = strspn(s->at, "-+.0123456789aeflnrstuE");
    j->is_number = open && strchr("-0123456789", open) != NULL;
    j->number = strtoll(s->at, NULL, 10);
    if (!length || j->number > LIMIT || j->number < -LIMIT)
      malformed(v, s, "no number here: '%.20s'", s->at);
    s->at += length;
  }
  return j;
}

json *read_json(verify *v, source *s) {
  json *top = read_value(v, s, 0);
  take(v, s, '\0');
  return top;
}

const json *member(const json *j, const char *key) {
  const json *m = j ? j->first : NULL;
  while (m && !(m->key && strcmp(m->key, key) == 0))
    m = m->next;
  return m;
}

const json *first_of(const json *j, const char *key) {
  const json *list = member(j, key);
  return list ? list->first : NULL;
}

int64_t number_at(verify *v, const json *j, const char *key, int64_t least) {
  const json *m = member(j, key);
  if (!m || !m->is_number || m->number < least)
    malformed(v, NULL, "the plan has no number '%s' where one is needed", key);
  return m->number;
}

const char *text_at(const json *j, const char *key) {
  const json *m = member(j, key);
  return m && m->text ? m->text : "";
}
