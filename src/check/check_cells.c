/* check_cells.c - what the bytes of the arenas hold: a segment tree over the
 * intervals between neighbouring borders of slots. Putting a value into the
 * bytes of a slot and asking whether all of them hold one take logarithmic
 * time, however many slots they were shared with. */
#include "check/check_rows.h"

#include "base/sort.h"

#include <string.h>

enum { MIXED = UINT32_MAX };

typedef struct border {
  uint64_t at;
  uint32_t arena;
} border;

static int by_place(const void *a, const void *b, const void *user) {
  const border *x = a, *y = b;
  (void)user;
  if (x->arena != y->arena)
    return x->arena < y->arena ? -1 : 1;
  return x->at == y->at ? 0 : x->at < y->at ? -1 : 1;
}

static uint32_t arena_of(const ash_plan *p, const ash_binding *b) {
  for (uint32_t i = 0; i < p->arena_count; i++)
    if (p->arenas[i].role == b->role &&
        strcmp(p->arenas[i].memory, b->memory) == 0)
      return i;
  return ASH_NO_ID;
}

static uint32_t find(const border *all, uint32_t count, border what) {
  uint32_t lo = 0, hi = count;
  while (lo < hi) {
    const uint32_t mid = lo + (hi - lo) / 2;
    if (by_place(&all[mid], &what, NULL) < 0)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

ash_status ash_cells_of(ash_ctx *ctx, ash_cells *out, const ash_plan *p) {
  ash_zone *z = &ctx->scratch;
  const size_t most = 2 * (size_t)p->slot_count + 1;
  border *all = ASH_NEW_ARRAY(z, border, most);
  border *spare = ASH_NEW_ARRAY(z, border, most);
  *out = (ash_cells){.lo = ASH_NEW_ARRAY(z, uint32_t, p->slot_count + 1u),
                     .hi = ASH_NEW_ARRAY(z, uint32_t, p->slot_count + 1u),
                     .leaves = 1};
  ASH_TRY(ash_zone_check(ctx, z));
  for (uint32_t i = 0; i < p->slot_count; i++) {
    const ash_slot *s = &p->slots[i];
    const uint32_t arena = arena_of(p, &s->binding);
    all[2 * i] = (border){s->binding.offset, arena};
    all[2 * i + 1] = (border){s->binding.offset + s->size, arena};
  }
  ash_sort(all, spare, 2 * (size_t)p->slot_count, sizeof *all, by_place, NULL);
  uint32_t count = 0;
  for (uint32_t i = 0; i < 2 * p->slot_count; i++)
    if (i == 0 || by_place(&all[i], &all[count - 1], NULL) != 0)
      all[count++] = all[i];
  for (uint32_t i = 0; i < p->slot_count; i++) {
    const ash_slot *s = &p->slots[i];
    border b = {s->binding.offset, arena_of(p, &s->binding)};
    out->lo[i] = find(all, count, b);
    b.at += s->size;
    out->hi[i] = find(all, count, b);
  }
  while (out->leaves < count)
    out->leaves *= 2;
  out->tree = ASH_NEW_ARRAY(z, uint32_t, 2 * (size_t)out->leaves);
  return ash_zone_check(ctx, z);
}

/* A node and the cells [from, to) below it. */
typedef struct node {
  uint32_t at, from, to;
} node;

static node left(node n) {
  return (node){2 * n.at, n.from, n.from + (n.to - n.from) / 2};
}

static node right(node n) {
  return (node){2 * n.at + 1, n.from + (n.to - n.from) / 2, n.to};
}

static void put(ash_cells *c, node n, uint32_t lo, uint32_t hi,
                uint32_t value) {
  if (hi <= n.from || n.to <= lo)
    return;
  if (lo <= n.from && n.to <= hi) {
    c->tree[n.at] = value;
    return;
  }
  const node a = left(n), b = right(n);
  if (c->tree[n.at] != MIXED)
    c->tree[a.at] = c->tree[b.at] = c->tree[n.at];
  put(c, a, lo, hi, value);
  put(c, b, lo, hi, value);
  c->tree[n.at] =
      c->tree[a.at] == c->tree[b.at] ? c->tree[a.at] : (uint32_t)MIXED;
}

static uint32_t other(const ash_cells *c, node n, uint32_t lo, uint32_t hi,
                      uint32_t value) {
  if (hi <= n.from || n.to <= lo)
    return value;
  if (c->tree[n.at] != MIXED)
    return c->tree[n.at];
  const uint32_t found = other(c, left(n), lo, hi, value);
  return found != value ? found : other(c, right(n), lo, hi, value);
}

void ash_cells_put(ash_cells *c, uint32_t slot, uint32_t value) {
  put(c, (node){1, 0, c->leaves}, c->lo[slot], c->hi[slot], value);
}

uint32_t ash_cells_other(const ash_cells *c, uint32_t slot, uint32_t value) {
  return other(c, (node){1, 0, c->leaves}, c->lo[slot], c->hi[slot], value);
}
