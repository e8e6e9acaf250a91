/* clause_setup.c - the spans and moments of the items of a learner. */
#include "place/clause/clause.h"

enum {
  ITEMS_MOST = 2000,
  RECTS_MOST = 64,     /* of an item                          */
  SPANS_MOST = 200000, /* of all pairs                        */
  TABLE_MOST = 1 << 23 /* entries of side_of, of all moments  */
};

static const ash_place_item *item_of(const ash_place_learner *p, uint32_t i) {
  ASH_ASSERT(i < p->item_count);
  return &p->in->items[p->items[i]];
}

/* ---- spans --------------------------------------------------------------- */

static void sort_spans(ash_place_span *list, size_t count) {
  for (size_t a = 1; a < count; a++) {
    const ash_place_span x = list[a];
    size_t at = a;
    for (; at > 0 && list[at - 1].lo > x.lo; at--)
      list[at] = list[at - 1];
    list[at] = x;
  }
}

/* The spans of a pair, those that share an integer joined. Rects of one item
 * are apart in time, so fewer pairs of rects meet than there are rects. */
static bool add_pair(ash_place_learner *p, uint32_t i, uint32_t j,
                     size_t *capacity) {
  const ash_place_item *x = item_of(p, i), *y = item_of(p, j);
  ash_place_span list[2 * RECTS_MOST];
  size_t count = 0;
  for (uint32_t a = x->rect; a < x->rect + x->rect_count; a++)
    for (uint32_t b = y->rect; b < y->rect + y->rect_count; b++) {
      const ash_place_rect *r = &p->in->rects[a], *q = &p->in->rects[b];
      if (r->first < q->last && q->first < r->last)
        list[count++] = (ash_place_span){r->lo - q->hi, r->hi - q->lo};
    }
  ASH_ASSERT(count <= ASH_COUNT_OF(list));
  sort_spans(list, count);
  for (size_t a = 0; a < count;) {
    ash_place_span s = list[a++];
    for (; a < count && list[a].lo + 1 < s.hi; a++)
      s.hi = list[a].hi > s.hi ? list[a].hi : s.hi;
    if (!ash_zone_grow(&p->zone, (void **)&p->spans, capacity, p->span_count,
                       sizeof *p->spans))
      return false;
    p->spans[p->span_count++] = (ash_place_choice){i, j, s.lo, s.hi};
  }
  return p->span_count <= SPANS_MOST;
}

static bool list_spans(ash_place_learner *p) {
  size_t capacity = 0;
  for (uint32_t i = 0; i < p->item_count; i++)
    for (uint32_t j = i + 1; j < p->item_count; j++)
      if (!add_pair(p, i, j, &capacity))
        return false;
  p->span_at = ASH_NEW_ARRAY(&p->zone, uint32_t, (size_t)p->item_count + 1);
  p->span_list = ASH_NEW_ARRAY(&p->zone, uint32_t, 2 * (size_t)p->span_count);
  if (p->zone.failed)
    return false;
  for (uint32_t k = 0; k < p->span_count; k++) {
    p->span_at[p->spans[k].i]++;
    p->span_at[p->spans[k].j]++;
  }
  for (uint32_t i = 0; i < p->item_count; i++)
    p->span_at[i + 1] += p->span_at[i];
  for (uint32_t k = p->span_count; k-- > 0;) {
    p->span_list[--p->span_at[p->spans[k].i]] = k;
    p->span_list[--p->span_at[p->spans[k].j]] = k;
  }
  return true;
}

uint32_t ash_place_learner_find_side(const ash_place_learner *p,
                                     const ash_place_member *a,
                                     const ash_place_member *b) {
  const bool swapped = a->item > b->item;
  const ash_place_member *x = swapped ? b : a, *y = swapped ? a : b;
  const int64_t inside = x->lo - y->hi + 1;
  for (uint32_t k = p->span_at[x->item]; k < p->span_at[x->item + 1]; k++) {
    const ash_place_choice *s = &p->spans[p->span_list[k]];
    if (s->i == x->item && s->j == y->item && s->lo < inside && inside < s->hi)
      return ash_place_side(p, p->span_list[k], !swapped);
  }
  return ASH_PLACE_NONE;
}

/* ---- moments ------------------------------------------------------------- */

