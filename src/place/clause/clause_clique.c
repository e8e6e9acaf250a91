/* clause_clique.c - items with gaps may meet each of some items, each at
 * another time: they all lie apart although no moment has them all. Such a
 * clique is treated as a moment. */
#include "place/clause/clause.h"

#include <string.h>

enum {
  ITEMS_MOST = 300,
  CLIQUES_MOST = 500,
  SHARE = 4 /* a clique has more bytes than 1 - 1 / SHARE of a moment */
};

typedef struct cliques {
  ash_place_learner *p;
  uint8_t *meet;           /* of two items, always with the same bytes       */
  ash_place_member *bytes; /* of an item; none where its rects differ        */
  uint8_t *list;           /* clique -> set of items                         */
  uint32_t count, members; /* of all cliques                                 */
  size_t table;
  int64_t heaviest; /* bytes of a moment                                      */
} cliques;

static bool has_gaps(const ash_place_learner *p, uint32_t i) {
  return p->in->items[p->items[i]].rect_count > 1;
}

static void find_bytes(cliques *c, uint32_t i) {
  const ash_place_item *x = &c->p->in->items[c->p->items[i]];
  const ash_place_rect *r = &c->p->in->rects[x->rect];
  c->bytes[i] = (ash_place_member){i, r->lo, r->hi};
  for (uint32_t k = 1; k < x->rect_count; k++)
    if (r[k].lo != r->lo || r[k].hi != r->hi)
      c->bytes[i].hi = r->lo;
}

static int64_t weight_of(const cliques *c, const uint8_t *set) {
  int64_t sum = 0;
  for (uint32_t i = 0; i < c->p->item_count; i++)
    sum += set[i] ? c->bytes[i].hi - c->bytes[i].lo : 0;
  return sum;
}

/* Does the item meet all of the set? */
static bool joins(const cliques *c, const uint8_t *set, uint32_t item) {
  const uint32_t n = c->p->item_count;
  ASH_ASSERT(item < n);
  for (uint32_t i = 0; i < n; i++)
    if (set[i] && !c->meet[(size_t)item * n + i])
      return false;
  return !set[item];
}

/* The largest first: what joins all of the set joins the set. */
static void extend(const cliques *c, uint8_t *set) {
  for (;;) {
    uint32_t best = ASH_PLACE_NONE;
    for (uint32_t i = 0; i < c->p->item_count; i++)
      if (joins(c, set, i) &&
          (best == ASH_PLACE_NONE || c->bytes[i].hi - c->bytes[i].lo >
                                         c->bytes[best].hi - c->bytes[best].lo))
        best = i;
    if (best == ASH_PLACE_NONE)
      return;
    set[best] = 1;
  }
}

/* Is it worth while, and nothing that is there? A maximal clique that a moment
 * has is this moment. */
static bool is_new(const cliques *c, const uint8_t *set, uint32_t count) {
  const ash_place_learner *p = c->p;
  const uint32_t n = p->item_count;
  for (uint32_t k = 0; k < c->count; k++)
    if (memcmp(c->list + (size_t)k * n, set, n) == 0)
      return false;
  for (uint32_t s = 0; s < p->moment_count; s++) {
    uint32_t common = 0;
    for (uint32_t a = 0; a < p->moments[s].count; a++)
      common += set[p->members[p->moments[s].first + a].item];
    if (common == count)
      return false;
  }
  return weight_of(c, set) > c->heaviest - c->heaviest / SHARE;
}

static void add(cliques *c, const uint8_t *set) {
  const uint32_t n = c->p->item_count;
  uint32_t count = 0;
  for (uint32_t i = 0; i < n; i++)
    count += set[i];
  if (c->count == CLIQUES_MOST || !is_new(c, set, count))
    return;
  memcpy(c->list + (size_t)c->count++ * n, set, n);
  c->members += count;
  c->table += (size_t)count * count;
}

