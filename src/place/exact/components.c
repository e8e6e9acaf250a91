/* components.c - union-find over items: neighbours in time are found by
 * walking the rects in order of their first moment with the furthest last
 * moment seen so far. */
#include "place/exact/components.h"

static uint32_t find(uint32_t *parent, uint32_t i) {
  while (parent[i] != i) {
    ASH_ASSERT(parent[i] < i);
    parent[i] = parent[parent[i]];
    i = parent[i];
  }
  return i;
}

static void unite(uint32_t *parent, uint32_t a, uint32_t b) {
  ASH_ASSERT(parent[a] <= a && parent[b] <= b);
  a = find(parent, a);
  b = find(parent, b);
  if (a < b)
    parent[b] = a;
  else
    parent[a] = b;
}

/* Per moment, one rect that starts there and the furthest end of those. */
static ash_status unite_by_time(ash_ctx *ctx, uint32_t *parent,
                                const ash_place_reduced *in) {
  const size_t n = in->moment_count;
  uint32_t *starter = ASH_NEW_ARRAY(&ctx->scratch, uint32_t, n);
  uint32_t *reach = ASH_NEW_ARRAY(&ctx->scratch, uint32_t, n);
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  for (uint32_t i = 0; i < in->rect_count; i++) {
    const ash_place_rect *p = &in->rects[i];
    ASH_ASSERT(p->first < p->last && p->last <= n);
    if (reach[p->first])
      unite(parent, starter[p->first], p->item);
    starter[p->first] = p->item;
    if (p->last > reach[p->first])
      reach[p->first] = p->last;
  }
  uint32_t open = UINT32_MAX, until = 0;
  for (uint32_t s = 0; s < n; s++) {
    if (reach[s] == 0)
      continue;
    if (s < until)
      unite(parent, open, starter[s]);
    open = starter[s];
    until = reach[s] > until ? reach[s] : until;
  }
  return ASH_OK;
}

static bool item_is_plain(const ash_place_reduced *in, uint32_t i) {
  ASH_ASSERT(i < in->item_count);
  const ash_place_item *item = &in->items[i];
  const ash_place_rect *p = &in->rects[item->rect];
  if (item->rect_count != 1 || item->fixed != ASH_FREE_OFFSET ||
      item->residue != 0 || p->lo != 0 || p->hi != item->reach)
    return false;
  return in->special_count == 0 ||
         in->special_at[p->buffer] == in->special_at[p->buffer + 1];
}

static bool is_related(const ash_place_reduced *in, uint32_t buffer) {
  ASH_ASSERT(buffer < in->problem->buffer_count);
  return in->special_count &&
         in->special_at[buffer] < in->special_at[buffer + 1];
}

static ash_status collect(ash_ctx *ctx, ash_place_components *out,
                          const ash_place_reduced *in, uint32_t *parent,
                          const uint8_t *wanted) {
  uint32_t *number = ASH_NEW_ARRAY(&ctx->scratch, uint32_t, in->item_count);
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  for (uint32_t i = 0; i < in->item_count; i++) {
    if (!wanted[i])
      continue;
    const uint32_t root = find(parent, i);
    ASH_ASSERT(root <= i && wanted[root]);
    if (root == i) {
      number[i] = out->count;
      out->list[out->count++] = (ash_place_component){.plain = true};
    }
    ash_place_component *c = &out->list[number[root]];
    c->count++;
    c->plain = c->plain && item_is_plain(in, i);
  }
  uint32_t at = 0;
  for (uint32_t c = 0; c < out->count; c++) {
    out->list[c].first = at;
    at += out->list[c].count;
    ASH_ASSERT(at <= in->item_count);
    out->list[c].count = 0;
  }
  for (uint32_t i = 0; i < in->item_count; i++)
    if (wanted[i]) {
      ash_place_component *c = &out->list[number[find(parent, i)]];
      out->items[c->first + c->count++] = i;
    }
  return ASH_OK;
}

ash_status ash_place_components_build(ash_ctx *ctx, ash_place_components *out,
                                      const ash_place_reduced *in) {
  ash_zone *z = &ctx->scratch;
  const size_t n = in->item_count;
  *out =
      (ash_place_components){.list = ASH_NEW_ARRAY(z, ash_place_component, n),
                             .items = ASH_NEW_ARRAY(z, uint32_t, n)};
  const ash_mark mark = ash_zone_mark(z);
  uint32_t *parent = ASH_NEW_ARRAY(z, uint32_t, n);
  uint8_t *wanted = ASH_NEW_ARRAY(z, uint8_t, n);
  ASH_TRY(ash_zone_check(ctx, z));
  for (uint32_t i = 0; i < n; i++) {
    parent[i] = i;
    wanted[i] = in->items[i].rect_count > 0;
  }
  ASH_TRY(unite_by_time(ctx, parent, in));
  for (uint32_t b = 0; in->special_count && b < in->problem->buffer_count; b++)
    for (uint32_t k = in->special_at[b]; k < in->special_at[b + 1]; k++)
      if (in->specials[k].kind == ASH_INSIDE || is_related(in, b)) {
        unite(parent, in->item_of[b], in->item_of[in->specials[k].other]);
        wanted[in->item_of[b]] = 1;
      }
  /* The smaller index is the root, so roots are met before their members. */
  ASH_TRY(collect(ctx, out, in, parent, wanted));
  ash_zone_rewind(z, mark);
  return ASH_OK;
}