static bool count_members(ash_place_learner *p, uint32_t *at) {
  const ash_place_reduced *in = p->in;
  for (uint32_t i = 0; i < p->item_count; i++) {
    const ash_place_item *x = item_of(p, i);
    for (uint32_t r = x->rect; r < x->rect + x->rect_count; r++)
      for (uint32_t s = in->rects[r].first; s < in->rects[r].last; s++)
        at[s + 1]++;
  }
  uint64_t table = 0;
  for (uint32_t s = 0; s < in->moment_count; s++) {
    table += (uint64_t)at[s + 1] * at[s + 1];
    at[s + 1] += at[s];
  }
  return table <= TABLE_MOST;
}

static void fill_members(ash_place_learner *p, uint32_t *at) {
  const ash_place_reduced *in = p->in;
  for (uint32_t i = 0; i < p->item_count; i++) {
    const ash_place_item *x = item_of(p, i);
    for (uint32_t r = x->rect; r < x->rect + x->rect_count; r++)
      for (uint32_t s = in->rects[r].first; s < in->rects[r].last; s++)
        p->members[at[s]++] =
            (ash_place_member){i, in->rects[r].lo, in->rects[r].hi};
  }
}

/* Moments with one member say nothing. */
static bool list_moments(ash_place_learner *p) {
  const ash_place_reduced *in = p->in;
  uint32_t *at =
      ASH_NEW_ARRAY(&p->zone, uint32_t, (size_t)in->moment_count + 1);
  if (p->zone.failed || !count_members(p, at))
    return false;
  const uint32_t total = at[in->moment_count];
  p->members = ASH_NEW_ARRAY(&p->zone, ash_place_member, total);
  p->moments = ASH_NEW_ARRAY(&p->zone, ash_place_crowd, in->moment_count);
  p->moment_time = ASH_NEW_ARRAY(&p->zone, int64_t, in->moment_count);
  if (p->zone.failed)
    return false;
  fill_members(p, at);
  size_t table = 0;
  for (uint32_t s = 0; s < in->moment_count; s++) {
    const uint32_t first = s ? at[s - 1] : 0, count = at[s] - first;
    if (count < 2)
      continue;
    p->moment_time[p->moment_count] = in->moment_time[s];
    p->moments[p->moment_count++] =
        (ash_place_crowd){first, count, (uint32_t)table};
    table += (size_t)count * count;
  }
  p->side_of = ASH_NEW_ARRAY(&p->zone, uint32_t, table);
  if (p->zone.failed)
    return false;
  for (uint32_t s = 0; s < p->moment_count; s++) {
    const ash_place_crowd *m = &p->moments[s];
    for (uint32_t a = 0; a < m->count; a++)
      for (uint32_t b = 0; b < m->count; b++)
        p->side_of[m->sides + a * m->count + b] = ash_place_learner_find_side(
            p, &p->members[m->first + a], &p->members[m->first + b]);
  }
  return true;
}

static bool index_moments(ash_place_learner *p) {
  uint32_t total = 0;
  p->moment_at = ASH_NEW_ARRAY(&p->zone, uint32_t, (size_t)p->item_count + 1);
  for (uint32_t s = 0; s < p->moment_count; s++)
    total += p->moments[s].count;
  p->moment_list = ASH_NEW_ARRAY(&p->zone, uint32_t, total);
  if (p->zone.failed)
    return false;
  for (uint32_t s = 0; s < p->moment_count; s++)
    for (uint32_t a = 0; a < p->moments[s].count; a++)
      p->moment_at[p->members[p->moments[s].first + a].item]++;
  for (uint32_t i = 0; i < p->item_count; i++)
    p->moment_at[i + 1] += p->moment_at[i];
  for (uint32_t s = p->moment_count; s-- > 0;)
    for (uint32_t a = 0; a < p->moments[s].count; a++)
      p->moment_list[--p->moment_at[p->members[p->moments[s].first + a].item]] =
          s;
  return true;
}

/* ---- the whole ----------------------------------------------------------- */

