/* block_selector.c - which memories a pass works on: none, a name, or an
 * expression between slashes, as Python writes it, which must match the whole
 * name. Python's short forms are turned into POSIX ones, of which a match of
 * the whole name has the same meaning; what POSIX lacks is refused. */
#include "emit/block/block.h"

#include <ctype.h>
#include <regex.h>
#include <string.h>

typedef struct reader {
  const char *at, *end;
  ash_text out;
  size_t depth;    /* of open groups                                       */
  bool repeatable; /* there is something that a quantifier may repeat      */
  char odd[8];     /* what cannot be expressed, "" so far                  */
} reader;

static void refuse(reader *r, const char *text, size_t count) {
  if (r->odd[0])
    return;
  if (count >= sizeof r->odd)
    count = sizeof r->odd - 1;
  memcpy(r->odd, text, count);
  r->odd[count] = '\0';
  r->at = r->end;
}

static bool next_is(const reader *r, char c) {
  return r->at < r->end && *r->at == c;
}

/* \d, \w, \s inside brackets, NULL: another character. */
static const char *class_of(char c) {
  return c == 'd'   ? "0-9"
         : c == 'w' ? "A-Za-z0-9_"
         : c == 's' ? "[:space:]"
                    : NULL;
}

static void take_escape(reader *r) {
  const char *start = r->at++;
  if (r->at == r->end) {
    refuse(r, start, 1);
    return;
  }
  const char c = *r->at++;
  const char *all = class_of((char)tolower((unsigned char)c));
  if (all)
    ash_text_format(&r->out, "[%s%s]", isupper((unsigned char)c) ? "^" : "",
                    all);
  else if (isalnum((unsigned char)c))
    refuse(r, start, 2);
  else
    ash_text_format(&r->out, strchr("\\.[](){}*+?|^$", c) ? "\\%c" : "%c", c);
  r->repeatable = true;
}

/* One character or class of a set. A backslash means nothing in POSIX sets. */
static void take_member(reader *r) {
  const char *start = r->at;
  char c = *r->at++;
  if (c == '[' && r->at < r->end && strchr(":.=", *r->at)) {
    refuse(r, start, 2);
    return;
  }
  const char *all = NULL;
  if (c == '\\' && r->at < r->end) {
    c = *r->at++;
    all = class_of(c);
    if (!all && (isalnum((unsigned char)c) || strchr("]^-", c))) {
      refuse(r, start, 2);
      return;
    }
  }
  if (all)
    ash_text_string(&r->out, all);
  else
    ash_text_put(&r->out, &c, 1);
}

static void take_set(reader *r) {
  const char *start = r->at++;
  ash_text_string(&r->out, "[");
  if (next_is(r, '^')) {
    ash_text_string(&r->out, "^");
    r->at++;
  }
  if (next_is(r, ']')) {
    ash_text_string(&r->out, "]");
    r->at++;
  }
  while (r->at < r->end && *r->at != ']')
    take_member(r);
  if (!next_is(r, ']')) {
    refuse(r, start, 1);
    return;
  }
  r->at++;
  ash_text_string(&r->out, "]");
  r->repeatable = true;
}

/* "(", "(?:", "(?P<name>": groups are only brackets here. */
static void take_group(reader *r) {
  const char *start = r->at++;
  if (next_is(r, '?')) {
    const char *close = memchr(r->at, '>', (size_t)(r->end - r->at));
    const size_t left = (size_t)(r->end - r->at);
    if (left > 1 && r->at[1] == ':')
      r->at += 2;
    else if (left > 2 && memcmp(r->at, "?P<", 3) == 0 && close)
      r->at = close + 1;
    else
      refuse(r, start, left > 2 ? 3 : left);
  }
  ash_text_string(&r->out, "(");
  r->depth++;
  r->repeatable = false;
}

/* "{2}", "{2,}", "{,3}", "{2,3}": their length, 0: a bracket like any other. */
static size_t count_braces(const reader *r) {
  const char *p = r->at + 1;
  bool digits = false;
  while (p < r->end && (isdigit((unsigned char)*p) || *p == ','))
    digits |= *p++ != ',';
  return p < r->end && *p == '}' && digits ? (size_t)(p + 1 - r->at) : 0;
}

/* Lazy ones match the same names: the whole name has to match. */
static void take_quantifier(reader *r, size_t count) {
  if (!r->repeatable) {
    refuse(r, r->at, count);
    return;
  }
  ash_text_put(&r->out, r->at, count);
  r->at += count;
  if (next_is(r, '?'))
    r->at++;
  r->repeatable = false;
}

static void take_other(reader *r) {
  const char c = *r->at++;
  if (c == ')' && r->depth-- == 0) {
    refuse(r, ")", 1);
    return;
  }
  ash_text_format(&r->out, c == '{' || c == '}' ? "\\%c" : "%c", c);
  r->repeatable = c != '|' && c != '^' && c != '$';
}

static void take(reader *r) {
  const size_t braces = *r->at == '{' ? count_braces(r) : 0;
  if (*r->at == '\\')
    take_escape(r);
  else if (*r->at == '[')
    take_set(r);
  else if (*r->at == '(')
    take_group(r);
  else if (braces || strchr("*+?", *r->at))
    take_quantifier(r, braces ? braces : 1);
  else
    take_other(r);
}

static ash_status translate(ash_ctx *ctx, reader *r, const char *pattern) {
  ash_text_string(&r->out, "^(");
  while (r->at < r->end)
    take(r);
  if (r->depth && !r->odd[0])
    refuse(r, "(", 1);
  ash_text_put(&r->out, ")$", 3);
  if (r->odd[0])
    return ash_fail(ctx, ASH_MISUSE, ASH_D_block_selector, ASH_NOWHERE,
                    "%s: '%s' cannot be used in an expression", pattern,
                    r->odd);
  return ash_text_check(ctx, &r->out);
}

/* `name` NULL: only whether it is an expression. */
static ash_status match(ash_ctx *ctx, bool *out, const char *pattern,
                        const char *expression, const char *name) {
  regex_t regex;
  const int error = regcomp(&regex, expression, REG_EXTENDED | REG_NOSUB);
  if (error == REG_ESPACE)
    return ash_nomem(ctx);
  if (error != 0)
    return ash_fail(ctx, ASH_MISUSE, ASH_D_block_selector, ASH_NOWHERE,
                    "%s is not a regular expression", pattern);
  const int found = name ? regexec(&regex, name, 0, NULL, 0) : REG_NOMATCH;
  *out = found == 0;
  regfree(&regex);
  return found == REG_ESPACE ? ash_nomem(ctx) : ASH_OK;
}

ash_status ash_selector_matches(ash_ctx *ctx, bool *out,
                                ash_memory_selector memory, const char *name) {
  const size_t n = memory ? strlen(memory) : 0;
  *out = false;
  if (n < 2 || memory[0] != '/' || memory[n - 1] != '/') {
    *out = memory && name ? strcmp(name, memory) == 0 : name == memory;
    return ASH_OK;
  }
  if (strcmp(memory, "/.*/") == 0) { /* every memory */
    *out = name != NULL;
    return ASH_OK;
  }
  reader r = {.at = memory + 1, .end = memory + n - 1};
  ash_text_init(&r.out, &ctx->mem);
  ash_status status = translate(ctx, &r, memory);
  if (status == ASH_OK)
    status = match(ctx, out, memory, r.out.bytes, name);
  ash_text_drop(&r.out);
  return status;
}