/* Around each item with gaps, those of a moment that it meets. */
static void collect(cliques *c, uint8_t *set) {
  const ash_place_learner *p = c->p;
  const uint32_t n = p->item_count;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t s = 0; has_gaps(p, i) && s < p->moment_count; s++) {
      memset(set, 0, n);
      set[i] = 1;
      for (uint32_t a = 0; a < p->moments[s].count; a++) {
        const uint32_t item = p->members[p->moments[s].first + a].item;
        set[item] = set[item] || joins(c, set, item);
      }
      extend(c, set);
      add(c, set);
    }
}

static bool find(cliques *c) {
  ash_place_learner *p = c->p;
  const uint32_t n = p->item_count;
  c->meet = ASH_NEW_ARRAY(&p->zone, uint8_t, (size_t)n * n);
  c->bytes = ASH_NEW_ARRAY(&p->zone, ash_place_member, n);
  c->list = ASH_NEW_ARRAY(&p->zone, uint8_t, (size_t)CLIQUES_MOST * n);
  uint8_t *set = ASH_NEW_ARRAY(&p->zone, uint8_t, n);
  if (p->zone.failed)
    return false;
  for (uint32_t i = 0; i < n; i++)
    find_bytes(c, i);
  for (uint32_t k = 0; k < p->span_count; k++) {
    const uint32_t i = p->spans[k].i, j = p->spans[k].j;
    const bool whole =
        c->bytes[i].lo < c->bytes[i].hi && c->bytes[j].lo < c->bytes[j].hi;
    c->meet[(size_t)i * n + j] = c->meet[(size_t)j * n + i] = whole;
  }
  for (uint32_t s = 0; s < p->moment_count; s++) {
    int64_t sum = 0;
    for (uint32_t a = 0; a < p->moments[s].count; a++) {
      const ash_place_member *x = &p->members[p->moments[s].first + a];
      sum += x->hi - x->lo;
    }
    c->heaviest = sum > c->heaviest ? sum : c->heaviest;
  }
  collect(c, set);
  return true;
}

static void fill_sides(const ash_place_learner *p, const ash_place_crowd *m) {
  for (uint32_t a = 0; a < m->count; a++)
    for (uint32_t b = 0; b < m->count; b++)
      p->side_of[m->sides + a * m->count + b] = ash_place_learner_find_side(
          p, &p->members[m->first + a], &p->members[m->first + b]);
}

/* Behind the moments. */
static bool append(cliques *c) {
  ash_place_learner *p = c->p;
  const ash_place_crowd *end = &p->moments[p->moment_count - 1];
  uint32_t first = end->first + end->count;
  size_t table = end->sides + (size_t)end->count * end->count;
  const size_t total = p->moment_count + c->count;
  ash_place_member *members =
      ASH_NEW_ARRAY(&p->zone, ash_place_member, first + c->members);
  ash_place_crowd *moments = ASH_NEW_ARRAY(&p->zone, ash_place_crowd, total);
  uint32_t *sides = ASH_NEW_ARRAY(&p->zone, uint32_t, table + c->table);
  if (p->zone.failed)
    return false;
  memcpy(members, p->members, first * sizeof *members);
  memcpy(moments, p->moments, p->moment_count * sizeof *moments);
  memcpy(sides, p->side_of, table * sizeof *sides);
  p->members = members;
  p->moments = moments;
  p->side_of = sides;
  for (uint32_t k = 0; k < c->count; k++) {
    ash_place_crowd *m = &p->moments[p->moment_count++];
    *m = (ash_place_crowd){first, 0, (uint32_t)table};
    for (uint32_t i = 0; i < p->item_count; i++)
      if (c->list[(size_t)k * p->item_count + i])
        p->members[m->first + m->count++] = c->bytes[i];
    fill_sides(p, m);
    first += m->count;
    table += (size_t)m->count * m->count;
  }
  return true;
}

bool ash_place_learner_add_cliques(ash_place_learner *p) {
  cliques c = {.p = p};
  uint32_t gaps = 0;
  for (uint32_t i = 0; i < p->item_count; i++)
    gaps += has_gaps(p, i);
  if (gaps == 0 || p->item_count > ITEMS_MOST || p->moment_count == 0)
    return true;
  return find(&c) && append(&c);
}
