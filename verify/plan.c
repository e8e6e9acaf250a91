/* plan.c - a plan's JSON and its certificate: no placement of an arena's
 * tensors, with these lifetimes, is smaller than the bound. */
#include "verify.h"

#include <string.h>

/* Tensors that share the storage of others, or may overlap them, are left out:
 * what the rest needs is needed. */
static void add_tensor(verify *v, problem *p, size_t *capacity, const json *t) {
  const json *alias = member(t, "alias_of");
  if ((alias && alias->text) || member(t, "follows"))
    return;
  const buffer b = {.lower = number_at(v, t, "first_step", 0),
                    .upper = number_at(v, t, "last_step", 0) + 1,
                    .size = number_at(v, t, "size", 0),
                    .align = number_at(v, t, "alignment", 1),
                    .offset = FREE};
  if (b.upper <= b.lower || b.align >= (int64_t)1 << 31 ||
      b.size > LIMIT >> 24 || p->count > (size_t)1 << 23)
    malformed(v, NULL, "a tensor of the plan has no life or no size");
  p->buffers = more(v, p->buffers, capacity, p->count, sizeof b);
  p->buffers[p->count++] = b;
}

/* "arena R optimal|bound B" and its evidence. True: optimal. */
static bool check_arena(verify *v, const json *plan) {
  source *c = &v->certificate;
  const int64_t region = next_number(v, c, 0, INT32_MAX);
  const json *list = member(plan, "arenas"), *x = list ? list->first : NULL;
  while (x && number_at(v, x, "region_id", 0) != region)
    x = x->next;
  if (!x || strcmp(text_at(x, "role"), "scratch") != 0)
    broken(v, "arena %lld is none of activations", (long long)region);
  (void)next_word(v, c);
  const bool optimal = is_word(c, "optimal");
  if (!optimal && !is_word(c, "bound"))
    malformed(v, c, "'%s' is not a claim", c->word);
  const int64_t bound = next_number(v, c, 0, LIMIT);
  if (bound != number_at(v, x, "lower_bound", 0) ||
      (optimal && bound != number_at(v, x, "size", 0)))
    broken(v, "the plan says something else of arena %lld", (long long)region);
  problem p = {0};
  size_t capacity = 0;
  const json *tensors = member(plan, "tensors");
  for (const json *t = tensors ? tensors->first : NULL; t; t = t->next)
    if (strcmp(text_at(t, "role"), "scratch") == 0 &&
        strcmp(text_at(t, "memory"), text_at(x, "memory")) == 0)
      add_tensor(v, &p, &capacity, t);
  check_bound(v, &p, bound);
  return optimal;
}

void check_plan(verify *v, const json *plan) {
  source *c = &v->certificate;
  int arenas = 0, optimal = 0;
  if (strcmp(text_at(plan, "schema"), "ashlar-plan-1") != 0)
    malformed(v, NULL, "this is no plan of whole operators (ashlar-plan-1)");
  read_head(v, "plan");
  if (!next_word(v, c) || strcmp(c->word, text_at(plan, "content_hash")) != 0)
    broken(v, "this certificate is for another plan");
  while (next_word(v, c)) {
    if (!is_word(c, "arena"))
      malformed(v, c, "'%s' where 'arena' was expected", c->word);
    optimal += check_arena(v, plan);
    arenas++;
  }
  (void)snprintf(v->message, sizeof v->message,
                 "the bounds of %d arenas, %d of them optimal", arenas,
                 optimal);
}
