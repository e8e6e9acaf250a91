/* json.c - a JSON text as a tree, for plan files. */
#include "verify.h"

#include <stdlib.h>
#include <string.h>

typedef struct reader {
  verify *v;
  source *s;
  char *at;
} reader;

static void skip(reader *r) {
  for (; *r->at && strchr(" \t\r\n", *r->at); r->at++)
    r->s->line += *r->at == '\n';
}

static _Noreturn void wrong(const reader *r) {
  malformed(r->v, r->s, "no JSON here: '%.20s'", r->at);
}

/* Escapes are kept as they are: names are only compared. */
static const char *read_text(reader *r) {
  char *text = ++r->at;
  for (; *r->at != '"'; r->at++) {
    r->at += *r->at == '\\';
    if (!*r->at)
      wrong(r);
  }
  *r->at++ = '\0';
  return text;
}

static json *read_value(reader *r, int depth);

static void read_members(reader *r, json *j, char end, int depth) {
  json **last = &j->first;
  r->at++;
  for (skip(r); *r->at != end; skip(r)) {
    const char *key = NULL;
    if (j->first && *r->at++ != ',')
      wrong(r);
    skip(r);
    if (end == '}') {
      if (*r->at != '"')
        wrong(r);
      key = read_text(r);
      skip(r);
      if (*r->at++ != ':')
        wrong(r);
    }
    *last = read_value(r, depth + 1);
    (*last)->key = key;
    last = &(*last)->next;
  }
  r->at++;
}

static json *read_value(reader *r, int depth) {
  json *j = get(r->v, 1, sizeof *j);
  skip(r);
  if (depth > 32)
    wrong(r);
  if (*r->at == '{' || *r->at == '[')
    read_members(r, j, *r->at == '{' ? '}' : ']', depth);
  else if (*r->at == '"')
    j->text = read_text(r);
  else {
    const size_t length = strspn(r->at, "-+.0123456789aeflnrstuE");
    if (!length)
      wrong(r);
    j->is_number = strchr("-0123456789", *r->at) != NULL;
    j->number = strtoll(r->at, NULL, 10);
    if (j->number > LIMIT || j->number < -LIMIT)
      malformed(r->v, r->s, "a number out of range");
    r->at += length;
  }
  return j;
}

json *read_json(verify *v, source *s) {
  size_t count;
  reader r = {.v = v, .s = s, .at = read_whole(v, s, &count)};
  json *top = read_value(&r, 0);
  skip(&r);
  if (*r.at)
    wrong(&r);
  return top;
}

json *member(const json *j, const char *key) {
  for (json *m = j ? j->first : NULL; m; m = m->next)
    if (m->key && strcmp(m->key, key) == 0)
      return m;
  return NULL;
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
