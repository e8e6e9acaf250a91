/* check_cells.c - what the bytes of the arenas hold: a segment tree over the
 * intervals between neighbouring borders of slots. Putting a value into the
 * bytes of a slot and asking whether all of them hold one take logarithmic
 * time, however many slots they were shared with. */
#include "check/check_rows.h"

#include "base/sort.h"

#include <string.h>

#define MIXED UINT32_MAX

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
    all[(size_t)2 * i] = (border){s->binding.offset, arena};
    all[(size_t)2 * i + 1] = (border){s->binding.offset + s->size, arena};
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

/* What nodes on the way to a leaf say of all their cells, their halves say
 * instead. */
static void push_down(ash_cells *c, uint32_t leaf) {
  uint32_t height = 0;
  while (leaf >> height > 1)
    height++;
  for (; height > 0; height--) {
    const size_t at = leaf >> height;
    if (c->tree[at] == MIXED)
      continue;
    c->tree[2 * at] = c->tree[2 * at + 1] = c->tree[at];
    c->tree[at] = MIXED;
  }
}

static void join_up(ash_cells *c, uint32_t leaf) {
  for (size_t at = leaf / 2; at > 0; at /= 2)
    c->tree[at] =
        c->tree[2 * at] == c->tree[2 * at + 1] ? c->tree[2 * at] : MIXED;
}

static void put(ash_cells *c, uint32_t lo, uint32_t hi, uint32_t value) {
  const uint32_t first = c->leaves + lo, last = c->leaves + hi - 1;
  if (lo >= hi)
    return;
  push_down(c, first);
  push_down(c, last);
  for (uint32_t l = first, r = last + 1; l < r; l /= 2, r /= 2) {
    if (l & 1)
      c->tree[l++] = value;
    if (r & 1)
      c->tree[--r] = value;
  }
  push_down(c, first);
  push_down(c, last);
  join_up(c, first);
  join_up(c, last);
}

/* From left to right; the way down has at most 32 levels. */
static uint32_t other(const ash_cells *c, uint32_t lo, uint32_t hi,
                      uint32_t value) {
  node waiting[2 * 32 + 2] = {{1, 0, c->leaves}};
  size_t count = 1;
  while (count > 0) {
    const node n = waiting[--count];
    if (hi <= n.from || n.to <= lo)
      continue;
    if (c->tree[n.at] == MIXED) {
      waiting[count++] = right(n);
      waiting[count++] = left(n);
    } else if (c->tree[n.at] != value) {
      return c->tree[n.at];
    }
  }
  return value;
}

void ash_cells_put(ash_cells *c, uint32_t slot, uint32_t value) {
  put(c, c->lo[slot], c->hi[slot], value);
}

uint32_t ash_cells_other(const ash_cells *c, uint32_t slot, uint32_t value) {
  return other(c, c->lo[slot], c->hi[slot], value);
}