static bool allocate(ash_place_learner *p) {
  ash_zone *z = &p->zone;
  p->var_count = 2 * p->item_count + 2 * p->span_count;
  p->bound = ASH_NEW_ARRAY(z, int64_t, p->var_count);
  p->last = ASH_NEW_ARRAY(z, uint32_t, p->var_count);
  p->watched = ASH_NEW_ARRAY(z, uint32_t, p->var_count);
  p->need = ASH_NEW_ARRAY(z, int64_t, p->var_count);
  p->need_step = ASH_NEW_ARRAY(z, uint32_t, p->var_count);
  p->touched = ASH_NEW_ARRAY(z, uint32_t, p->var_count);
  p->dirty = ASH_NEW_ARRAY(z, uint8_t, p->moment_count);
  p->dirty_list = ASH_NEW_ARRAY(z, uint32_t, p->moment_count);
  p->order = ASH_NEW_ARRAY(z, uint32_t, p->item_count);
  p->from = ASH_NEW_ARRAY(z, int64_t, p->item_count);
  p->to = ASH_NEW_ARRAY(z, int64_t, p->item_count);
  p->activity = ASH_NEW_ARRAY(z, uint64_t, p->span_count);
  p->heap = ASH_NEW_ARRAY(z, uint32_t, p->span_count);
  p->heap_place = ASH_NEW_ARRAY(z, uint32_t, p->span_count);
  p->phase = ASH_NEW_ARRAY(z, uint8_t, p->span_count);
  return !z->failed && ASH_GROW(z, &p->levels, 0);
}

static bool init(ash_place_learner *p, const ash_place_reduced *in,
                 const uint32_t *items, uint32_t count,
                 const ash_allocator *mem, bool cliques) {
  *p = (ash_place_learner){.in = in, .items = items, .item_count = count};
  ash_zone_init(&p->zone, mem);
  if (count > ITEMS_MOST || in->problem->relation_count)
    return false;
  for (uint32_t i = 0; i < count; i++)
    if (item_of(p, i)->rect_count > RECTS_MOST)
      return false;
  if (!list_spans(p) || !list_moments(p) ||
      (cliques && !ash_place_learner_add_cliques(p)) || !index_moments(p) ||
      !allocate(p))
    return false;
  p->capacity = INT64_MAX;
  p->bump = 1;
  for (uint32_t v = 0; v < p->var_count; v++)
    p->watched[v] = p->need_step[v] = p->last[v] = ASH_PLACE_NONE;
  for (uint32_t k = 0; k < p->span_count; k++)
    p->heap_place[k] = ASH_PLACE_NONE;
  return true;
}

bool ash_place_learner_init(ash_place_learner *p, const ash_place_reduced *in,
                            const uint32_t *items, uint32_t count,
                            const ash_allocator *mem) {
  return init(p, in, items, count, mem, false);
}

bool ash_place_learner_init_cliques(ash_place_learner *p,
                                    const ash_place_reduced *in,
                                    const uint32_t *items, uint32_t count,
                                    const ash_allocator *mem) {
  return init(p, in, items, count, mem, true);
}

void ash_place_learner_drop(ash_place_learner *p) {
  ash_zone_drop(&p->zone);
}

/* The bounds of the start; what was learned at a smaller capacity is lost. */
bool ash_place_learner_reset(ash_place_learner *p, int64_t capacity,
                             ash_place_cause *conflict) {
  if (capacity > p->capacity)
    p->clause_count = p->atom_count = 0;
  p->capacity = capacity;
  p->trail_count = p->propagated = p->level = p->logged = 0;
  bool possible = true;
  *conflict = (ash_place_cause){.kind = ASH_PLACE_BY_BOUNDS};
  for (uint32_t v = 0; v < p->var_count; v++) {
    p->last[v] = ASH_PLACE_NONE;
    p->bound[v] = 0;
  }
  for (uint32_t i = 0; i < p->item_count; i++) {
    const ash_place_item *x = item_of(p, i);
    const bool is_fixed = x->fixed != ASH_FREE_OFFSET;
    int64_t most = capacity - x->reach;
    const int64_t up = ash_place_item_round_up(x, most);
    most = up == most ? most : up - x->modulus;
    p->bound[2 * (size_t)i] = is_fixed ? x->fixed : x->residue;
    p->bound[2 * (size_t)i + 1] =
        is_fixed && x->fixed < most ? -x->fixed : -most;
    possible =
        possible && p->bound[2 * (size_t)i] + p->bound[2 * (size_t)i + 1] <= 0;
  }
  while (p->dirty_count)
    p->dirty[p->dirty_list[--p->dirty_count]] = 0;
  for (uint32_t s = 0; s < p->moment_count; s++) {
    p->dirty[s] = 1;
    p->dirty_list[p->dirty_count++] = s;
  }
  for (uint32_t k = 0; k < p->span_count; k++)
    ash_place_learner_offer(p, k);
  return possible && ash_place_learner_rewatch(p, conflict);
}
