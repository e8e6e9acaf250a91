/* check_intact.c - which values are intact, and which of them lie on given
 * bytes: an interval tree. Slots are sorted by arena and offset; each node
 * knows the furthest end of the intact ones below it, so that those who meet
 * some bytes are found in logarithmic time each. */
#include "check/check_plan.h"

#include "base/sort.h"

#include <string.h>

static int by_place(const void *a, const void *b, const void *user) {
  const ash_plan *p = user;
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  const ash_binding *u = &p->slots[x].binding, *v = &p->slots[y].binding;
  if (u->role != v->role)
    return u->role < v->role ? -1 : 1;
  const int memory = strcmp(u->memory, v->memory);
  if (memory)
    return memory;
  if (u->offset != v->offset)
    return u->offset < v->offset ? -1 : 1;
  return x == y ? 0 : x < y ? -1 : 1;
}

ash_status ash_intact_of(ash_ctx *ctx, ash_intact *out, const ash_plan *p) {
  ash_zone *z = &ctx->scratch;
  uint32_t *spare = ASH_NEW_ARRAY(z, uint32_t, p->slot_count + 1u);
  *out = (ash_intact){.plan = p,
                      .order = ASH_NEW_ARRAY(z, uint32_t, p->slot_count + 1u),
                      .place = ASH_NEW_ARRAY(z, uint32_t, p->slot_count + 1u),
                      .leaves = 1};
  while (out->leaves < p->slot_count)
    out->leaves *= 2;
  out->end = ASH_NEW_ARRAY(z, uint64_t, 2 * (size_t)out->leaves);
  ASH_TRY(ash_zone_check(ctx, z));
  for (uint32_t i = 0; i < p->slot_count; i++)
    out->order[i] = i;
  ash_sort(out->order, spare, p->slot_count, sizeof *spare, by_place, p);
  for (uint32_t i = 0; i < p->slot_count; i++)
    out->place[out->order[i]] = i;
  return ASH_OK;
}

bool ash_intact_is(const ash_intact *s, uint32_t slot) {
  return s->end[s->leaves + s->place[slot]] != 0;
}

/* Ends are shifted by one, so that 0 means: nothing below is intact. */
void ash_intact_set(ash_intact *s, uint32_t slot, bool intact) {
  const ash_slot *x = &s->plan->slots[slot];
  size_t at = s->leaves + s->place[slot];
  s->end[at] = intact ? x->binding.offset + x->size + 1 : 0;
  for (at /= 2; at > 0; at /= 2)
    s->end[at] = s->end[2 * at] > s->end[2 * at + 1] ? s->end[2 * at]
                                                     : s->end[2 * at + 1];
}

/* The first place whose slot is not before `what` in its arena: the places of
 * an arena lie together. */
static uint32_t lower(const ash_intact *s, const ash_bytes *what, uint64_t at) {
  uint32_t lo = 0, hi = s->plan->slot_count;
  while (lo < hi) {
    const uint32_t mid = lo + (hi - lo) / 2;
    const ash_binding *b = &s->plan->slots[s->order[mid]].binding;
    int order = b->role == what->role  ? strcmp(b->memory, what->memory)
                : b->role < what->role ? -1
                                       : 1;
    if (order == 0)
      order = b->offset < at ? -1 : 1;
    if (order < 0)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

/* The first place from `from` on that ends behind `lo`. */
static size_t next_end(const ash_intact *s, uint32_t from, uint64_t lo) {
  size_t at = s->leaves + (size_t)from;
  while (s->end[at] <= lo + 1) {
    while (at & 1) /* a right child, or the root: go on behind its parent */
      at /= 2;
    if (at++ == 0)
      return s->leaves;
  }
  while (at < s->leaves)
    at = s->end[2 * at] > lo + 1 ? 2 * at : 2 * at + 1;
  return at - s->leaves;
}

uint32_t ash_intact_next(const ash_intact *s, const ash_bytes *what,
                         uint32_t after) {
  const uint32_t to = lower(s, what, what->hi);
  const uint32_t from = after == ASH_NO_ID ? lower(s, what, 0) : after + 1;
  if (what->lo >= what->hi || from >= to)
    return ASH_NO_ID;
  const size_t found = next_end(s, from, what->lo);
  return found < to ? (uint32_t)found : ASH_NO_ID;
}
