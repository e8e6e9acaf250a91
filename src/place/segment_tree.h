/* segment_tree.h - stabbing queries: values are put on ranges of moments, and a
 * query combines those of all ranges that contain a point, by maximum or
 * greatest common divisor. */
#ifndef ASH_PLACE_SEGMENT_TREE_H
#define ASH_PLACE_SEGMENT_TREE_H

#include "base/ctx.h"

typedef uint64_t ash_place_segtree_combine(uint64_t a, uint64_t b);

typedef struct ash_place_segtree {
  ash_place_segtree_combine *combine; /* 0 is its neutral element */
  uint64_t *tree;
  size_t count;
} ash_place_segtree;

ash_status ash_place_segtree_init(ash_ctx *ctx, ash_place_segtree *out,
                                  size_t count,
                                  ash_place_segtree_combine *combine);
void ash_place_segtree_add(ash_place_segtree *t, size_t first, size_t last,
                           uint64_t value);
uint64_t ash_place_segtree_get(const ash_place_segtree *t, size_t at);

#endif
