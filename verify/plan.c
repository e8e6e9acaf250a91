/* plan.c - a plan's JSON and its certificate: no placement of an arena's
 * tensors, with these lifetimes, is smaller than the bound. */
#include "verify.h"

#include <stdio.h>
#include <string.h>

static void add_buffer(verify *v, problem *p, int64_t first, int64_t last,
                       int64_t size, int64_t align) {
  const buffer b = {.lower = first,
                    .upper = last + 1,
                    .size = size,
                    .align = align,
                    .offset = FREE};
  if (b.upper <= b.lower || b.align >= (int64_t)1 << 31 ||
      b.size > LIMIT >> 24 || p->count > (size_t)1 << 23)
    malformed(v, NULL, "a tensor of the plan has no life or no size");
  p->buffers = more(v, p->buffers, &p->capacity, p->count, sizeof b);
  p->buffers[p->count++] = b;
}

/* [row, rows, ...]: is it one of them? */
static bool is_listed(const json *lists, const char *key, int64_t row) {
  for (const json *x = first_of(lists, key); x; x = x->next)
    if (x->first && x->first->next && row >= x->first->number &&
        row < x->first->number + x->first->next->number)
      return true;
  return false;
}

static void add_rows(verify *v, problem *p, const json *t, const json *lists) {
  const int64_t size = number_at(v, lists, "bytes", 0);
  const int64_t align =
      gcd(number_at(v, t, "alignment", 1), number_at(v, lists, "alignment", 1));
  const json *first = first_of(lists, "first_steps");
  const json *last = first_of(lists, "last_steps");
  for (int64_t row = 0; first && last; row++) {
    if (!is_listed(lists, "aliases", row) && !is_listed(lists, "follows", row))
      add_buffer(v, p, first->number, last->number, size, align);
    first = first->next;
    last = last->next;
  }
}

/* What shares the storage of others, or may overlap them, is left out: what the
 * rest needs is needed. Work memory of rows exists in its operator's runs. */
static void add_tensor(verify *v, problem *p, const json *plan, const json *t) {
  const json *alias = member(t, "alias_of"), *lists = member(t, "rows");
  if (member(t, "follows") || (!lists && alias && alias->text))
    return;
  if (lists) {
    add_rows(v, p, t, lists);
    return;
  }
  const int64_t size = number_at(v, t, "size", 0);
  const int64_t align = number_at(v, t, "alignment", 1);
  if (!member(t, "op")) {
    add_buffer(v, p, number_at(v, t, "first_step", 0),
               number_at(v, t, "last_step", 0), size, align);
    return;
  }
  int64_t time = 0;
  for (const json *r = first_of(plan, "runs"); r; r = r->next, time++)
    if (r->first && r->first->number == number_at(v, t, "op", 0))
      add_buffer(v, p, time, time, size, align);
}

/* "R optimal|bound B" and its evidence, or "R open", of which nothing is said.
 * Counts those that are shown, and those that are optimal. */
static void check_arena(verify *v, const json *plan, const json *x, int *shown,
                        int *best) {
  const int64_t bound = number_at(v, x, "lower_bound", 0);
  const int64_t region = number_at(v, x, "region_id", 0);
  expect_word(v, "arena");
  (void)next_number(v, region, region);
  (void)next_word(v);
  if (is_word(v, "open"))
    return;
  const bool optimal = is_word(v, "optimal");
  if (!optimal && !is_word(v, "bound"))
    malformed(v, &v->certificate, "'%.40s' is no claim", v->certificate.word);
  if (next_number(v, 0, LIMIT) != bound ||
      (optimal && bound != number_at(v, x, "size", 0)))
    broken(v, "the plan says something else of arena %lld", (long long)region);
  problem p = {0};
  for (const json *t = first_of(plan, "tensors"); t; t = t->next)
    if (strcmp(text_at(t, "role"), "scratch") == 0 &&
        strcmp(text_at(t, "memory"), text_at(x, "memory")) == 0)
      add_tensor(v, &p, plan, t);
  check_bound(v, &p, bound);
  *shown += 1;
  *best += optimal;
}

/* Everything that the plan claims, in its order. */
static void check_plan(verify *v, const json *plan) {
  const json *claim = member(plan, "order");
  const bool has_order = claim && number_at(v, claim, "lower_bound", 0) > 0;
  int arenas = 0, shown = 0, optimal = 0;
  if (strncmp(text_at(plan, "schema"), "ashlar-plan-", 12) != 0)
    malformed(v, NULL, "this is no plan");
  expect_word(v, "ashlar-certificate");
  (void)next_number(v, 2, 2);
  expect_word(v, "plan");
  if (!next_word(v) || !is_word(v, text_at(plan, "content_hash")))
    broken(v, "this certificate is for another plan");
  if (has_order)
    check_order(v, plan);
  for (const json *x = first_of(plan, "arenas"); x; x = x->next)
    if (strcmp(text_at(x, "role"), "scratch") == 0) {
      check_arena(v, plan, x, &shown, &optimal);
      arenas++;
    }
  const bool best =
      has_order && strcmp(text_at(claim, "verdict"), "optimal") == 0;
  (void)snprintf(v->message, sizeof v->message,
                 "the bounds of %d of %d arenas, %d of them optimal%s%.40s%s",
                 shown, arenas, optimal, has_order ? "; the bound of " : "",
                 has_order ? text_at(claim, "scope") : "",
                 best ? ", optimal" : "");
}

int verify_plan(verify *v, source *plan) {
  const int code = setjmp(v->out);
  if (!code) {
    check_plan(v, read_json(v, plan));
    expect_word(v, "");
  }
  release(v, NULL);
  return code;
}
