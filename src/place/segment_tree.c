/* segment_tree.c - a segment tree in an array: a range is the union of O(log n)
 * nodes, a point the path from its leaf to the root. */
#include "place/segment_tree.h"

ash_status ash_place_segtree_init(ash_ctx *ctx, ash_place_segtree *out,
                                  size_t count,
                                  ash_place_segtree_combine *combine) {
  ASH_ASSERT(combine(0, 1) == 1 && combine(1, 0) == 1);
  *out = (ash_place_segtree){
      .combine = combine,
      .tree = ASH_NEW_ARRAY(&ctx->scratch, uint64_t, 2 * count + 2),
      .count = count};
  return ash_zone_check(ctx, &ctx->scratch);
}

void ash_place_segtree_add(ash_place_segtree *t, size_t first, size_t last,
                           uint64_t value) {
  ASH_ASSERT(first < last && last <= t->count);
  size_t a = first + t->count, b = last + t->count;
  for (; a < b; a /= 2, b /= 2) {
    if (a & 1) {
      t->tree[a] = t->combine(t->tree[a], value);
      a++;
    }
    if (b & 1) {
      b--;
      t->tree[b] = t->combine(t->tree[b], value);
    }
  }
}

uint64_t ash_place_segtree_get(const ash_place_segtree *t, size_t at) {
  ASH_ASSERT(at < t->count);
  uint64_t value = 0;
  for (size_t i = at + t->count; i > 0; i /= 2)
    value = t->combine(value, t->tree[i]);
  return value;
}
